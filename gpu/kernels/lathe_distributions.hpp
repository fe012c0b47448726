// SPDX-License-Identifier: MIT
// Distributions by the blocks of lathe_random.hpp's counter, arrays of them, and orders. An element
// takes one position; which blocks and words are its own follows from that and from the type.
#pragma once
#include <lathe_half.hpp>
#include <lathe_random.hpp>

namespace lathe {
namespace random {

// --- What distributions are made of: Real is what they compute in, Parts the numbers of an
// element.

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
template <class T, class Real> __device__ __forceinline__ void put(T& to, const Real* parts) {
    to = T(parts[0]);
}
__device__ __forceinline__ void put(float2& to, const float* parts) {
    to = make_float2(parts[0], parts[1]);
}
__device__ __forceinline__ void put(double2& to, const double* parts) {
    to = make_double2(parts[0], parts[1]);
}

__device__ __forceinline__ double as_double(u64 bits) {
    return __longlong_as_double((long long)bits);
}

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

// From the first parameter on, as wide as the second one says: whole numbers of as many bits as the
// type has, times the width's share of one.
template <class T> struct Uniform : ByWords<T, Uniform<T>> {
    typedef typename Type<T>::Real Real;
    Real low, share;
    __device__ Uniform(u64 a, u64 b)
        : low(Real(as_double(a))),
          share(Real(as_double(b)) * one(typename Words<Real>::Word(), (const T*)0)) {}
    __device__ __forceinline__ void values(const Words<Real>& words, Real* to) const {
#pragma unroll
        for (int k = 0; k < Words<Real>::kCount; ++k)
            to[k] = low + share * whole(words.of[k], (const T*)0);
    }
    template <class Any> static __device__ __forceinline__ float whole(unsigned x, const Any*) {
        return float(x >> 8);
    }
    template <class Any> static __device__ __forceinline__ float one(unsigned, const Any*) {
        return 5.9604644775390625e-8f;
    }
    template <class Any> static __device__ __forceinline__ double whole(u64 x, const Any*) {
        return double(x >> 11);
    }
    template <class Any> static __device__ __forceinline__ double one(u64, const Any*) {
        return 1.1102230246251565e-16;
    }
    static __device__ __forceinline__ float whole(unsigned x, const half*) {
        return float(x >> 21);
    }
    static __device__ __forceinline__ float one(unsigned, const half*) { return 4.8828125e-4f; }
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

// From `low` on, `last + 1` numbers without bias: the upper half of a product is the number, and
// the few lower halves that would favour some are drawn again. D. Lemire, "Fast Random Integer
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
    __device__ __forceinline__ unsigned number(const Sequence& sequence, u64 position,
                                               unsigned x) const {
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

// The blocks of one element, one after the other.
template <class Real> struct Attempts {
    const Sequence& sequence;
    const u64 position;
    unsigned attempt;
    int left;
    Words<Real> words;
    __device__ Attempts(const Sequence& of, u64 at)
        : sequence(of), position(at), attempt(0), left(Words<Real>::kCount),
          words(of.block(at, kOne)) {}
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

template <class Draw, class T>
__device__ void fill(T* out, u64 count, u64 position, const Sequence& sequence, const Draw& draw) {
    const int each = Draw::kEach;
    struct __align__(sizeof(T) * each < 16 ? sizeof(T) * each : 16) Group {
        T of[each];
    };
    const unsigned before =
        unsigned(position % each); // elements of the first block before `position`
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
        const unsigned left_mask = unsigned((1ull << left_bits) - 1),
                       right_mask = unsigned((1ull << right_bits) - 1);
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

__device__ inline void permutation(long long* out, u64 count, u64 position,
                                   const Sequence& sequence) {
    const Shuffle shuffle(sequence, position, count);
    const u64 step = u64(gridDim.x) * blockDim.x;
    for (u64 k = u64(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += step)
        out[k] = (long long)shuffle(k);
}

// Rows of `words` each, in the order of `from`.
template <class Word>
__device__ void take_rows(Word* out, const Word* in, const long long* from, u64 rows, u64 words) {
    const u64 step = u64(gridDim.x) * blockDim.x, count = rows * words;
    for (u64 k = u64(blockIdx.x) * blockDim.x + threadIdx.x; k < count; k += step) {
        const u64 row = k / words;
        out[k] = in[u64(from[row]) * words + (k - row * words)];
    }
}

} // namespace random
} // namespace lathe
