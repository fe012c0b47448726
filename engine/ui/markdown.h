// SPDX-License-Identifier: MIT
// Draws Markdown into the current window of Dear ImGui; widgets.h says which marks are known.
#pragma once

#include <string_view>

namespace lathe {

/// Over the width that the window has left. It is parsed in each frame: for a few pages of text.
void draw_markdown(std::string_view text);

} // namespace lathe
