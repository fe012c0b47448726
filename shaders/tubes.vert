// SPDX-License-Identifier: MIT
// A box around each segment. RADII where each point has its own.

#include "box.glsl"
#include "item_colors.glsl"
#include "numbers.glsl"
#include "polyline.glsl"

layout(binding = 0) uniform samplerBuffer numbers; // float32
uniform int first; // floats before the first point
uniform float radius;
#if defined(RADII)
layout(binding = 4) uniform samplerBuffer radii;
uniform int first_radius;
#endif

flat out vec3 begin; // in eye space
flat out vec3 end;
flat out vec2 ends_radii;
flat out vec4 begin_item;
flat out vec4 end_item;

float own_radius(int i) {
#if defined(RADII)
    return radius * texelFetch(radii, first_radius + i).x;
#else
    return radius;
#endif
}

void main() {
    ivec2 ends = ends_of(gl_InstanceID);
    begin = to_eye(vector_at(numbers, first, ends.x));
    end = to_eye(vector_at(numbers, first, ends.y));
    vec2 own = vec2(own_radius(ends.x), own_radius(ends.y));
    ends_radii = max(own, vec2(least_radius(begin), least_radius(end)));
    begin_item = item_color(ends.x);
    end_item = item_color(ends.y);
    float length = distance(begin, end);
    vec3 axis = length > 0.0 ? (end - begin) / length : vec3(0.0, 0.0, 1.0);
    float most = max(ends_radii.x, ends_radii.y);
    vec2 heights = vec2(min(-ends_radii.x, length - ends_radii.y),
                        max(length + ends_radii.y, ends_radii.x));
    gl_Position = box_corner(begin, axis, heights, most);
    // NaN is none either.
    if (!(own.x >= 0.0 && own.y >= 0.0 && own.x + own.y > 0.0)) gl_Position = nowhere;
}
