// SPDX-License-Identifier: MIT
// The things that the views show: hidden and shown, restyled, looked at, probed.
#pragma once

#include "engine/scene/thing.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

class Probe;
class View;

class ThingsPanel {
public:
    /// Inside the panel's window. While a step is under way nobody can wait for the device.
    void draw(const std::vector<std::shared_ptr<View>>& views, bool is_in_step);

private:
    void row(View& view, const Thing& thing);
    void settings(View& view, const Thing& thing, ThingSettings& settings);

    void plot(const Probe& probe);
    void say(const std::vector<std::shared_ptr<View>>& views);

    bool is_in_step_ = false;
    std::map<std::pair<std::string, std::int64_t>, std::vector<float>> lines_; ///< of probes
    using Key = std::pair<const View*, std::string>;                           ///< of a thing
    std::map<Key, NotFinite> counts_;                                          ///< once wanted
    std::map<Key, ThingSettings> unsaid_; ///< before the mouse changed them
};

} // namespace lathe
