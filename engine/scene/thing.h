// SPDX-License-Identifier: MIT
// What a view shows, by name: a call draws in each step, its thing stays from step to step.
#pragma once

#include "engine/core/api.h"
#include "engine/render/colormap.h"
#include "engine/scene/draw_list.h"

#include <glm/vec4.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// How a thing is shown; what is not set is as its call says. What a kind of thing does not have is
/// not looked at.
struct ThingSettings {
    bool is_shown = true;
    bool is_clipped = true; ///< by the view's clip planes
    std::optional<glm::vec4> color{};
    std::optional<float> opacity{};
    std::optional<float> size{}; ///< diameter of points, radius of spheres and tubes, width of
                                 ///< lines, scale of arrows and instances
    std::optional<std::string> colormap{};
    std::optional<ValueRange> range{};

    bool operator==(const ThingSettings&) const = default;
};

struct Thing {
    std::string name; ///< as given, or the kind with its number: "points", "points 2"
    std::string_view kind;
    std::size_t count; ///< of points, elements or triangles
    bool by_kernels;   ///< CUDA draws it, not OpenGL
};

/// Of a thing's numbers: elements with a NaN, and others with an infinite number.
struct NotFinite {
    std::uint64_t nan = 0, infinite = 0;
};

/// The things of a list, in its order.
std::vector<Thing> things_of(const std::vector<ListItem>& items);
Drawn restyled(const Drawn& drawn, const ThingSettings& settings);
/// For pictures with `scale` pixels to one of the style's; annotations and texts stay as they are,
/// since a Canvas enlarges them.
Drawn enlarged(const Drawn& drawn, float scale);

} // namespace lathe
