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
    Hit hit = no_hit(), cone = no_hit();
    float neck = length_ - head, wide = head_radius * shaft;
    vec3 base = tail + neck * axis;
    take_side(hit, along, tail, axis, vec2(0.0, neck), shaft, 0.0);
    take_disc(hit, along, tail, -axis, shaft);
#if defined(CLIPPED)
    take_disc(hit, along, base, -axis, shaft); // the head hides it
#endif
    take_side(cone, along, tail, axis, vec2(neck, length_), wide * length_ / head, -wide / head);
    take_disc(cone, along, base, -axis, wide);
    clip(hit, along);
    clip(cone, along);
    show(nearer(hit, cone), along, item);
}
