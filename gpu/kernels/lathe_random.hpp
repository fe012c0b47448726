// SPDX-License-Identifier: MIT
// Random numbers by position: number k of a sequence follows from key, sequence and k alone, so that
// no state is kept and any launch gives the same. Philox4x32-10: J. Salmon, M. Moraes, R. Dror,
// D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. Generators that keep a state, as
// PyCUDA's classes have, are in lathe_generators.hpp.
//
// A block of Philox has 128 bits and its counter four words: the first two number the block, the
// third is the sequence, the fourth says what the block is for (Use), so that no two uses share bits.
#pragma once
#include <lathe_half.hpp>

namespace lathe {
namespace random {

typedef unsigned long long u64;

// One instruction for both halves of the product, which compilers do not make of two expressions,
// nor of a product of 64 bits once they have widened what surrounds it.
__device__ __forceinline__ void multiply(unsigned a, unsigned b, unsigned& low, unsigned& high) {
    asm("{ .reg .b64 product; mul.wide.u32 product, %2, %3; mov.b64 {%0, %1}, product; }"
        : "=r"(low), "=r"(high) : "r"(a), "r"(b));
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
        return philox(make_uint4(unsigned(index), unsigned(index >> 32), number, use | attempt), key);
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

// --- What distributions are made of: Real is what they compute in, Parts the numbers of an element.

template <class T> struct Type {
    typedef float Real;
    enum { kParts = 1 };
};
template <> struct Type<double> {
    typedef double Real;
    enum { kParts = 1 };
};
template <> struct Type<float2> {
    typedef float Real;
    enum { kParts = 2 };
};
template <> struct Type<double2> {
    typedef double Real;
    enum { kParts = 2 };
};

// The four words of a block as numbers: four for float, two for double.
template <class Real> struct Words;
template <> struct Words<float> {
    enum { kCount = 4 };
    typedef unsigned Word;
    unsigned of[4];
    __device__ __forceinline__ explicit Words(uint4 b) : of{b.x, b.y, b.z, b.w} {}
};
template <> struct Words<double> {
    enum { kCount = 2 };
    typedef u64 Word;
    u64 of[2];
    __device__ __forceinline__ explicit Words(uint4 b) : of{join(b.x, b.y), join(b.z, b.w)} {}
};

__device__ __forceinline__ constexpr unsigned use_of(int each) {
    return each == 4 ? kFour : each == 2 ? kTwo : kOne;
}

// Values as they lie in memory: those of half are rounded, those of complex numbers go in pairs.
template <class T, class Real> __device__ __forceinline__ void put(T& to, const Real* parts) { to = T(parts[0]); }
__device__ __forceinline__ void put(float2& to, const float* parts) { to = make_float2(parts[0], parts[1]); }
__device__ __forceinline__ void put(double2& to, const double* parts) { to = make_double2(parts[0], parts[1]); }

__device__ __forceinline__ double as_double(u64 bits) { return __longlong_as_double((long long)bits); }

// --- Distributions. Each has two parameters, given as 64 bits each, and makes kEach elements of
// one block: `of(sequence, index, to)`.

// Those whose numbers follow from one word of the block each.
template <class T, class Self> struct ByWords {
    typedef typename Type<T>::Real Real;
    enum { kParts = Type<T>::kParts, kEach = Words<Real>::kCount / kParts };
    __device__ __forceinline__ void of(const Sequence& sequence, u64 index, T* to) const {
        const Words<Real> words(sequence.block(index, use_of(kEach)));
        Real values[kEach * kParts];
        static_cast<const Self*>(this)->values(words, values);
#pragma unroll
        for (int k = 0; k < kEach; ++k) put(to[k], values + k * kParts);
    }
};

// From the first parameter on, as wide as the second one says.
template <class T> struct Uniform : ByWords<T, Uniform<T>> {
    typedef typename Type<T>::Real Real;
    Real low, width;
    __device__ Uniform(u64 a, u64 b) : low(Real(as_double(a))), width(Real(as_double(b))) {}
    __device__ __forceinline__ void values(const Words<Real>& words, Real* to) const {
#pragma unroll
        for (int k = 0; k < Words<Real>::kCount; ++k) to[k] = low + width * part(words.of[k], (const T*)0);
    }
    template <class Word, class Any> static __device__ __forceinline__ Real part(Word x, const Any*) { return unit(x); }
    static __device__ __forceinline__ float part(unsigned x, const half*) { return float(x >> 21) * 4.8828125e-4f; }
};
template <class T> struct AboveZero : ByWords<T, AboveZero<T>> {
    typedef typename Type<T>::Real Real;
    __device__ AboveZero(u64, u64) {}
    __device__ __forceinline__ void values(const Words<Real>& words, Real* to) const {
#pragma unroll
        for (int k = 0; k < Words<Real>::kCount; ++k) to[k] = above_zero(words.of[k]);
    }
};
template <class T> struct Exponential : ByWords<T, Exponential<T>> {
    typedef typename Type<T>::Real Real;
    Real scale;
    __device__ Exponential(u64 a, u64) : scale(Real(as_double(a))) {}
    __device__ __forceinline__ void values(const Words<Real>& words, Real* to) const {
#pragma unroll
        for (int k = 0; k < Words<Real>::kCount; ++k) to[k] = scale * minus_log(words.of[k]);
    }
};
template <class T> struct Normal : ByWords<T, Normal<T>> {
    typedef typename Type<T>::Real Real;
    Real mean, deviation;
    __device__ Normal(u64 a, u64 b) : mean(Real(as_double(a))), deviation(Real(as_double(b))) {}
    __device__ __forceinline__ void values(const Words<Real>& words, Real* to) const {
        // Of a complex number the parts share the variance; the mean is the real part's.
        const Real size = Type<T>::kParts == 2 ? deviation * Real(0.70710678118654752) : deviation;
#pragma unroll
        for (int k = 0; k < Words<Real>::kCount; k += 2) {
            const auto pair = normal_pair(words.of[k], words.of[k + 1]);
            to[k] = mean + size * pair.x;
            to[k + 1] = (Type<T>::kParts == 2 ? 0 : mean) + size * pair.y;
        }
    }
};
template <class T> struct LogNormal : ByWords<T, LogNormal<T>> {
    typedef typename Type<T>::Real Real;
    Real mean, deviation;
    __device__ LogNormal(u64 a, u64 b) : mean(Real(as_double(a))), deviation(Real(as_double(b))) {}
    __device__ __forceinline__ void values(const Words<Real>& words, Real* to) const {
#pragma unroll
        for (int k = 0; k < Words<Real>::kCount; k += 2) {
            const auto pair = normal_pair(words.of[k], words.of[k + 1]);
            to[k] = ::exp(mean + deviation * pair.x);
            to[k + 1] = ::exp(mean + deviation * pair.y);
        }
    }
};

// From `low` on, `last + 1` numbers without bias: the upper half of a product is the number, and the
// few lower halves that would favour some are drawn again. D. Lemire, "Fast Random Integer
// Generation in an Interval", ACM TOMACS 29, 2019. Ranges up to 2^32 take 32 bits, others 64.
template <class T> struct Integers {
    enum { kEach = 4 };
    u64 low;
    unsigned range, threshold; // 0: all 2^32
    __device__ Integers(u64 a, u64 b) : low(a), range(unsigned(b) + 1) {
        threshold = range ? (0u - range) % range : 0;
    }
    __device__ __forceinline__ void of(const Sequence& sequence, u64 index, T* to) const {
        const Words<float> words(sequence.block(index, kFour));
#pragma unroll
        for (int k = 0; k < 4; ++k) to[k] = T(low + number(sequence, index * 4 + k, words.of[k]));
    }
    __device__ __forceinline__ unsigned number(const Sequence& sequence, u64 position, unsigned x) const {
        if (range == 0) return x;
        for (unsigned attempt = 0; x * range < threshold; ++attempt)
            x = sequence.block(position, kMore, attempt).x;
        return __umulhi(x, range);
    }
};
template <class T> struct WideIntegers {
    enum { kEach = 2 };
    u64 low, range, threshold;
    __device__ WideIntegers(u64 a, u64 b) : low(a), range(b + 1) {
        threshold = range ? (0ull - range) % range : 0;
    }
    __device__ __forceinline__ void of(const Sequence& sequence, u64 index, T* to) const {
        const Words<double> words(sequence.block(index, kTwo));
#pragma unroll
        for (int k = 0; k < 2; ++k) to[k] = T(low + number(sequence, index * 2 + k, words.of[k]));
    }
    __device__ __forceinline__ u64 number(const Sequence& sequence, u64 position, u64 x) const {
        if (range == 0) return x;
        for (unsigned attempt = 0; x * range < threshold; ++attempt) {
            const uint4 more = sequence.block(position, kMore, attempt);
            x = join(more.x, more.y);
        }
        return __umul64hi(x, range);
    }
};

// The first place in `count` rising sums, the last of which is 1, that is above a uniform number.
struct Choice {
    enum { kEach = 2 };
    const double* sums;
    u64 count;
    __device__ Choice(u64 a, u64 b) : sums((const double*)a), count(b) {}
    __device__ __forceinline__ void of(const Sequence& sequence, u64 index, long long* to) const {
        const Words<double> words(sequence.block(index, kTwo));
        for (int k = 0; k < 2; ++k) {
            const double x = unit(words.of[k]);
            u64 begin = 0, left = count - 1;
            while (left) {
                const u64 half = left / 2;
                const bool after = sums[begin + half] <= x;
                begin = after ? begin + half + 1 : begin;
                left = after ? left - half - 1 : half;
            }
            to[k] = (long long)begin;
        }
    }
};

// Uniform doubles, as many as are asked for, of a source that has `next()`.
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

// The blocks of one element, one after the other.
template <class Real> struct Attempts {
    const Sequence& sequence;
    const u64 position;
    unsigned attempt;
    int left;
    Words<Real> words;
    __device__ Attempts(const Sequence& of, u64 at)
        : sequence(of), position(at), attempt(0), left(Words<Real>::kCount), words(of.block(at, kOne)) {}
    __device__ typename Words<Real>::Word bits() {
        if (left == 0) {
            words = Words<Real>(sequence.block(position, kOne, ++attempt));
            left = Words<Real>::kCount;
        }
        const typename Words<Real>::Word first = words.of[0];
#pragma unroll
        for (int k = 1; k < Words<Real>::kCount; ++k) words.of[k - 1] = words.of[k]; // in registers
        --left;
        return first;
    }
    __device__ Real next() { return above_zero(bits()); }
    __device__ Real normal() {
        const auto x = bits(), y = bits();
        return normal_pair(x, y).x;
    }
};

template <class T> struct PoissonOf {
    enum { kEach = 1 };
    Poisson poisson;
    __device__ PoissonOf(u64 a, u64) : poisson(as_double(a)) {}
    __device__ __forceinline__ void of(const Sequence& sequence, u64 index, T* to) const {
        Attempts<double> source(sequence, index);
        to[0] = T(poisson(source));
    }
};

// G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000;
// shapes below 1 by that of one more and a power of a uniform number (section 6 there).
template <class T> struct Gamma {
    typedef typename Type<T>::Real Real;
    enum { kEach = 1 };
    Real shape, scale, d, c;
    __device__ Gamma(u64 a, u64 b) : shape(Real(as_double(a))), scale(Real(as_double(b))) {
        d = (shape < 1 ? shape + 1 : shape) - Real(1) / 3;
        c = 1 / ::sqrt(9 * d);
    }
    __device__ __forceinline__ void of(const Sequence& sequence, u64 index, T* to) const {
        Attempts<Real> source(sequence, index);
        Real value = shape > 0 ? d * scale * cube(source) : shape * 0;
        if (shape > 0 && shape < 1) value *= ::pow(source.next(), 1 / shape);
        to[0] = T(value);
    }

private:
    __device__ Real cube(Attempts<Real>& source) const {
        for (;;) {
            const Real x = source.normal(), root = 1 + c * x, v = root * root * root;
            if (!(root > 0)) continue;
            const Real u = source.next();
            if (u < 1 - Real(0.0331) * x * x * x * x) return v;
            if (::log(u) < x * x / 2 + d * (1 - v + ::log(v))) return v;
        }
    }
};

// --- Arrays: elements at `position` and on, one after the other. Groups of one block are written
// at once where they lie so; any grid.

template <class Draw, class T> __device__ void fill(T* out, u64 count, u64 position, const Sequence& sequence, const Draw& draw) {
    const int each = Draw::kEach;
    struct __align__(sizeof(T) * each < 16 ? sizeof(T) * each : 16) Group { T of[each]; };
    const unsigned before = unsigned(position % each); // elements of the first block before `position`
    const u64 first = position / each, blocks = (before + count + each - 1) / each;
    const u64 step = u64(gridDim.x) * blockDim.x;
    const bool together = before == 0 && u64(out) % alignof(Group) == 0;
    for (u64 b = u64(blockIdx.x) * blockDim.x + threadIdx.x; b < blocks; b += step) {
        Group group;
        draw.of(sequence, first + b, group.of);
        const u64 at = b * each - before; // beyond all counts where it would be negative
        if (together && at + each <= count) {
            *(Group*)(out + at) = group;
        } else {
#pragma unroll
            for (int k = 0; k < each; ++k)
                if (at + k < count) out[at + k] = group.of[k];
        }
    }
}

// --- Permutations: a cipher of as many bits as the count needs, walked until the number is below
// the count; each number is met once. An alternating Feistel network in the manner of R. Mitchell,
// D. Stokes, E. Frank, G. Holmes, "Bandwidth-Optimal Random Shuffling for GPUs", ACM TOPC 9, 2022.
struct Shuffle {
    enum { kRounds = 24 };
    u64 count;
    unsigned left_bits, right_bits;
    unsigned keys[kRounds];
    __device__ Shuffle(const Sequence& sequence, u64 position, u64 elements) : count(elements) {
        const unsigned bits = elements < 4 ? 2 : 64 - __clzll((long long)(elements - 1));
        left_bits = bits / 2;
        right_bits = bits - left_bits;
#pragma unroll
        for (int k = 0; k < kRounds; k += 4) {
            const uint4 words = sequence.block(position, kMore, 0x800000u | k);
            keys[k] = words.x;
            keys[k + 1] = words.y;
            keys[k + 2] = words.z;
            keys[k + 3] = words.w;
        }
    }
    static __device__ __forceinline__ unsigned mixed(unsigned x, unsigned key) {
        u64 product = u64(x ^ key) * 0xD2511F53CD9E8D57ull + 0x9E3779B97F4A7C15ull * (key | 1u);
        product ^= product >> 29;
        product *= 0xBF58476D1CE4E5B9ull; // splitmix64's: G. Steele et al., OOPSLA 2014
        return unsigned(product >> 32);
    }
    __device__ u64 once(u64 x) const {
        const unsigned left_mask = unsigned((1ull << left_bits) - 1), right_mask = unsigned((1ull << right_bits) - 1);
        unsigned left = unsigned(x >> right_bits), right = unsigned(x) & right_mask;
#pragma unroll
        for (int k = 0; k < kRounds; k += 2) {
            left ^= mixed(right, keys[k]) & left_mask;
            right ^= mixed(left, keys[k + 1]) & right_mask;
        }
        return u64(left) << right_bits | right;
    }
    __device__ u64 operator()(u64 x) const {
        do x = once(x);
        while (x >= count);
        return x;
    }
};

__device__ inline void permutation(long long* out, u64 count, u64 position, const Sequence& sequence) {
    const Shuffle shuffle(sequence, position, count);
    const u64 step = u64(gridDim.x) * blockDim.x;
    for (u64 k = u64(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += step) out[k] = (long long)shuffle(k);
}

// Rows of `words` each, in the order of `from`.
template <class Word> __device__ void take_rows(Word* out, const Word* in, const long long* from, u64 rows, u64 words) {
    const u64 step = u64(gridDim.x) * blockDim.x, count = rows * words;
    for (u64 k = u64(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += step) {
        const u64 row = k / words;
        out[k] = in[u64(from[row]) * words + (k - row * words)];
    }
}

} // namespace random
} // namespace lathe
