// SPDX-License-Identifier: MIT
// The things that the views show: hidden and shown, restyled, looked at.
#pragma once

#include <memory>
#include <vector>

namespace lathe {

class View;
struct Thing;
struct ThingSettings;

class ThingsPanel {
public:
    /// Inside the panel's window.
    void draw(const std::vector<std::shared_ptr<View>>& views);

private:
    void row(View& view, const Thing& thing);
    void settings(View& view, const Thing& thing, ThingSettings& settings);
};

} // namespace lathe
