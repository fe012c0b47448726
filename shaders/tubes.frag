// SPDX-License-Identifier: MIT
// A segment of a tube: a ball at each end, and the cone that touches both.

#include "round.glsl"

flat in vec3 begin; // in eye space
flat in vec3 end;
flat in vec2 ends_radii;
flat in vec4 begin_item;
flat in vec4 end_item;

void main() {
    vec3 along = ray();
    Hit hit = no_hit();
    take_sphere(hit, along, begin, ends_radii.x);
    take_sphere(hit, along, end, ends_radii.y);
    float length = distance(begin, end);
    float sine = (ends_radii.x - ends_radii.y) / length; // of the angle of side and axis
    vec3 axis = (end - begin) / length;
    if (abs(sine) < 1.0) { // neither ball holds the other
        float cosine = sqrt(1.0 - sine * sine);
        take_side(hit, along, begin, axis, vec2(0.0, length) + sine * ends_radii,
                  ends_radii.x / cosine, -sine / cosine);
    }
    clip(hit, along);
    float height = length > 0.0 ? dot(place + hit.t * along - begin, axis) / length : 0.0;
    show(hit, along, mix(begin_item, end_item, clamp(height, 0.0, 1.0)));
}
