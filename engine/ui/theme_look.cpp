// SPDX-License-Identifier: MIT
// The light look: each colour of the dark one with its lightness turned round.
#include "engine/ui/theme.h"

#include <algorithm>
#include <cmath>

namespace lathe::theme {

namespace {

/// From 0 to 1. What lies far behind stays close to white, words and marks become dark enough to be
/// read on it.
float turned(float lightness) {
    struct Point {
        float dark, light;
    };
    constexpr Point kPoints[] = {{0, 1}, {0.35f, 0.78f}, {0.5f, 0.38f}, {1, 0.05f}};
    for (const Point* p = kPoints;; ++p)
        if (lightness <= p[1].dark)
            return p->light +
                   (p[1].light - p->light) * (lightness - p->dark) / (p[1].dark - p->dark);
}

} // namespace

Look look() { return ui_state().look; }
void set_look(Look look) { ui_state().look = look; }

unsigned in_light(unsigned rgb) {
    const float parts[] = {float(rgb >> 16 & 255) / 255, float(rgb >> 8 & 255) / 255,
                           float(rgb & 255) / 255};
    const auto [least, most] = std::minmax({parts[0], parts[1], parts[2]});
    const float lightness = (least + most) / 2, to = turned(lightness);
    const float room = std::min(lightness, 1 - lightness); // of a colour at this lightness
    const float scale = room > 0 ? std::min(to, 1 - to) / room : 0;
    unsigned out = 0;
    for (const float part : parts) {
        const float value = std::clamp(to + (part - lightness) * scale, 0.0f, 1.0f);
        out = out << 8 | unsigned(std::lround(value * 255));
    }
    return out;
}

} // namespace lathe::theme
