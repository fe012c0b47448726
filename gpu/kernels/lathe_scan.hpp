// SPDX-License-Identifier: MIT
// Prefix sums in one pass over the data, for any associative operator; it need not commute.
//
// Blocks take tiles of a row by tickets, so that a tile's predecessors run or are done, whatever
// the order of blocks. A tile publishes its sum, then looks back for the sum of what precedes it
// (D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Here
// the look-back takes the same sums in every run instead of what it finds: those of the tiles of
// its group and of the group before, one for each thread, and what precedes these two as one
// number, which that group's last tile gave. So a tile waits for one way through memory, and
// results of floats are the same bits in each run on a device and on all that have tiles of its
// shape.
//
// Tiles wait for the slowest of those before them, so a tile publishes before it scans: the sums of
// its rows take a third of the scan's exchanges between lanes.
//
// Within a tile a warp has kRows rows of 32 lanes with kVector neighbours each: accesses of whole
// vectors side by side, and no transposition.
//
// A Form says what is scanned:
//     typedef ... Value;                    trivially copyable
//     static const int kThreads, kVector, kRows;      64 to 512 threads; kRows a power of two;
//                                                     1 thread: lathe_lone_scan.hpp
//     Value combine(Value a, Value b) const;                 a before b
//     void read(long long at, Value (&v)[kVector]) const;    whole vectors
//     Value read_one(long long at) const;
//     void write(long long at, const Value (&v)[kVector], const Value& before, bool first) const;
//     void write_one(long long at, const Value& v, const Value& before, bool first) const;
// `v` are inclusive prefixes, `before` is that of the element before the first of them, which means
// nothing where `first`. `at` counts elements over all rows.
#pragma once

#include <lathe_lanes.hpp>
#include <lathe_lone_scan.hpp>
#include <lathe_scan_state.hpp>

namespace lathe {

// A block's tile of a row.
template <class Form> struct ScanTile {
    typedef typename Form::Value Value;
    static const int kVector = Form::kVector, kRows = Form::kRows,
                     kTile = Form::kThreads * kVector * kRows;
    long long length; // the row's
    unsigned row, tile;

    __device__ __forceinline__ ScanTile(long long length, const ScanState& state, unsigned ticket)
        : length(length), row(ticket / state.tiles), tile(ticket % state.tiles) {}
    // In the row, the first element of the thread's first vector.
    __device__ __forceinline__ long long begin() const {
        return (long long)tile * kTile + threadIdx.x / 32 * (32 * kVector * kRows) +
               threadIdx.x % 32 * kVector;
    }
    __device__ __forceinline__ bool is_whole() const {
        return (long long)(tile + 1) * kTile <= length;
    }
    // What lies beyond the row's end is the last element again, and reaches no result.
    __device__ __forceinline__ void read(const Form& form, Value (&v)[kRows][kVector]) const {
        const long long begin = this->begin(), offset = row * length;
        if (is_whole()) {
#pragma unroll
            for (int k = 0; k < kRows; ++k) form.read(offset + begin + k * (32 * kVector), v[k]);
            return;
        }
#pragma unroll
        for (int k = 0; k < kRows; ++k)
#pragma unroll
            for (int j = 0; j < kVector; ++j) {
                const long long at = begin + k * (32 * kVector) + j;
                v[k][j] = form.read_one(offset + (at < length ? at : length - 1));
            }
    }
    // `v` are prefixes within vectors, `before` is what the warp has before each vector, `carry`
    // what the row has before the warp, if anything.
    __device__ __forceinline__ void write(const Form& form, Value (&v)[kRows][kVector],
                                          Value (&before)[kRows], const Value& carry,
                                          bool has_carry) const {
        const long long begin = this->begin(), offset = row * length;
        const bool is_whole = this->is_whole();
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
            const bool has_before = k > 0 || threadIdx.x % 32 > 0,
                       first = !has_carry && !has_before;
            if (has_carry) before[k] = has_before ? form.combine(carry, before[k]) : carry;
            if (!first)
#pragma unroll
                for (int j = 0; j < kVector; ++j) v[k][j] = form.combine(before[k], v[k][j]);
            const long long at = begin + k * (32 * kVector);
            if (is_whole) {
                form.write(offset + at, v[k], before[k], first);
            } else {
#pragma unroll
                for (int j = 0; j < kVector; ++j)
                    if (at + j < length)
                        form.write_one(offset + at + j, v[k][j],
                                       j > 0 ? v[k][j > 0 ? j - 1 : 0] : before[k],
                                       first && j == 0);
            }
        }
    }
};

// Finds what precedes each warp, which is nothing for the first one of a row. The warps' sums are
// in `warp_sums`; `near_sums` has room for as many. All threads.
template <class Form>
__device__ __forceinline__ typename Form::Value
look_back(const Form& form, const ScanState& state, const ScanTile<Form>& at,
          const Words<typename Form::Value>* warp_sums, Words<typename Form::Value>* near_sums) {
    typedef typename Form::Value Value;
    const int kThreads = Form::kThreads, kWarps = kThreads / 32, kGroup = kThreads / 2;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    char* const groups = group_records<Value>(state, at.row);
    Value sum, far;
    // The last thread has the tile before this one, and so on back: those of this group and of the
    // group before; the first threads have none.
    const unsigned group = at.tile / kGroup;
    const int absent = kThreads - int(group > 0 ? kGroup + at.tile % kGroup : at.tile),
              absent_here = absent - int(warp * 32);
    if (absent_here < 32) {
        if (int(threadIdx.x) >= absent)
            sum = Record<Value>::wait(tile_records<Value>(state, at.row),
                                      (long long)at.tile - kThreads + threadIdx.x);
        sum = scan_warp(form, sum, lane, absent_here > 0 ? absent_here : 0);
        if (lane == 31) near_sums[warp] = Words<Value>(sum);
    }
    if (group > 1) far = Record<Value>::wait(groups, group - 2);
    __syncthreads();
    // What precedes are the sums of tiles, of 32 each, and those of the warps.
    const unsigned absent_sums = absent / 32;
    if (lane >= absent_sums && lane < 2 * kWarps)
        sum = (lane < kWarps ? near_sums[lane] : warp_sums[lane - kWarps]).value();
    sum = scan_warp(form, sum, lane, absent_sums);
    if (group > 1) sum = form.combine(far, sum);
    if (warp == 0 && at.tile % kGroup == kGroup - 1 && lane == 2 * kWarps - 1)
        Record<Value>::publish(groups, group, sum);
    return of_lane(sum, kWarps - 1 + warp);
}

template <class Form>
__device__ __forceinline__ void scan_tile_together(const Form& form, long long length,
                                                   const ScanState& state) {
    typedef typename Form::Value Value;
    const int kVector = Form::kVector, kRows = Form::kRows, kWarps = Form::kThreads / 32;
    __shared__ unsigned ticket;
    __shared__ Words<Value> warp_sums[kWarps], near_sums[kWarps];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)state.memory, 1u);
    __syncthreads();
    const ScanTile<Form> at(length, state, ticket);
    Value v[kRows][kVector],
        before[kRows]; // what precedes each vector; until rows are scanned, its sum
    at.read(form, v);
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
#pragma unroll
        for (int j = 1; j < kVector; ++j) v[k][j] = form.combine(v[k][j - 1], v[k][j]);
        before[k] = v[k][kVector - 1];
    }
    const Value sum = sum_of_rows(form, before, lane);
    if (lane == 0) warp_sums[warp] = Words<Value>(sum);
    __syncthreads();
    if (warp == 0) {
        Value tile_sum;
        if (lane < kWarps) tile_sum = warp_sums[lane].value();
        tile_sum = scan_warp(form, tile_sum, lane);
        if (lane == kWarps - 1)
            Record<Value>::publish(tile_records<Value>(state, at.row), at.tile, tile_sum);
    }
    Value rows; // before row k
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
        const Value lanes = scan_warp(form, v[k][kVector - 1], lane), row = of_lane(lanes, 31);
        before[k] = lane_up(lanes, 1);
        if (k > 0) before[k] = lane > 0 ? form.combine(rows, before[k]) : rows;
        rows = k > 0 ? form.combine(rows, row) : row;
    }
    const Value carry = look_back(form, state, at, warp_sums, near_sums);
    at.write(form, v, before, carry, at.tile > 0 || warp > 0);
}

template <class Form, bool is_alone> struct TileScan {
    static __device__ __forceinline__ void run(const Form& form, long long length,
                                               const ScanState& state) {
        scan_tile_together(form, length, state);
    }
};
template <class Form> struct TileScan<Form, true> {
    static __device__ __forceinline__ void run(const Form& form, long long length,
                                               const ScanState& state) {
        scan_tile_alone(form, length, state);
    }
};
// The kernel's body: one block for each tile, rows * tiles blocks of kThreads threads.
template <class Form>
__device__ __forceinline__ void scan_tile(const Form& form, long long length,
                                          const ScanState& state) {
    TileScan<Form, Form::kThreads == 1>::run(form, length, state);
}

// --- Segments: a value and whether a segment begins at or after where its sum begins.

template <class T> struct Segmented {
    T value;
    int begins;
};
template <class Form, class T>
__device__ __forceinline__ Segmented<T> combine_segments(const Form& form, const Segmented<T>& a,
                                                         const Segmented<T>& b) {
    Segmented<T> made = b;
    if (!b.begins) made.value = form.combine_values(a.value, b.value);
    made.begins = a.begins | b.begins;
    return made;
}

// --- Vectors of up to 16 bytes, where elements of one array lie side by side.

template <class T, int count> struct __align__(sizeof(T) * count) Pack {
    T at[count];
};
// What is read or written once takes no other data's place in the cache.
template <class P> __device__ __forceinline__ P stream_in(const P* from) {
    if (sizeof(P) != 16) return *from;
    const uint4 bits = __ldcs((const uint4*)from);
    P made;
    memcpy(&made, &bits, sizeof(P));
    return made;
}
template <class P> __device__ __forceinline__ void stream_out(P* to, const P& from) {
    if (sizeof(P) != 16) {
        *to = from;
        return;
    }
    uint4 bits;
    memcpy(&bits, &from, sizeof(P));
    __stcs((uint4*)to, bits);
}

} // namespace lathe
