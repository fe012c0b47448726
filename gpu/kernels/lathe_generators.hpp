// SPDX-License-Identifier: MIT
// Generators that keep a state, with the seeds and sequences of cuRAND's device generators (CUDA
// Toolkit documentation, cuRAND, section 3; checked against them in tests/python), so that programs
// get the same numbers. XORWOW: G. Marsaglia, "Xorshift RNGs", J. Stat. Soft. 8 (14), 2003.
// MRG32k3a: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive
// random number generators", Operations Research 47 (1), 1999. Sobol: P. Bratley, B. Fox,
// "Algorithm 659", ACM TOMS 14 (1), 1988, in the order of Gray's code.
//
// Skipping needs powers of transition matrices: tables that `curandom_tables` computes.
#pragma once
#include <lathe_random.hpp>

namespace lathe {
namespace random {

// --- XORWOW: x_n of five words, and a counter d. A table has, for each bit k of a count, the
// matrix of 2^k steps: 160 rows of 5 words, row i being what bit i of the words becomes.

// Normal numbers one by one, of generators that make pairs: the second one is kept.
template <class Self> struct Pairs {
    bool has_float, has_double;
    float of_float;
    double of_double;

    __device__ void forget() { has_float = has_double = false; }
    __device__ float normal() {
        has_float = !has_float;
        if (!has_float) return of_float;
        const float2 pair = static_cast<Self*>(this)->normal2();
        of_float = pair.y;
        return pair.x;
    }
    __device__ double normal_double() {
        has_double = !has_double;
        if (!has_double) return of_double;
        const double2 pair = static_cast<Self*>(this)->normal2_double();
        of_double = pair.y;
        return pair.x;
    }
    __device__ double next() { return static_cast<Self*>(this)->uniform_double(); }
    __device__ double poisson(double mean) { return Poisson(mean)(*static_cast<Self*>(this)); }
};

struct Xorwow : Pairs<Xorwow> {
    enum { kRow = 5, kMatrix = 160 * kRow };
    unsigned d, v[5];

    __device__ unsigned bits() {
        const unsigned t = v[0] ^ (v[0] >> 2);
        v[0] = v[1];
        v[1] = v[2];
        v[2] = v[3];
        v[3] = v[4];
        v[4] ^= (v[4] << 4) ^ t ^ (t << 1);
        d += 362437u;
        return d + v[4];
    }
    __device__ float uniform() { return above_zero(bits()); }
    __device__ double uniform_double() {
        const unsigned x = bits(), y = bits();
        return wide_above_zero(x, y);
    }
    static __device__ double wide_above_zero(unsigned x, unsigned y) {
        return double(u64(x) ^ u64(y) << 21) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
    }
    __device__ float2 normal2() {
        const unsigned x = bits(), y = bits();
        const float radius = ::sqrtf(-2 * ::logf(above_zero(x))),
                    step = 2.3283064e-10f * 6.2831855f;
        float2 pair;
        ::__sincosf(float(y) * step + step / 2, &pair.x, &pair.y);
        return make_float2(pair.x * radius, pair.y * radius);
    }
    __device__ double2 normal2_double() {
        const double radius = ::sqrt(-2 * ::log(uniform_double()));
        double2 pair;
        ::sincospi(2 * uniform_double(), &pair.x, &pair.y);
        return make_double2(pair.x * radius, pair.y * radius);
    }
    // `steps` of the table's unit: one number, or 2^67 numbers (a sequence).
    __device__ void jump(u64 steps, const unsigned* table) {
        for (; steps; steps >>= 1, table += kMatrix) {
            if (!(steps & 1)) continue;
            unsigned made[5] = {0, 0, 0, 0, 0};
            for (int bit = 0; bit < 160; ++bit) {
                const unsigned mask = 0u - (v[bit / 32] >> (bit % 32) & 1u);
                for (int k = 0; k < 5; ++k) made[k] ^= table[bit * kRow + k] & mask;
            }
            for (int k = 0; k < 5; ++k) v[k] = made[k];
        }
    }
    __device__ void skip(u64 numbers, const unsigned* tables) {
        jump(numbers, tables);
        d += 362437u * unsigned(numbers);
    }
    __device__ void skip_sequence(u64 sequences, const unsigned* tables) {
        jump(sequences, tables + 64 * kMatrix); // d comes round in each
    }
    __device__ void seed(u64 seed, u64 sequence, u64 offset, const unsigned* tables) {
        const unsigned t0 = 1099087573u * (unsigned(seed) ^ 0xaad26b49u);
        const unsigned t1 = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
        d = 6615241u + t1 + t0;
        v[0] = 123456789u + t0;
        v[1] = 362436069u ^ t0;
        v[2] = 521288629u + t1;
        v[3] = 88675123u ^ t1;
        v[4] = 5783321u + t0;
        forget();
        skip_sequence(sequence, tables);
        skip(offset, tables);
    }
};

// --- MRG32k3a: two recursions of order 3. A table has three units (1, 2^76, 2^127 numbers), each
// with two moduli, each with the 3x3 matrices of 2^k units.

struct Mrg32k3a : Pairs<Mrg32k3a> {
    enum { kMatrix = 9, kUnit = 2 * 64 * kMatrix };
    static const u64 kM1 = 4294967087ull, kM2 = 4294944443ull;
    unsigned a[3], b[3];

    __device__ unsigned draw() { // 1 to kM1
        const u64 p = (1403580ull * a[1] + 810728ull * (kM1 - a[0])) % kM1;
        a[0] = a[1];
        a[1] = a[2];
        a[2] = unsigned(p);
        const u64 q = (527612ull * b[2] + 1370589ull * (kM2 - b[0])) % kM2;
        b[0] = b[1];
        b[1] = b[2];
        b[2] = unsigned(q);
        return unsigned(p > q ? p - q : p + kM1 - q);
    }
    __device__ unsigned bits() {
        return unsigned(double(draw()) * 1.000000048662);
    } // to 32 bits' range
    __device__ float uniform() { return float(double(draw()) * 2.3283065498378288e-10); }
    __device__ double uniform_double() { return double(draw()) * 2.3283065498378288e-10; }
    __device__ float2 normal2() {
        const float x = uniform(), y = uniform() * 6.2831855f, radius = ::sqrtf(-2 * ::logf(x));
        float2 pair;
        ::__sincosf(y, &pair.x, &pair.y);
        return make_float2(pair.x * radius, pair.y * radius);
    }
    __device__ double2 normal2_double() {
        const double x = uniform_double(), y = uniform_double() * 2, radius = ::sqrt(-2 * ::log(x));
        double2 pair;
        ::sincospi(y, &pair.x, &pair.y);
        return make_double2(pair.x * radius, pair.y * radius);
    }
    static __device__ void multiply(unsigned* x, u64 steps, const unsigned* table, u64 modulus) {
        for (; steps; steps >>= 1, table += kMatrix) {
            if (!(steps & 1)) continue;
            u64 made[3];
            for (int row = 0; row < 3; ++row) {
                made[row] = 0;
                for (int k = 0; k < 3; ++k)
                    made[row] = (made[row] + u64(table[row * 3 + k]) * x[k] % modulus) % modulus;
            }
            for (int k = 0; k < 3; ++k) x[k] = unsigned(made[k]);
        }
    }
    __device__ void jump(u64 steps, const unsigned* table) {
        multiply(a, steps, table, kM1);
        multiply(b, steps, table + kUnit / 2, kM2);
    }
    __device__ void skip(u64 numbers, const unsigned* tables) { jump(numbers, tables); }
    __device__ void skip_subsequence(u64 count, const unsigned* tables) {
        jump(count, tables + kUnit);
    }
    __device__ void skip_sequence(u64 count, const unsigned* tables) {
        jump(count, tables + 2 * kUnit);
    }
    __device__ void seed(u64 seed, u64 subsequence, u64 offset, const unsigned* tables) {
        for (int k = 0; k < 3; ++k) a[k] = b[k] = 12345u;
        if (seed) {
            const u64 low = unsigned(seed) ^ 0x55555555u, high = unsigned(seed >> 32) ^ 0xAAAAAAAAu;
            a[0] = a[2] = unsigned(low * 12345u % kM1);
            a[1] = unsigned(high * 12345u % kM1);
            b[0] = b[2] = unsigned(high * 12345u % kM2);
            b[1] = unsigned(low * 12345u % kM2);
        }
        forget();
        skip_subsequence(subsequence, tables);
        skip(offset, tables);
    }
};

// --- Sobol of one dimension; `scramble` is 0, or what shifts the scrambled ones. The direction
// vectors stay where they are: 32 or 64 words that must live as long as the state.

template <class Word> __device__ __forceinline__ int lowest_zero(Word x);
template <> __device__ __forceinline__ int lowest_zero(unsigned x) {
    return ~x ? __ffs(int(~x)) - 1 : 31;
}
template <> __device__ __forceinline__ int lowest_zero(u64 x) {
    return ~x ? __ffsll((long long)~x) - 1 : 63;
}

template <class Word> struct Sobol {
    enum { kBits = sizeof(Word) * 8 };
    Word index, x, scramble;
    const Word* directions;

    __device__ Word bits() {
        const Word made = x;
        x ^= directions[lowest_zero(index)];
        ++index;
        return made;
    }
    __device__ void skip(u64 numbers) {
        index += Word(numbers);
        x = scramble;
        const Word gray = index ^ (index >> 1);
        for (int k = 0; k < kBits; ++k)
            if (gray >> k & 1) x ^= directions[k];
    }
    __device__ void seed(const Word* vectors, Word shift, u64 offset) {
        index = 0;
        scramble = shift;
        directions = vectors;
        skip(offset);
    }
    static __device__ unsigned upper(unsigned v) { return v; }
    static __device__ unsigned upper(u64 v) { return unsigned(v >> 32); }
    static __device__ double wide(unsigned v) {
        return double(v) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
    }
    static __device__ double wide(u64 v) { return above_zero(v); }
    static __device__ double below_one(unsigned v) {
        return double(v) * 2.3283064365386963e-10 + 1.1641532182693481e-10;
    }
    static __device__ double below_one(u64 v) { return unit(v); }

    __device__ float uniform() { return above_zero(upper(bits())); }
    __device__ double uniform_double() { return wide(bits()); }
    // One number each, by the inverse of the distribution, from the nearer end.
    __device__ float normal() {
        const unsigned v = upper(bits());
        const bool above = v > 0x80000000u;
        const float tail = ::erfcinvf(2 * above_zero(above ? ~v : v));
        return above ? 1.4142135f * tail : -1.4142135f * tail;
    }
    __device__ double normal_double() { return normal_of(bits()); }
    static __device__ double normal_of(unsigned v) {
        const bool above = v > 0x80000000u;
        const double tail = ::erfcinv(
            2 * (double(above ? ~v : v) * 2.3283064365386963e-10 + 1.1641532182693481e-10));
        return above ? 1.4142135623730951 * tail : -1.4142135623730951 * tail;
    }
    static __device__ double normal_of(u64 v) {
        v >>= 11;
        const bool above = v > 0x10000000000000ull;
        if (above) v = 0x1fffffffffffffull - v;
        const double tail =
            ::erfcinv(2 * (double(v) * 1.1102230246251565e-16 + 5.5511151231257827e-17));
        return above ? 1.4142135623730951 * tail : -1.4142135623730951 * tail;
    }
    // From a mean of 700 on by the normal quantile and the next two terms of E. Cornish,
    // R. Fisher, 1938: off by less than 2e-5 in the distribution.
    __device__ double poisson(double mean) {
        if (!(mean > 0)) {
            bits();
            return 0;
        }
        if (mean < 700) return Poisson(mean).search(below_one(bits()));
        const double z = normal_double();
        return ::fmax(::floor(mean + ::sqrt(mean) * z + (z * z - 1) / 6 +
                              (z - z * z * z) / (72 * ::sqrt(mean)) + 0.5),
                      0.0);
    }
};

} // namespace random
} // namespace lathe
