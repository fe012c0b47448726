// SPDX-License-Identifier: MIT
// A vertex of triangles. Defines: VALUES or COLORS where it brings a scalar or a colour, not with
// OF_FACES; SMOOTH where it brings a normal; MANY for instances, TURNED or DIRECTED where those
// bring a quaternion or a direction, SCALED or STRETCHED where they bring one size or three;
// CONTOURS where a vertex brings a level; TEXTURED where it brings a place in a picture.

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

#if defined(CONTOURS)
layout(location = 7) in float vertex_level;
out float level;
#endif
#if defined(TEXTURED)
layout(location = 8) in vec2 vertex_texcoord;
out vec2 texcoord;
#endif
#if defined(MANY)
layout(location = 4) in vec3 instance;
#if defined(TURNED)
layout(location = 5) in vec4 turn;
#elif defined(DIRECTED)
layout(location = 5) in vec3 heading;
uniform vec4 up; // an axis of the world
#endif
#if defined(SCALED)
layout(location = 6) in float size;
#elif defined(STRETCHED)
layout(location = 6) in vec3 size;
#endif
uniform float scale;
flat out vec3 instance_place;
flat out mat3 instance_frame;

vec3 own_scale() {
#if defined(SCALED) || defined(STRETCHED)
    return scale * vec3(size);
#else
    return vec3(scale);
#endif
}

/// To the world, without the size.
mat3 own_turn() {
#if defined(TURNED)
    vec4 q = normalize(turn); // x, y, z, w
    mat3 cross_q = mat3(0.0, q.z, -q.y, -q.z, 0.0, q.x, q.y, -q.x, 0.0);
    return mat3(1.0) + 2.0 * (q.w * cross_q + cross_q * cross_q);
#elif defined(DIRECTED)
    vec3 z = normalize(heading);
    float climb = dot(z, up.xyz);
    vec3 x = normalize(cross(abs(climb) < 0.9999 ? up.xyz : -sign(climb) * up.zxy, z));
    return mat3(x, cross(z, x), z);
#else
    return mat3(1.0);
#endif
}
#endif

uniform mat4 view;
uniform mat4 projection;
uniform uint count; // of vertices

out vec3 place; // in eye space

void main() {
#if defined(TEXTURED)
    texcoord = vertex_texcoord;
#endif
#if defined(CONTOURS)
    level = vertex_level;
#endif
    vec3 own = position;
#if defined(MANY)
    vec3 grown = own_scale();
    mat3 turned = own_turn();
    instance_place = instance;
    instance_frame = turned * mat3(grown.x, 0.0, 0.0, 0.0, grown.y, 0.0, 0.0, 0.0, grown.z);
    own = instance + instance_frame * own;
#endif
    place = (view * vec4(own, 1.0)).xyz;
    gl_Position = projection * vec4(place, 1.0);
#if defined(VALUES) && !defined(OF_FACES)
    value = vertex_value;
#endif
#if defined(COLORS) && !defined(OF_FACES)
    mesh_color = vertex_color;
#endif
#if defined(SMOOTH)
#if defined(MANY)
    normal = mat3(view) * (turned * direction(direction(vertex_normal) / grown));
#else
    normal = mat3(view) * direction(vertex_normal);
#endif
#endif
    // No triangle of it is drawn: GL leaves out what has a place that is not a number.
    if (uint(gl_VertexID) >= count) gl_Position = vec4(uintBitsToFloat(0x7fc00000u));
#if defined(MANY)
    if (!all(greaterThan(grown, vec3(0.0)))) gl_Position = vec4(uintBitsToFloat(0x7fc00000u));
#endif
}
