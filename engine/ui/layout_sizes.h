// SPDX-License-Identifier: MIT
// What the sources of Layout share: names of the panels' windows, and the sizes of the first
// arrangement, where the picture gets what the others leave.
#pragma once

#include "engine/ui/layout.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace lathe {

constexpr std::array<const char*, kPlaces> kTitles{"Picture",  "Kernels", "Parameters", "Things",
                                                   "Profiler", "Console", "Thread",     "Values",
                                                   "History",  "Plots"};
inline const char* title_of(Place place) { return kTitles[std::size_t(place)]; }

/// Of a panel of the script's: the id differs from those of the studio's own, whatever the title.
inline std::string script_window_name(std::string_view title) {
    return fmt::format("{0}###script {0}", title);
}

/// A column of text that is easy to read.
inline float guide_width(float width) {
    return std::clamp(width * 0.28f, theme::px(300), theme::px(460));
}
/// Of the code and what is below it: the picture has more than half of the window.
inline float column_width(float width) {
    return std::clamp(width * 0.41f, theme::px(320), theme::px(800));
}
constexpr float kCodeShare = 0.6f; ///< of the column's height
constexpr float kTwoPlaces = 600;  ///< from this width on, before px(), parameters leave one

} // namespace lathe
