// SPDX-License-Identifier: MIT
// What random programs (program.h) begin with, as CUDA and as C++: names of types, and operations
// that are defined for all operands in both and give the same bits.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;

#ifdef __CUDACC__
#define FN static __device__
#define TABLE static __constant__ const
#define UNROLL_NO _Pragma("unroll 1")
#else
#include <cmath>
#include <cstring>
#define FN static
#define TABLE static const
#define UNROLL_NO
#define __noinline__ __attribute__((noinline))
#endif

// W is the unsigned type that T's sums wrap around in.
template <class T, class W> FN T neg_(T a) { return (T)((W)0 - (W)a); }
template <class T, class W> FN T div_(T a, T b) {
    if (b == (T)0) return (T)7;
    if ((T)-1 < (T)0 && b == (T)-1) return neg_<T, W>(a);
    return (T)(a / b);
}
template <class T, class W> FN T rem_(T a, T b) {
    if (b == (T)0) return a;
    if ((T)-1 < (T)0 && b == (T)-1) return (T)0;
    return (T)(a % b);
}
// The same where they are long, as calls.
template <class T, class W> FN __noinline__ T far_div_(T a, T b) { return div_<T, W>(a, b); }
template <class T, class W> FN __noinline__ T far_rem_(T a, T b) { return rem_<T, W>(a, b); }
template <class T, class W> FN T abs_(T a) { return a < (T)0 ? neg_<T, W>(a) : a; }
// The sum, since NVRTC makes `a < 0.0 ? a : 0.0` an instruction to which -0 is less than 0.
template <class T> FN T min_(T a, T b) { return (T)((a < b ? a : b) + (T)0); }
template <class T> FN T max_(T a, T b) { return (T)((a > b ? a : b) + (T)0); }
template <class T, class W> FN T shl_(T a, u32 n) { return (T)((W)a << (n & (8 * sizeof(T) - 1))); }
template <class T> FN T shr_(T a, u32 n) { return (T)(a >> (n & (8 * sizeof(T) - 1))); }
template <class T> FN T rotl_(T a, u32 n) { // of an unsigned type
    n &= 8 * sizeof(T) - 1;
    return n ? (T)((T)(a << n) | (T)(a >> (8 * sizeof(T) - n))) : a;
}
// Towards zero where the result is in range.
template <class T, class F> FN T to_(F x) {
    const bool is_signed = (T)-1 < (T)0;
    F limit = 1;
    for (u32 k = 0; k < 8 * sizeof(T) - (is_signed ? 1 : 0); ++k) limit *= 2;
    return x < limit && x >= (is_signed ? -limit : (F)0) ? (T)x : (T)5;
}template <class T, class F> FN __noinline__ T far_to_(F x) { return to_<T>(x); }

// Whose sign a NaN has is open.
template <class F> FN F number_(F x) { return x == x ? x : (F)0; }

template <class T, class S> FN T bits_(S x) {
    T to;
    memcpy(&to, &x, sizeof to);
    return to;
}
FN f32 sign_(f32 x, f32 y) { return copysignf(x, number_(y)); }
FN f64 sign_(f64 x, f64 y) { return copysign(x, number_(y)); }
FN f32 root_(f32 x) { return sqrtf(x); }
FN f64 root_(f64 x) { return sqrt(x); }
FN f32 fused_(f32 x, f32 y, f32 z) { return fmaf(x, y, z); }
FN f64 fused_(f64 x, f64 y, f64 z) { return fma(x, y, z); }
FN f32 round_(f32 x, u32 how) {
    switch (how & 3) {
    case 0: return floorf(x);
    case 1: return ceilf(x);
    case 2: return truncf(x);
    default: return rintf(x);
    }
}
FN f64 round_(f64 x, u32 how) {
    switch (how & 3) {
    case 0: return floor(x);
    case 1: return ceil(x);
    case 2: return trunc(x);
    default: return rint(x);
    }
}
FN f32 mod_(f32 x, f32 y) { return fmodf(x, y); }
FN f64 mod_(f64 x, f64 y) { return fmod(x, y); }
template <class F> FN __noinline__ F far_mod_(F x, F y) { return mod_(x, y); }

// Instructions that C++ has no operator for.
#ifdef __CUDACC__
FN u32 popc_(u32 x) { return __popc(x); }
FN u32 popc_(u64 x) { return __popcll(x); }
FN u32 clz_(u32 x) { return __clz(x); }
FN u32 clz_(u64 x) { return __clzll(x); }
FN u32 ffs_(u32 x) { return __ffs(x); }
FN u32 ffs_(u64 x) { return __ffsll(x); }
FN u32 brev_(u32 x) { return __brev(x); }
FN u64 brev_(u64 x) { return __brevll(x); }
FN u32 mulhi_(u32 x, u32 y) { return __umulhi(x, y); }
FN i32 mulhi_(i32 x, i32 y) { return __mulhi(x, y); }
FN u64 mulhi_(u64 x, u64 y) { return __umul64hi(x, y); }
FN i64 mulhi_(i64 x, i64 y) { return __mul64hi(x, y); }
FN u32 bytes_(u32 x, u32 y, u32 s) { return __byte_perm(x, y, s); }
FN u32 funnel_(u32 low, u32 high, u32 n) { return __funnelshift_l(low, high, n); }
FN u32 funnel_right_(u32 low, u32 high, u32 n) { return __funnelshift_rc(low, high, n); }
FN u32 distance_(u32 x, u32 y, u32 z) { return __usad(x, y, z); }
FN u32 distance_(i32 x, i32 y, u32 z) { return __sad(x, y, z); }
FN i32 middle_(i32 x, i32 y) { return __hadd(x, y); }
FN u32 middle_(u32 x, u32 y) { return __urhadd(x, y); }
FN i32 dot_(i32 x, i32 y, i32 z) { return __dp4a(x, y, z); }
FN u32 dot_(u32 x, u32 y, u32 z) { return __dp4a(x, y, z); }
#else
FN u32 popc_(u32 x) { return __builtin_popcount(x); }
FN u32 popc_(u64 x) { return __builtin_popcountll(x); }
FN u32 clz_(u32 x) { return x ? __builtin_clz(x) : 32; }
FN u32 clz_(u64 x) { return x ? __builtin_clzll(x) : 64; }
FN u32 ffs_(u32 x) { return __builtin_ffs((i32)x); }
FN u32 ffs_(u64 x) { return __builtin_ffsll((i64)x); }
template <class T> FN T reversed(T x) {
    T r = 0;
    for (u32 k = 0; k < 8 * sizeof(T); ++k) r = (T)(r << 1 | (x >> k & 1));
    return r;
}
FN u32 brev_(u32 x) { return reversed(x); }
FN u64 brev_(u64 x) { return reversed(x); }
FN u32 mulhi_(u32 x, u32 y) { return (u32)((u64)x * y >> 32); }
FN i32 mulhi_(i32 x, i32 y) { return (i32)((i64)x * y >> 32); }
FN u64 mulhi_(u64 x, u64 y) { return (u64)((u128)x * y >> 64); }
FN i64 mulhi_(i64 x, i64 y) { return (i64)((i128)x * y >> 64); }
FN u32 bytes_(u32 x, u32 y, u32 s) {
    u32 r = 0;
    for (u32 k = 0; k < 4; ++k) r |= (u32)(((u64)y << 32 | x) >> (8 * (s >> 4 * k & 7)) & 255) << 8 * k;
    return r;
}
FN u32 funnel_(u32 low, u32 high, u32 n) { return (u32)(((u64)high << 32 | low) << (n & 31) >> 32); }
FN u32 funnel_right_(u32 low, u32 high, u32 n) { return (u32)(((u64)high << 32 | low) >> min_<u32>(n, 32)); }
FN u32 distance_(u32 x, u32 y, u32 z) { return (x < y ? y - x : x - y) + z; }
FN u32 distance_(i32 x, i32 y, u32 z) { return (x < y ? (u32)y - (u32)x : (u32)x - (u32)y) + z; }
FN i32 middle_(i32 x, i32 y) { return (i32)(((i64)x + y) >> 1); }
FN u32 middle_(u32 x, u32 y) { return (u32)(((u64)x + y + 1) >> 1); }
FN i32 dot_(i32 x, i32 y, i32 z) {
    for (u32 k = 0; k < 4; ++k) z = (i32)((u32)z + (u32)((i32)(i8)((u32)x >> 8 * k) * (i8)((u32)y >> 8 * k)));
    return z;
}
FN u32 dot_(u32 x, u32 y, u32 z) {
    for (u32 k = 0; k < 4; ++k) z += (x >> 8 * k & 255) * (y >> 8 * k & 255);
    return z;
}
#endif

// What a program tells: 16 sums, into which each value goes in its turn.
FN void put_(u64* out, u32 at, u64 value) { out[at % 16] = out[at % 16] * 0x9e3779b97f4a7c15ull + value; }
FN void tell(u64* out, u32 at, bool x) { put_(out, at, x ? 1 : 0); }
FN void tell(u64* out, u32 at, i8 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, u8 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, i16 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, u16 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, i32 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, u32 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, i64 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, u64 x) { put_(out, at, (u64)x); }
FN void tell(u64* out, u32 at, u128 x) {
    put_(out, at, (u64)x);
    put_(out, at, (u64)(x >> 64));
}
FN void tell(u64* out, u32 at, i128 x) { tell(out, at, (u128)x); }
FN void tell(u64* out, u32 at, f32 x) { put_(out, at, x == x ? bits_<u32>(x) : 0x7fffffff); }
FN void tell(u64* out, u32 at, f64 x) { put_(out, at, x == x ? bits_<u64>(x) : 0x7fffffff); }
