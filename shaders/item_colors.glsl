// SPDX-License-Identifier: MIT
// Colours of items, by number, in a vertex shader: VALUES where each has a scalar, which the
// fragment shader sends through the colormap, or COLORS; else all have one.

#if defined(VALUES) || defined(COLORS)
layout(binding = 3) uniform samplerBuffer item_numbers; // a number or four each
uniform int first_of_items;
#else
uniform vec4 tint;
#endif

/// In VALUES' case the value is its first number.
vec4 item_color(int i) {
#if defined(VALUES)
    return vec4(texelFetch(item_numbers, first_of_items + i).x, 0.0, 0.0, 0.0);
#elif defined(COLORS)
    int at = first_of_items + 4 * i;
    return vec4(texelFetch(item_numbers, at).x, texelFetch(item_numbers, at + 1).x,
                texelFetch(item_numbers, at + 2).x, texelFetch(item_numbers, at + 3).x);
#else
    return tint;
#endif
}
