// SPDX-License-Identifier: MIT
// A box around each arrow.

#include "box.glsl"
#include "item_colors.glsl"
#include "numbers.glsl"

layout(binding = 0) uniform samplerBuffer positions; // float32
layout(binding = 4) uniform samplerBuffer vectors;
uniform int first;        // floats before the first position
uniform int first_vector; // and before the first vector
uniform float scale;      // world units of one of the vectors' units
uniform float radius;     // of the shaft, world units; 0: a part of the length

flat out vec3 tail; // in eye space
flat out vec3 axis; // of length 1
flat out float length_; // of all
flat out float head;    // length of the head
flat out float shaft;   // radius of the shaft
flat out vec4 item;

const float slimness = 0.035; // of the shaft: radius / length of the arrow
const float head_length = 7.0; // in radii of the shaft
const float head_radius = 2.6;

void main() {
    vec3 vector = scale * vector_at(vectors, first_vector, gl_InstanceID);
    tail = to_eye(vector_at(positions, first, gl_InstanceID));
    length_ = length(vector);
    axis = mat3(view) * (vector / length_);
    float own = radius > 0.0 ? radius : slimness * length_;
    shaft = max(own, least_radius(tail));
    head = min(head_length * shaft, 0.5 * length_);
    item = item_color(gl_InstanceID);
    gl_Position = box_corner(tail, axis, vec2(0.0, length_), head_radius * shaft);
    if (!(length_ > 0.0)) gl_Position = nowhere; // NaN is none either
}
