// SPDX-License-Identifier: MIT
// Sorting by blocks of one thread, for devices whose threads are a processor's: the digits, orders
// and passes of lathe_radix.hpp. A tile counts its digits, adds its counts to those that the tile
// before it published, and then writes its keys in their order, each digit's behind one another.
#pragma once

#include <lathe_radix.hpp>

namespace lathe {

// counts[pass][digit] += how often; zeros before. A block has one part of the keys.
template <class Key>
__device__ __forceinline__ void count_digits_alone(const Key* keys, long long count,
                                                   unsigned long long* counts) {
    const int kDigits = RadixKey<Key>::kDigits;
    unsigned found[kDigits * 256];
#pragma unroll 1
    for (int k = 0; k < kDigits * 256; ++k) found[k] = 0;
    const long long part = (count + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * part,
                    end = begin + part < count ? begin + part : count;
#pragma unroll 1
    for (long long at = begin; at < end; ++at) {
        const Key key = keys[at];
#pragma unroll
        for (int pass = 0; pass < kDigits; ++pass)
            ++found[pass * 256 + RadixKey<Key>::digit(key, pass)];
    }
#pragma unroll 1
    for (int k = 0; k < kDigits * 256; ++k)
        if (found[k]) atomicAdd(counts + k, (unsigned long long)found[k]);
}

// Counts to where each digit begins; one block a pass.
__device__ __forceinline__ void start_digits_alone(unsigned long long* counts) {
    unsigned long long sum = 0;
#pragma unroll 1
    for (int digit = 0; digit < 256; ++digit) {
        unsigned long long* const at = counts + 256 * blockIdx.x + digit;
        const unsigned long long found = *at;
        *at = sum;
        sum += found;
    }
}

// One pass, as lathe::sort_pass() has it; a tile is kItems keys.
template <class Key, class Count, class Index, int kItems, bool has_indices>
__device__ __forceinline__ void
sort_pass_alone(const Key* keys_in, Key* keys_out, const Index* indices_in, Index* indices_out,
                long long count, const unsigned long long* starts, int pass, char* state) {
    const Count kKnown = Count(1) << (sizeof(Count) * 8 - 1);
    const unsigned ticket = atomicAdd((unsigned*)state, 1u);
    const long long begin = (long long)ticket * kItems;
    const int valid = count - begin < kItems ? int(count - begin) : kItems;
    Count to[256]; // how many of a digit; then where its next key goes
#pragma unroll 1
    for (int digit = 0; digit < 256; ++digit) to[digit] = 0;
#pragma unroll 1
    for (int k = 0; k < valid; ++k) ++to[RadixKey<Key>::digit(keys_in[begin + k], pass)];
    volatile Count* const words = (volatile Count*)(state + 128) + (long long)ticket * 256;
#pragma unroll 1
    for (int digit = 0; digit < 256; ++digit) {
        Count before = kKnown;
        while (ticket > 0 && !((before = words[digit - 256]) & kKnown)) __nanosleep(200);
        words[digit] = before + to[digit];
        to[digit] = Count(starts[pass * 256 + digit]) + (before & ~kKnown);
    }
#pragma unroll 1
    for (int k = 0; k < valid; ++k) {
        const Key key = keys_in[begin + k];
        const Count at = to[RadixKey<Key>::digit(key, pass)]++;
        keys_out[at] = key;
        if (has_indices) indices_out[at] = indices_in ? indices_in[begin + k] : Index(begin + k);
    }
}

// Whether `a` belongs before `b`, by all digits.
template <class Key> __device__ __forceinline__ bool is_before(const Key& a, const Key& b) {
#pragma unroll
    for (int pass = RadixKey<Key>::kDigits - 1; pass >= 0; --pass) {
        const unsigned x = RadixKey<Key>::digit(a, pass), y = RadixKey<Key>::digit(b, pass);
        if (x != y) return x < y;
    }
    return false;
}

// Rows of at most kMost keys, as lathe::sort_row() has it: few by insertion, others by their
// digits, but those that all keys share.
template <class Key, class Index, int kMost>
__device__ __forceinline__ void sort_row_alone(const Key* keys_in, Key* keys_out,
                                               Index* indices_out, unsigned length) {
    const int kDigits = RadixKey<Key>::kDigits;
    const unsigned kFew = 40;
    const long long offset = (long long)blockIdx.x * length;
    const Key* const keys = keys_in + offset;
    unsigned short order[2][kMost], to[256]; // up to 65535 keys
    int now = 0;
#pragma unroll 1
    for (unsigned k = 0; k < length; ++k) {
        unsigned at = k;
        if (length <= kFew)
#pragma unroll 1
            for (; at > 0 && is_before(keys[k], keys[order[0][at - 1]]); --at)
                order[0][at] = order[0][at - 1];
        order[0][at] = (unsigned short)k;
    }
#pragma unroll 1
    for (int pass = 0; pass < kDigits && length > kFew; ++pass) {
#pragma unroll 1
        for (int digit = 0; digit < 256; ++digit) to[digit] = 0;
#pragma unroll 1
        for (unsigned k = 0; k < length; ++k) ++to[RadixKey<Key>::digit(keys[k], pass)];
        if (to[RadixKey<Key>::digit(keys[0], pass)] == length) continue;
        unsigned sum = 0;
#pragma unroll 1
        for (int digit = 0; digit < 256; ++digit) {
            const unsigned more = to[digit];
            to[digit] = (unsigned short)sum;
            sum += more;
        }
#pragma unroll 1
        for (unsigned k = 0; k < length; ++k) {
            const unsigned short index = order[now][k];
            order[1 - now][to[RadixKey<Key>::digit(keys[index], pass)]++] = index;
        }
        now = 1 - now;
    }
#pragma unroll 1
    for (unsigned k = 0; k < length; ++k) {
        const unsigned short index = order[now][k];
        if (keys_out) keys_out[offset + k] = keys[index];
        if (indices_out) indices_out[offset + k] = Index(index);
    }
}

} // namespace lathe
