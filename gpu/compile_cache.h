// SPDX-License-Identifier: MIT
// Compiled kernels kept in memory and below cache_directory()/kernels, by a 128-bit hash of all
// that decides the image. A disk that is full, read-only or holds damaged files costs speed only.
#pragma once

#include "engine/core/api.h"
#include "engine/core/cache_key.h"
#include "engine/core/file_cache.h"
#include "gpu/compiler.h"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace lathe::gpu {

class LATHE_API CompileCache {
public:
    /// The process's cache, below cache_directory() as it is at the first call.
    static CompileCache& instance();

    /// `folder` is made when the first file is written; an empty path keeps memory only.
    explicit CompileCache(std::filesystem::path folder);

    /// A kept result with from_cache set. Safe on any thread, as all of these.
    std::optional<CompileResult> find(const std::string& key);
    /// Keeps a result that is ok. Never throws for the disk's sake.
    void store(const std::string& key, const CompileResult& result);

    void clear_memory();
    /// Removes the files, too.
    void clear();

    struct Stats {
        std::uint64_t memory_hits = 0;
        std::uint64_t disk_hits = 0;
        std::uint64_t misses = 0;
        std::uint64_t damaged_files = 0;
    };
    Stats stats() const;
    const std::filesystem::path& folder() const noexcept { return disk_.folder(); }

    std::size_t memory_limit_bytes = 128ull << 20;

private:
    struct Kept {
        CompileResult result;
        std::uint64_t last_use = 0;
    };
    std::optional<CompileResult> read(const std::string& key);
    void keep(const std::string& key, const CompileResult& result);

    FileCache disk_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Kept> memory_;
    std::size_t memory_bytes_ = 0;
    std::uint64_t clock_ = 0;
    Stats stats_;
};

} // namespace lathe::gpu
