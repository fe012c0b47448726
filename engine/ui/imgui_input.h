// SPDX-License-Identifier: MIT
// Our input events as Dear ImGui's.
#pragma once

#include "engine/app/input.h"

namespace lathe {

/// Hands one event to the current ImGui context.
void feed_imgui(const InputEvent& event);

} // namespace lathe
