// SPDX-License-Identifier: MIT
// Notices when files change on disk. Polled, so nothing happens behind the caller's back.
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <vector>

namespace lathe {

class LATHE_API FileWatch {
public:
    using Time = std::chrono::system_clock::time_point;

    /// Watches one file, which need not exist yet. Watching it again does nothing.
    void add(const std::filesystem::path& file);
    /// The same for a file that was read after `began`, a file_time(): it counts as changed where
    /// it was written, or put in its place, since then.
    void add_read_since(const std::filesystem::path& file, Time began);
    /// Now, by the clock that dates files. It may be some milliseconds behind others.
    static Time file_time() noexcept;
    void remove(const std::filesystem::path& file);

    /// The watched files whose time or size differ from the last call, looked at no more often
    /// than `interval`; a file that vanished is reported when it comes back.
    std::vector<std::filesystem::path> changed();

    /// Least time between two looks at the disk; 100 ms unless set. Zero looks each time.
    std::chrono::milliseconds interval{100};

private:
    struct Stamp {
        std::filesystem::file_time_type time{};
        std::uintmax_t bytes = 0;
        bool operator==(const Stamp&) const = default;
    };
    static Stamp stamp_of(const std::filesystem::path& file);

    std::map<std::filesystem::path, Stamp> files_;
    std::chrono::steady_clock::time_point last_look_{};
};

} // namespace lathe
