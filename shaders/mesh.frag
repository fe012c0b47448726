// SPDX-License-Identifier: MIT
// A lit face. Defines: VALUES or COLORS where each vertex, or with OF_FACES each triangle, has a
// scalar or a colour; SMOOTH for normals of the vertices; EDGES for lines along the edges; SOLID
// for faces that hide what lies behind them; PEEL for a layer of those that do not; MANY for
// instances; CONTOURS for lines of equal value; TEXTURED for a picture on it; UNLIT for colours as
// they are.

#include "clip.glsl"
#include "common.glsl"
#if defined(CONTOURS)
#include "contours.glsl"
in float level;
#endif
#include "light.glsl"
#if defined(TEXTURED)
#include "surface_texture.glsl"
#endif

in vec3 place; // in eye space
#if defined(OF_FACES)
layout(binding = 3) uniform samplerBuffer of_faces; // a number or four each
uniform int first_of_faces;
#elif defined(VALUES)
in float value;
#elif defined(COLORS)
in vec4 mesh_color;
#endif
#if defined(SMOOTH)
in vec3 normal;
#endif

uniform vec4 tint;
uniform float opacity;

out vec4 color; // premultiplied

vec4 own_color() {
#if defined(TEXTURED)
    return texture_color();
#elif defined(VALUES)
#if defined(OF_FACES)
    float value = texelFetch(of_faces, first_of_faces + gl_PrimitiveID).x;
#endif
    return vec4(color_of(value), 1.0);
#elif defined(COLORS) && defined(OF_FACES)
    int at = first_of_faces + 4 * gl_PrimitiveID;
    return vec4(texelFetch(of_faces, at).x, texelFetch(of_faces, at + 1).x,
                texelFetch(of_faces, at + 2).x, texelFetch(of_faces, at + 3).x);
#elif defined(COLORS)
    return mesh_color;
#else
    return tint;
#endif
}

/// Of the side that is seen. The face's own one tells which side that is, also of normals that are
/// nearly at right angles to the view.
vec3 seen_normal() {
    vec3 face = cross(normalize(dFdx(place)), normalize(dFdy(place)));
#if defined(SMOOTH)
    if (dot(normal, normal) > 0.0) return normalize(dot(normal, face) < 0.0 ? -normal : normal);
#endif
    return normalize(face);
}

#if defined(EDGES)
layout(binding = 4) uniform usamplerBuffer indices;
layout(binding = 5) uniform samplerBuffer numbers; // float32, of positions
uniform int first_index;
uniform int first_number;
uniform mat4 view;
uniform mat4 projection;
uniform vec2 half_size;   // of the picture, in pixels
uniform float edge_width; // pixels
uniform vec4 edge_color;
#if defined(MANY)
flat in vec3 instance_place;
flat in mat3 instance_frame;
#endif

/// Pixels from here, times w, and w; where w is 1 here. Also of what lies behind the eye.
vec3 corner(int k, vec4 here) {
    int at = first_number +
             3 * int(texelFetch(indices, first_index + 3 * gl_PrimitiveID + k).x);
    vec3 p = vec3(texelFetch(numbers, at).x, texelFetch(numbers, at + 1).x,
                  texelFetch(numbers, at + 2).x);
#if defined(MANY)
    p = instance_place + instance_frame * p;
#endif
    vec4 clip = projection * (view * vec4(p, 1.0)) / here.w;
    return vec3(half_size * (clip.xy - here.xy / here.w * clip.w), clip.w);
}

/// Pixels from here to the line through two corners.
float distance_to(vec3 a, vec3 b) {
    vec3 line = cross(a, b);
    return abs(line.z) / max(length(line.xy), 1e-30);
}

/// Of a triangle on the screen the least height, in pixels; large where a corner is behind the eye.
float height(vec3 a, vec3 b, vec3 c) {
    if (min(min(a.z, b.z), c.z) <= 0.0) return 1e30;
    vec2 p = a.xy / a.z, q = b.xy / b.z - p, r = c.xy / c.z - p;
    return abs(q.x * r.y - q.y * r.x) / max(max(max(length(q), length(r)), length(r - q)), 1e-30);
}

/// How much of this fragment an edge covers. Edges fade where triangles are hardly wider than they
/// are: a dense mesh would be nothing but edges.
float edge_cover() {
    vec4 here = projection * vec4(place, 1.0);
    vec3 a = corner(0, here), b = corner(1, here), c = corner(2, here);
    float nearest = min(min(distance_to(a, b), distance_to(b, c)), distance_to(c, a));
    float room = height(a, b, c) / edge_width;
    return clamp(0.5 * edge_width + 0.5 - nearest, 0.0, 1.0) * smoothstep(1.5, 6.0, room);
}
#endif

#if defined(PEEL)
layout(binding = 6) uniform sampler2D solid_depth;
layout(binding = 7) uniform sampler2D nearer_depth; // of the layer before
uniform ivec2 peel_corner;

bool is_of_this_layer() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    return gl_FragCoord.z > texelFetch(nearer_depth, at, 0).x &&
           gl_FragCoord.z < texelFetch(solid_depth, at + peel_corner, 0).x;
}
#endif

void main() {
    vec4 face = own_color();
#if defined(SOLID)
    face.a = 1.0;
#endif
#if !defined(UNLIT)
    face.rgb = lit(face.rgb, seen_normal());
#endif
    vec4 all = vec4(face.rgb * face.a, face.a);
#if defined(CONTOURS)
    all = with_contours(all, level);
#endif
#if defined(EDGES)
    float ink = edge_color.a * edge_cover();
    all = mix(all, vec4(edge_color.rgb, 1.0), ink);
#endif
#if defined(SOLID)
    color = vec4(all.rgb, 1.0);
#else
    color = all * opacity;
#endif
#if defined(CLIPPED)
    if (is_clipped(vec4(place, 1.0))) discard;
#endif
#if defined(PEEL)
    if (!is_of_this_layer()) discard; // after derivatives
#endif
}
