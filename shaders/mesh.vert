// SPDX-License-Identifier: MIT
// A vertex of triangles. Defines: VALUES or COLORS where it brings a scalar or a colour, not with
// OF_FACES; SMOOTH where it brings a normal.

layout(location = 0) in vec3 position;
#if defined(VALUES) && !defined(OF_FACES)
layout(location = 1) in float vertex_value;
out float value;
#endif
#if defined(COLORS) && !defined(OF_FACES)
layout(location = 2) in vec4 vertex_color;
out vec4 mesh_color;
#endif
#if defined(SMOOTH)
layout(location = 3) in vec3 vertex_normal;
out vec3 normal; // of eye space, length 1 or 0

/// Its length may be far from 1.
vec3 direction(vec3 v) {
    float most = max(max(abs(v.x), abs(v.y)), abs(v.z));
    return most > 0.0 ? normalize(v / most) : vec3(0.0);
}
#endif

uniform mat4 view;
uniform mat4 projection;
uniform uint count; // of vertices

out vec3 place; // in eye space

void main() {
    place = (view * vec4(position, 1.0)).xyz;
    gl_Position = projection * vec4(place, 1.0);
#if defined(VALUES) && !defined(OF_FACES)
    value = vertex_value;
#endif
#if defined(COLORS) && !defined(OF_FACES)
    mesh_color = vertex_color;
#endif
#if defined(SMOOTH)
    normal = mat3(view) * direction(vertex_normal);
#endif
    // No triangle of it is drawn: GL leaves out what has a place that is not a number.
    if (uint(gl_VertexID) >= count) gl_Position = vec4(uintBitsToFloat(0x7fc00000u));
}
