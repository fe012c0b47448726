// SPDX-License-Identifier: MIT
#include "engine/core/file_watch.h"

#include <ctime>
#include <sys/stat.h>

namespace lathe {

namespace fs = std::filesystem;

namespace {

FileWatch::Time time_of(const timespec& t) {
    using namespace std::chrono;
    return FileWatch::Time{
        duration_cast<FileWatch::Time::duration>(seconds{t.tv_sec} + nanoseconds{t.tv_nsec})};
}

} // namespace

FileWatch::Stamp FileWatch::stamp_of(const fs::path& file) {
    std::error_code failed;
    const auto time = fs::last_write_time(file, failed);
    if (failed) return {};
    const auto bytes = fs::file_size(file, failed);
    return failed ? Stamp{} : Stamp{time, bytes};
}

void FileWatch::add(const fs::path& file) { files_.try_emplace(file, stamp_of(file)); }

void FileWatch::add_read_since(const fs::path& file, Time began) {
    struct stat found{};
    // Not the time of writing: a file may be moved to its place after that.
    const bool changed = stat(file.c_str(), &found) == 0 && time_of(found.st_ctim) > began;
    files_.try_emplace(file, changed ? Stamp{} : stamp_of(file));
}

FileWatch::Time FileWatch::file_time() noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return time_of(now);
}

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
