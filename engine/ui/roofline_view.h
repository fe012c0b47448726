// SPDX-License-Identifier: MIT
// How fast kernels compute beside what the device can do: a roofline with a point for each kernel,
// and its numbers. An Inspector counts, and times launches while this is seen.
#pragma once

#include "engine/live/inspector.h"
#include "gpu/inspect/roofline.h"

#include <functional>
#include <string>
#include <vector>

namespace lathe {

class RooflineView {
public:
    explicit RooflineView(Inspector& inspector) : inspector_{inspector} {}

    /// Measures the device's peaks between two frames, which takes two seconds; empty: never.
    std::function<void()> measure;

    /// Fills the room that the window has left. False for `is_seen` draws nothing.
    void draw(bool is_seen);

private:
    void draw_invitation();
    void draw_plot(const std::vector<gpu::KernelRate>& rates, float width, float height) const;
    void draw_table(const std::vector<gpu::KernelRate>& rates) const;
    bool can_inspect();

    void want(bool is_wanted);

    Inspector& inspector_;
    bool is_wanted_ = false;    ///< rates
    int frames_to_measure_ = 0; ///< the words that it takes a moment are shown first
    bool has_looked_ = false;   ///< at the device
    std::string problem_;       ///< of the device
    std::vector<gpu::KernelRate> shown_;
    double looked_at_ = -1; ///< by Dear ImGui's clock
};

} // namespace lathe
