// SPDX-License-Identifier: MIT

#include "clip.glsl"
#include "seen_color.glsl"

uniform float opacity;
uniform float width;

noperspective in float across;
in float strength;
in vec4 item;
out vec4 color; // premultiplied

void main() {
#if defined(CLIPPED)
    if (is_clipped(vec4(gl_FragCoord.xyz, 1.0))) discard;
#endif
    vec4 own = seen_color(item);
    float a = own.a * opacity * strength * clamp(0.5 * width + 0.5 - abs(across), 0.0, 1.0);
    color = vec4(own.rgb * a, a);
}
