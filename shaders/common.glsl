// SPDX-License-Identifier: MIT
// From a value to a colour, as images and points share it.

layout(binding = 1) uniform sampler2D colormap; // 256 × 1

// The range is a pair: first value, 1 / (last − first). With FOUND_RANGE the device has found first
// and last value of the array, and they never came to the host.
#if defined(FOUND_RANGE)
layout(binding = 2) uniform samplerBuffer found_range;
vec2 range_found() {
    float low = texelFetch(found_range, 0).x, high = texelFetch(found_range, 1).x;
    return vec2(low, high == low ? 1e30 : 1.0 / (high - low));
}
#define value_range range_found()
#else
uniform vec2 value_range;
#endif

/// Not a number, by its bits: compilers may assume that comparisons never see one.
bool is_nan(float v) { return (floatBitsToUint(v) & 0x7fffffffu) > 0x7f800000u; }
bool is_infinite(float v) { return (floatBitsToUint(v) & 0x7fffffffu) == 0x7f800000u; }

vec3 colormap_at(float t) {
    return texelFetch(colormap, ivec2(min(int(t * 256.0), 255), 0), 0).rgb;
}

/// 0…1 within the range.
float in_range(float value) { return clamp((value - value_range.x) * value_range.y, 0.0, 1.0); }

/// What is no finite number has a colour that it shares with no value; `finite` is that of others.
vec3 color_of(float value, vec3 finite) {
    return is_nan(value) ? vec3(1.0, 0.0, 1.0) : is_infinite(value) ? vec3(0.0, 1.0, 1.0) : finite;
}
vec3 color_of(float value) { return color_of(value, colormap_at(in_range(value))); }
