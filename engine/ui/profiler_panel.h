// SPDX-License-Identifier: MIT
// Where the time and the memory go: the last frames, the zones of one of them, sums by name, and
// who has the device's memory, and how fast kernels are beside the device. The App's profiler
// measures while the panel is seen.
#pragma once

#include "engine/app/memory_use.h"
#include "engine/app/profile.h"
#include "engine/ui/flame_view.h"
#include "engine/ui/frame_times.h"
#include "engine/ui/roofline_view.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

class FrameStats;
class Profiler;

class ProfilerPanel {
public:
    /// Traces are saved in the working directory, under the program's name.
    ProfilerPanel(Profiler& profiler, Inspector& inspector, std::string name)
        : profiler_{profiler}, name_{std::move(name)}, roofline_{inspector} {}

    std::function<std::vector<MemoryUse>()> memory = [] { return std::vector<MemoryUse>{}; };

    RooflineView& roofline() { return roofline_; }

    /// Inside the panel's window, or outside where that is not seen.
    void draw(const FrameStats& stats, bool is_seen);

private:
    enum class Page { frame, sums, memory, roofline };
    void want(bool is_wanted);
    void draw_times(const FrameStats& stats);
    void row(const FrameStats& stats);
    void draw_frame();
    void draw_sums();
    void draw_memory();
    void save();

    Profiler& profiler_;
    std::string name_;
    FrameTimes times_;
    FlameView flame_;
    RooflineView roofline_;
    Page page_ = Page::frame;
    bool is_wanted_ = false;
    bool is_held_ = false; ///< the frame that is shown stays
    std::optional<ProfiledFrame> shown_;
    std::vector<ZoneSum> sums_;
    std::size_t frames_of_sums_ = 0;
    std::vector<MemoryUse> uses_;
    double looked_at_ = 0; ///< by Dear ImGui's clock
};

} // namespace lathe
