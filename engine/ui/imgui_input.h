// SPDX-License-Identifier: MIT
// Our input events as Dear ImGui's, for 1.92 (event queue) and Debian's 1.86 (arrays).
#pragma once

#include "engine/app/input.h"

namespace lathe {

/// Hands one event to the current ImGui context.
void feed_imgui(const InputEvent& event);
/// ImGui 1.86 alone: says which keys are which, once a context.
void map_imgui_keys();

} // namespace lathe
