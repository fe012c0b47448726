// SPDX-License-Identifier: MIT
// What item_color() has brought, as a colour, in a fragment shader.

#include "common.glsl"

vec4 seen_color(vec4 item) {
#if defined(VALUES)
    return vec4(is_nan(item.x) ? vec3(1.0, 0.0, 1.0) : colormap_at(in_range(item.x)), 1.0);
#else
    return item;
#endif
}
