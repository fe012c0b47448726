// SPDX-License-Identifier: MIT
#include "engine/core/file_watch.h"

namespace lathe {

namespace fs = std::filesystem;

FileWatch::Stamp FileWatch::stamp_of(const fs::path& file) {
    std::error_code failed;
    const auto time = fs::last_write_time(file, failed);
    if (failed) return {};
    const auto bytes = fs::file_size(file, failed);
    return failed ? Stamp{} : Stamp{time, bytes};
}

void FileWatch::add(const fs::path& file) { files_.try_emplace(file, stamp_of(file)); }

void FileWatch::remove(const fs::path& file) { files_.erase(file); }

std::vector<fs::path> FileWatch::changed() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ < interval) return {};
    last_look_ = now;
    std::vector<fs::path> result;
    for (auto& [file, stamp] : files_) {
        const Stamp present = stamp_of(file);
        if (present == stamp || present == Stamp{}) continue;
        stamp = present;
        result.push_back(file);
    }
    return result;
}

} // namespace lathe
