// SPDX-License-Identifier: MIT
// What a view adds to its light.
#pragma once

namespace lathe {

/// Of what is solid in space; none of it as a rule.
struct Lighting {
    /// How dark corners and clefts are: 0 none, 1 as usual.
    float occlusion = 0;
    /// World units: what is farther away takes no light. 0: a part of the distance to the target.
    float occlusion_radius = 0;
    /// How dark the shadow is that a light straight above throws on a ground at the low end of the
    /// box around all that is drawn: 0 no ground, 1 as usual.
    float ground = 0;

    bool operator==(const Lighting&) const = default;
};

} // namespace lathe
