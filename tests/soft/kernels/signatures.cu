// SPDX-License-Identifier: MIT
// Parameters of every kind, for the reader of kernel signatures.
typedef float Real;
enum Mode { mode_off, mode_on = 5, mode_negative = -2 };
enum class Level : unsigned char { low, high = 200 };
struct Inner {
    short a;
    const double* p;
};
struct Settings {
    float feed, kill;
    int counts[3];
    Inner inner;
    float4 color;
    Mode mode;
};
union Bits {
    float f;
    unsigned u;
};

extern "C" __global__ void step(const Real* __restrict__ in, Real* out, Settings settings, Mode mode, bool flag,
                                unsigned char small, long long big, double factor, int n, const float3* points, Level level,
                                void* opaque, const Settings* many, Real scale, Bits bits) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flag && mode == mode_on)
        out[i] = in[i] * settings.feed * factor + small + big + points[i].x + int(level) + many->kill + scale + bits.f + (opaque != nullptr);
}

template <class T, int N> struct Pack {
    T items[N];
};
namespace sim {
template <class T> __global__ void scale(T* values, Pack<T, 4> by, int count) {
    if (threadIdx.x < count) values[threadIdx.x] *= by.items[threadIdx.x % 4];
}
template __global__ void scale<double>(double*, Pack<double, 4>, int);
} // namespace sim

__global__ void nothing() {}
