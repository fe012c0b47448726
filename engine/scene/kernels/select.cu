// SPDX-License-Identifier: MIT
// What lies in a rectangle of the screen, between the planes that cut off: marks of bytes, which
// begin as 0. One thread an item.

struct SelectFrame {
    float to_clip[16];     // columns
    float low[2], high[2]; // clip x and y of the rectangle
    ClipPlanes clip;
};

__device__ bool is_within(const SelectFrame& frame, const float* p, int components) {
    const Clip c = clip_of(frame.to_clip, p, components);
    if (!(c.w > 0.0f) || !(fabsf(c.z) <= c.w)) return false;
    if (frame.clip.clips(p[0], p[1], components > 2 ? p[2] : 0.0f)) return false;
    const float x = c.x / c.w, y = c.y / c.w;
    return x >= frame.low[0] && x < frame.high[0] && y >= frame.low[1] && y < frame.high[1];
}

/// Those that are drawn: all of their `each` sizes are above 0, or, of a vector, any is not 0; null
/// where they have none.
extern "C" __global__ void mark_points(unsigned char* marks, long long count,
                                       const float* positions, const float* sizes, int components,
                                       int each, int is_vector, SelectFrame frame) {
    const long long at = first_item();
    if (at >= count) return;
    if (sizes) {
        float least = 1e30f, square = 0.0f;
        for (int k = 0; k < each; ++k) {
            const float size = sizes[at * each + k];
            if (size != size) return;
            least = fminf(least, size);
            if (k < 3) square += size * size;
        }
        if (!(is_vector ? square > 0.0f : least > 0.0f)) return;
    }
    marks[at] = is_within(frame, positions + at * components, components);
}

/// Segments by their middle; the mark is that of their first point.
extern "C" __global__ void mark_segments(unsigned char* marks, long long segments,
                                         const float* positions, const float* radii, Lines lines,
                                         SelectFrame frame) {
    const long long at = first_item();
    if (at >= segments) return;
    const int components = lines.components;
    const long long first = lines.begin(at);
    if (radii) {
        const float a = radii[first], b = radii[lines.end(at)];
        if (!(a >= 0.0f && b >= 0.0f && a + b > 0.0f)) return;
    }
    const float *a = positions + first * components,
                *b = positions + lines.end(at) * components;
    float middle[3] = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < components && k < 3; ++k) middle[k] = 0.5f * (a[k] + b[k]);
    marks[first] = is_within(frame, middle, components > 2 ? 3 : 2);
}

/// By the mean of the corners.
extern "C" __global__ void mark_triangles(unsigned char* marks, long long faces,
                                          const float* vertices, const unsigned* triangles,
                                          long long count, SelectFrame frame) {
    const long long at = first_item();
    if (at >= faces) return;
    const unsigned* corners = triangles + 3 * at;
    if (corners[0] >= count || corners[1] >= count || corners[2] >= count) return;
    const float *a = vertices + 3LL * corners[0], *b = vertices + 3LL * corners[1],
                *c = vertices + 3LL * corners[2];
    float middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = (a[k] + b[k] + c[k]) * (1.0f / 3.0f);
    marks[at] = is_within(frame, middle, 3);
}

/// Of a rectangle in a picture `width` wide, row by row.
extern "C" __global__ void list_elements(long long* indices, long long count, long long columns,
                                         long long first_column, long long first_row,
                                         long long width) {
    for (long long at = first_item(); at < count; at += item_step())
        indices[at] = (first_row + at / columns) * width + first_column + at % columns;
}
