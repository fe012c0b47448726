// SPDX-License-Identifier: MIT
// What the studio's menu starts beside this program. Whoever can start programs gives the hooks;
// without them those entries are grey.
#pragma once

#include <filesystem>
#include <functional>

namespace lathe {

/// Each says in the console what it has done, or why it could not.
struct ProgramHooks {
    /// Runs a script or a sketch in a window of its own.
    std::function<void(const std::filesystem::path& file)> open;
    /// Writes a new sketch into the folder and runs it in the same way.
    std::function<void(const std::filesystem::path& folder)> new_sketch;
    /// Opens the course.
    std::function<void()> learn;

    explicit operator bool() const { return bool(open); }
};

} // namespace lathe
