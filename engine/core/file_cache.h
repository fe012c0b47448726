// SPDX-License-Identifier: MIT
// Bytes that were costly to make, kept as files by key: whole or not there, bounded, shared between
// processes. A disk that is full, read-only or holds damaged files costs speed only.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace lathe {

class LATHE_API FileCache {
public:
    /// `folder` is made when the first file is written; empty keeps nothing. `kind` ends the names
    /// of the files (".kernel"); `magic` begins them, and changes with what the bytes mean.
    FileCache(std::filesystem::path folder, std::string kind, std::string magic);

    /// What was kept under the key. A damaged file is removed. Safe on any thread, as all of these.
    std::optional<std::string> read(const std::string& key);
    /// Never throws.
    void write(const std::string& key, std::string_view payload);
    /// Removes a file whose bytes turn out to make no sense.
    void discard(const std::string& key);
    /// Removes all files.
    void clear();

    std::uint64_t damaged_files() const;
    const std::filesystem::path& folder() const noexcept { return folder_; }

    /// Beyond this the least recently used leave, down to three quarters.
    std::uintmax_t limit_bytes = 512ull << 20;

private:
    std::filesystem::path file_of(const std::string& key) const;
    void trim();

    std::filesystem::path folder_;
    std::string kind_, magic_;
    mutable std::mutex mutex_;
    std::uintmax_t written_since_trim_ = 0;
    bool looked_at_disk_ = false;
    bool warned_ = false;
    std::uint64_t damaged_ = 0;
};

} // namespace lathe
