// SPDX-License-Identifier: MIT
// Compiled kernels kept on disk, so that a program that runs again compiles nothing.
#pragma once

#include "engine/core/file_cache.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::soft::jit {

/// What compiling one group of functions came to.
struct CachedCode {
    std::string object;               ///< ELF
    std::vector<std::string> symbols; ///< of the module, to be defined when linking
    std::string refusal;              ///< why the kernel cannot run by warps; then no object
};

class ObjectCache {
public:
    /// Below cache_directory()/objects as it is at the first call; LATHE_SOFT_CACHE=off keeps
    /// nothing.
    static ObjectCache& instance();

    /// `module` is ptx::Module::key; empty where nothing is known of the module. `group` names the
    /// code and every option it was made with. The key holds the processor, LLVM's version and the
    /// build of this library besides. Empty: not to be kept.
    std::string key(const std::string& module, const std::string& group) const;
    std::optional<CachedCode> find(const std::string& key);
    void store(const std::string& key, const CachedCode& code);

    struct Stats {
        std::uint64_t hits = 0, misses = 0, damaged_files = 0;
    };
    Stats stats() const { return {hits_, misses_, files_.damaged_files()}; }
    const std::filesystem::path& folder() const { return files_.folder(); }

private:
    explicit ObjectCache(std::filesystem::path folder);

    FileCache files_;
    std::string build_;
    std::atomic<std::uint64_t> hits_{0}, misses_{0};
};

} // namespace lathe::soft::jit
