// SPDX-License-Identifier: MIT
// float16 as arrays keep it: two bytes that become a float to be computed with. The toolkit's own
// header has the arithmetic of pairs, and takes a fifth of a second to compile.
#pragma once

namespace lathe {

struct half {
    unsigned short bits;

    half() = default;
    __device__ __forceinline__ half(float value) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    }
    // Rounded once: a double goes by way of float, whose last bit takes what was cut off.
    __device__ __forceinline__ half(double value) : half(round_to_odd(value)) {}
    template <class Integer>
    __device__ __forceinline__ explicit half(Integer value) : half(double(value)) {}

    __device__ __forceinline__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }

private:
    static __device__ __forceinline__ float round_to_odd(double value) {
        const float near = __double2float_rz(value);
        const bool exact = double(near) == value || value != value;
        return exact ? near : __int_as_float(__float_as_int(near) | 1);
    }
};

__device__ __forceinline__ half half_of_bits(int bits) {
    half made;
    made.bits = (unsigned short)bits;
    return made;
}
// One step in the order of float16 itself.
__device__ __forceinline__ half next_after(half a, half b) {
    const float x = a, y = b;
    if (x != x || y != y) return half(x + y);
    if (x == y) return b;
    if (x == 0) return half_of_bits(y > 0 ? 1 : 0x8001);
    return half_of_bits((x < y) == (x > 0) ? a.bits + 1 : a.bits - 1);
}
__device__ __forceinline__ float spacing(half a) {
    const float x = a;
    if (x - x != 0) return x - x;
    const half size = half_of_bits(a.bits & 0x7fff);
    return ::copysignf(float(half_of_bits(size.bits + 1)) - float(size), x);
}

} // namespace lathe
