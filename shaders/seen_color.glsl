// SPDX-License-Identifier: MIT
// What item_color() has brought, as a colour, in a fragment shader.

#include "common.glsl"

vec4 seen_color(vec4 item) {
#if defined(VALUES)
    return vec4(color_of(item.x), 1.0);
#else
    return item;
#endif
}
