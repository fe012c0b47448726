// SPDX-License-Identifier: MIT
// Random numbers by position: number k of a sequence follows from key, sequence and k alone, so
// that no state is kept and any launch gives the same. Philox4x32-10: J. Salmon, M. Moraes, R.
// Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Generators that keep a
// state, as PyCUDA's classes have, are in lathe_generators.hpp.
//
// A block of Philox has 128 bits and its counter four words: the first two number the block, the
// third is the sequence, the fourth says what the block is for (Use), so that no two uses share
// bits.
#pragma once

namespace lathe {
namespace random {

typedef unsigned long long u64;

// One instruction for both halves of the product, which compilers do not make of two expressions,
// nor of a product of 64 bits once they have widened what surrounds it.
__device__ __forceinline__ void multiply(unsigned a, unsigned b, unsigned& low, unsigned& high) {
    asm("{ .reg .b64 product; mul.wide.u32 product, %2, %3; mov.b64 {%0, %1}, product; }"
        : "=r"(low), "=r"(high)
        : "r"(a), "r"(b));
}

__device__ __forceinline__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        unsigned low0, high0, low1, high1;
        multiply(0xD2511F53u, counter.x, low0, high0);
        multiply(0xCD9E8D57u, counter.z, low1, high1);
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

// The number in front is that of the elements that a block is for.
enum Use : unsigned { kFour = 0u << 24, kTwo = 1u << 24, kOne = 2u << 24, kMore = 3u << 24 };

struct Sequence {
    uint2 key;
    unsigned number;

    __device__ Sequence(u64 seed, unsigned sequence)
        : key(make_uint2(unsigned(seed), unsigned(seed >> 32))), number(sequence) {}
    // `attempt` below 2^24 counts the blocks of one element, where one may not be enough.
    __device__ __forceinline__ uint4 block(u64 index, unsigned use, unsigned attempt = 0) const {
        return philox(make_uint4(unsigned(index), unsigned(index >> 32), number, use | attempt),
                      key);
    }
};

// --- Bits to numbers

__device__ __forceinline__ u64 join(unsigned low, unsigned high) { return u64(high) << 32 | low; }
// [0, 1): as many bits as the type has.
__device__ __forceinline__ float unit(unsigned x) { return float(x >> 8) * 5.9604644775390625e-8f; }
__device__ __forceinline__ double unit(u64 x) { return double(x >> 11) * 1.1102230246251565e-16; }
// (0, 1]: the middles of 2^32 and 2^53 equal parts, rounded; cuRAND's convention.
__device__ __forceinline__ float above_zero(unsigned x) {
    return float(x) * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
}
__device__ __forceinline__ double above_zero(u64 x) {
    return double(x >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
// -log of the same, with 32 bits at both ends.
__device__ __forceinline__ float minus_log(unsigned x) {
    return int(x) < 0 ? -::log1pf(-above_zero(~x)) : -::logf(above_zero(x));
}
__device__ __forceinline__ double minus_log(u64 x) { return -::log(above_zero(x)); }

// G. Box, M. Muller, 1958. In float up to 6.76 from the mean, in double up to 8.65.
__device__ __forceinline__ float2 normal_pair(unsigned x, unsigned y) {
    const float radius = ::sqrtf(-2 * ::logf(above_zero(x)));
    float sine, cosine;
    ::sincospif(float(y) * 4.6566128730773926e-10f, &sine, &cosine);
    return make_float2(radius * cosine, radius * sine);
}
__device__ __forceinline__ double2 normal_pair(u64 x, u64 y) {
    const double radius = ::sqrt(-2 * ::log(above_zero(x)));
    double sine, cosine;
    ::sincospi(2 * unit(y), &sine, &cosine);
    return make_double2(radius * cosine, radius * sine);
}

// --- Poisson numbers, of a source whose `next()` gives uniform doubles in (0, 1].
// Below a mean of 10 the distribution's sums are searched, above it PTRS: W. Hoermann, "The
// transformed rejection method for generating Poisson random variables", 1993.
class Poisson {
public:
    __device__ explicit Poisson(double mean) : mean_(mean) {
        if (mean_ < 10) {
            zero_ = ::exp(-mean_);
            return;
        }
        log_mean_ = ::log(mean_);
        b_ = 0.931 + 2.53 * ::sqrt(mean_);
        a_ = -0.059 + 0.02483 * b_;
        log_inverse_alpha_ = ::log(1.1239 + 1.1328 / (b_ - 3.4));
        squeeze_ = 0.9277 - 3.6224 / (b_ - 2);
    }
    template <class Source> __device__ double operator()(Source& source) const {
        if (!(mean_ > 0)) return 0;
        return mean_ < 10 ? search(1 - source.next()) : reject(source);
    }
    // By one number from [0, 1), for means below 700. What rounding leaves of it ends nowhere.
    __device__ double search(double u) const {
        double chance = mean_ < 10 ? zero_ : ::exp(-mean_), k = 0;
        while (u >= chance && (k < mean_ || chance > 1e-18)) {
            u -= chance;
            k += 1;
            chance *= mean_ / k;
        }
        return k;
    }

private:
    template <class Source> __device__ double reject(Source& source) const {
        for (;;) {
            const double u = source.next() - 0.5, v = source.next(), edge = 0.5 - ::fabs(u);
            const double k = ::floor((2 * a_ / edge + b_) * u + mean_ + 0.43);
            if (edge >= 0.07 && v <= squeeze_) return k;
            if (k < 0 || (edge < 0.013 && v > edge)) continue;
            if (::log(v) + log_inverse_alpha_ - ::log(a_ / (edge * edge) + b_) <=
                k * log_mean_ - mean_ - ::lgamma(k + 1))
                return k;
        }
    }
    double mean_, zero_, log_mean_, a_, b_, log_inverse_alpha_, squeeze_;
};

} // namespace random
} // namespace lathe
