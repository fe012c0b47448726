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
    /// Inside the panel's window. While a step is under way nobody can wait for the device.
    void draw(const std::vector<std::shared_ptr<View>>& views, bool is_in_step);

private:
    void row(View& view, const Thing& thing);
    void settings(View& view, const Thing& thing, ThingSettings& settings);

    bool is_in_step_ = false;
};

} // namespace lathe
