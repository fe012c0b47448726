// SPDX-License-Identifier: MIT
// One line at the window's foot: device, GL, how the two share memory, bytes copied, compile state.
#pragma once

#include <string>
#include <vector>

namespace lathe {

struct StatusItem {
    enum class Tone { plain, good, warning, error };
    std::string text;
    std::string tip; ///< shown on hover
    Tone tone = Tone::plain;
};

class StatusBar {
public:
    /// Inside a window of one line. `right` is aligned to the right end.
    void draw(const std::vector<StatusItem>& left, const std::vector<StatusItem>& right);
};

} // namespace lathe
