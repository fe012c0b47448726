// SPDX-License-Identifier: MIT
// A context of Dear ImGui and of ImPlot whose frame is always open and never shown. Where no App
// has a frame for the calls of a program, they go there: nothing crashes, and values come back as
// they were. So a script is the same without panels.
#pragma once

namespace lathe::imgui_idle {

/// There is one from now on; without it the calls below do nothing. It is current, unless another
/// context is within a frame.
void open();
void make_current();
/// Its next frame begins: what the last one was given is gone.
void renew();

} // namespace lathe::imgui_idle
