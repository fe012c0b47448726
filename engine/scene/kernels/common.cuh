// SPDX-License-Identifier: MIT
// What the kernels of this folder share; it stands before each of them.

__device__ __forceinline__ bool is_finite(float x) {
    return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

/// Whole numbers in the order of the floats, for atomicMin and atomicMax.
__device__ __forceinline__ unsigned ordered(float x) {
    const unsigned bits = __float_as_uint(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

struct Clip {
    float x, y, z, w;
};

/// Of a place with two or more components; `m`: columns of the matrix.
__device__ __forceinline__ Clip clip_of(const float* m, const float* p, int components) {
    const float x = p[0], y = p[1], z = components > 2 ? p[2] : 0.0f;
    return {m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13],
            m[2] * x + m[6] * y + m[10] * z + m[14], m[3] * x + m[7] * y + m[11] * z + m[15]};
}

/// Of a loop over the grid.
__device__ __forceinline__ long long first_item() {
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long item_step() { return (long long)gridDim.x * blockDim.x; }

/// Segments by number, as shaders/polyline.glsl has them.
struct Lines {
    long long points_a_line, segments_a_line;
    int components, step;

    __device__ long long begin(long long segment) const {
        return segment / segments_a_line * points_a_line + segment % segments_a_line * step;
    }
    __device__ long long end(long long segment) const {
        const long long first = segment / segments_a_line * points_a_line;
        return first + (segment % segments_a_line * step + 1) % points_a_line;
    }
};

/// Planes of the world, or of what a kernel counts in; what stays has no negative distance from any
/// of them (engine/render/clip_planes.h).
struct ClipPlanes {
    float planes[8][4];
    int count;

    __device__ __forceinline__ bool clips(float x, float y, float z) const {
        for (int i = 0; i < count; ++i)
            if (planes[i][0] * x + planes[i][1] * y + planes[i][2] * z + planes[i][3] < 0.0f)
                return true;
        return false;
    }
};

/// The part of a ray that stays, and the plane at its begin; -1: none.
struct KeptRay {
    float begin, end;
    int plane;

    __device__ __forceinline__ KeptRay(const ClipPlanes& clip, const float* from,
                                       const float* along)
        : begin(-1e30f), end(1e30f), plane(-1) {
        for (int i = 0; i < clip.count; ++i) {
            const float* p = clip.planes[i];
            const float height = p[0] * from[0] + p[1] * from[1] + p[2] * from[2] + p[3];
            const float climb = p[0] * along[0] + p[1] * along[1] + p[2] * along[2];
            const float there = -height / climb;
            if (climb > 0.0f && there > begin) {
                begin = there;
                plane = i;
            } else if (climb < 0.0f) end = fminf(end, there);
            else if (climb == 0.0f && height < 0.0f) end = -1e30f;
        }
    }
};

/// Of the disc that a cut ball shows, on a ray: the depth, in the ray's units. Discs of balls that
/// overlap have a border, since a nearer middle stands out more. `square`: of the distance from the
/// middle; `first`: where the ray would meet the whole ball.
__device__ __forceinline__ float cut_of_ball(float begin, float first, float square,
                                             float radius) {
    constexpr float kCutHeight = 0.03f; // of the radius, in the middle
    return fmaxf(begin - kCutHeight * fmaxf(radius - square / radius, 0.0f), first);
}
