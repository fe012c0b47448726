// SPDX-License-Identifier: MIT
// What the blocks of a scan tell each other (lathe_scan.hpp).
#pragma once

#include <lathe_lanes.hpp>

namespace lathe {

// One value that a block publishes and others wait for; memory of zeros is "not yet". Each 4 bytes
// travel with a flag of their own in one word, so that nothing needs to be ordered.
template <class T> struct Record {
    static const int kWords = Words<T>::kCount, kBytes = 8 * kWords;
    static __device__ __forceinline__ void publish(char* records, long long at, const T& value) {
        volatile unsigned long long* const to =
            (volatile unsigned long long*)(records + at * kBytes);
        const Words<T> words(value);
#pragma unroll
        for (int k = 0; k < kWords; ++k) to[k] = 1ULL << 32 | words.at[k];
    }
    static __device__ __forceinline__ T wait(const char* records, long long at) {
        const volatile unsigned long long* const from =
            (const volatile unsigned long long*)(records + at * kBytes);
        unsigned long long word[kWords], all;
        for (;;) {
            all = ~0ULL;
#pragma unroll
            for (int k = 0; k < kWords; ++k) word[k] = from[k];
#pragma unroll
            for (int k = 0; k < kWords; ++k) all &= word[k];
            if (all >> 32) break;
            __nanosleep(200); // those who ask at once keep the memory from those who load
        }
        Words<T> words;
#pragma unroll
        for (int k = 0; k < kWords; ++k) words.at[k] = unsigned(word[k]);
        return words.value();
    }
};

// Memory of one launch, zeros before it: a ticket, and the records of all rows.
struct ScanState {
    char* memory;
    unsigned tiles,
        groups; // records of a row; a group has half as many tiles as a block has threads
    unsigned rows;
};

template <class Value>
__device__ __forceinline__ char* tile_records(const ScanState& state, unsigned row) {
    return state.memory + 128 + (long long)row * state.tiles * Record<Value>::kBytes;
}
template <class Value>
__device__ __forceinline__ char* group_records(const ScanState& state, unsigned row) {
    return state.memory + 128 +
           ((long long)state.rows * state.tiles + (long long)row * state.groups) *
               Record<Value>::kBytes;
}

} // namespace lathe
