// SPDX-License-Identifier: MIT
// A shaft with a flat end, and a cone on it.

#include "round.glsl"

flat in vec3 tail; // in eye space
flat in vec3 axis; // of length 1
flat in float length_;
flat in float head;
flat in float shaft;
flat in vec4 item;

const float head_radius = 2.6; // in radii of the shaft

void main() {
    vec3 along = ray();
    Hit hit = Hit(nowhere, vec3(0.0));
    float neck = length_ - head, wide = head_radius * shaft;
    take_side(hit, along, tail, axis, vec2(0.0, neck), shaft, 0.0);
    take_disc(hit, along, tail, -axis, shaft);
    take_side(hit, along, tail, axis, vec2(neck, length_), wide * length_ / head, -wide / head);
    take_disc(hit, along, tail + neck * axis, -axis, wide);
    show(hit, along, item);
}
