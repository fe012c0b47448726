// SPDX-License-Identifier: MIT
// What frames spent their time on: zones of the host, of CUDA and of OpenGL on one clock. A
// Profiler measures it.
#pragma once

#include "engine/core/api.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// Who works.
enum class Lane : std::uint8_t { host, cuda, opengl };
constexpr std::array<std::string_view, 3> kLaneNames{"host", "CUDA", "OpenGL"};

/// A named stretch of time. On the device's lanes it is the work that a stretch of the host gave
/// out, from its first to its last.
struct ProfiledZone {
    std::string_view name; ///< valid as long as the Profiler
    Lane lane = Lane::host;
    std::uint8_t depth = 0;           ///< zones of its lane around it
    std::chrono::nanoseconds begin{}; ///< since the Profiler was made
    std::chrono::nanoseconds time{};
};

/// Blocks of a grid that a worker of the software device took together.
struct ProfiledBlocks {
    std::string_view kernel; ///< valid as long as the Profiler
    unsigned worker = 0;
    std::uint64_t first = 0, count = 0; ///< by their place in the grid
    std::chrono::nanoseconds begin{};   ///< since the Profiler was made
    std::chrono::nanoseconds time{};
};

struct ProfiledFrame {
    std::uint64_t index = 0;              ///< as FrameLoop counts
    std::chrono::nanoseconds begin{};     ///< since the Profiler was made
    std::chrono::nanoseconds time{};      ///< to its end; the next one may begin later
    std::vector<ProfiledZone> zones{};    ///< in the order in which they began on the host
    std::vector<ProfiledBlocks> blocks{}; ///< of the software device, in the order of their ends
    std::size_t left_out = 0;             ///< zones beyond what a frame may have
};

/// "smooth [64 … 127]": the kernel and its blocks.
LATHE_API std::string name_of(const ProfiledBlocks& blocks);

/// All zones of a name on a lane.
struct ZoneSum {
    std::string_view name;
    Lane lane = Lane::host;
    std::uint64_t calls = 0;
    std::chrono::nanoseconds time{};
};

/// Over the last `most` frames, in the order in which the names come up first. Time in a zone of
/// the same name counts once.
LATHE_API std::vector<ZoneSum> sum_zones(const std::deque<ProfiledFrame>& frames, std::size_t most);

/// In the format of Chrome's traces, which chrome://tracing and ui.perfetto.dev open ("Trace Event
/// Format": complete events, microseconds): a track for each lane, for each worker of the software
/// device, and one for the frames.
LATHE_API std::string chrome_trace(const std::deque<ProfiledFrame>& frames);

/// Writes that to a file. Throws lathe::Error where it cannot be written.
LATHE_API void save_chrome_trace(const std::deque<ProfiledFrame>& frames,
                                 const std::filesystem::path& file);

} // namespace lathe
