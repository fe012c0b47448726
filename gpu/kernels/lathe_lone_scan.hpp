// SPDX-License-Identifier: MIT
// A scan's tile by one thread, for devices whose threads are a processor's (lathe_scan.hpp). The
// tile is cut into runs that are walked in turns, so that an addition waits for none of another
// run. Its values stay in the thread's memory between their sum, which the next tile waits for, and
// the prefixes: each is read once.
#pragma once

#include <lathe_scan_state.hpp>

namespace lathe {

template <class Form>
__device__ __forceinline__ void scan_tile_alone(const Form& form, long long length,
                                                const ScanState& state) {
    typedef typename Form::Value Value;
    const int kVector = Form::kVector, kTile = kVector * Form::kRows, kRuns = 4;
    const unsigned ticket = atomicAdd((unsigned*)state.memory, 1u), row = ticket / state.tiles,
                   tile = ticket % state.tiles;
    const long long from = (long long)tile * kTile, begin = row * length + from;
    const int count = length - from < kTile ? int(length - from) : kTile,
              run = count / (kVector * kRuns) * kVector;
    char* const records = tile_records<Value>(state, row);
    Value values[kTile], before[kRuns], sum,
        last; // `before` a run; until the tiles before are known, its sum
#pragma unroll 1
    for (int at = 0; at < run; at += kVector)
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
            Value v[kVector];
            form.read(begin + r * run + at, v);
            Value all = v[0];
#pragma unroll
            for (int j = 0; j < kVector; ++j) {
                values[r * run + at + j] = v[j];
                if (j > 0) all = form.combine(all, v[j]);
            }
            before[r] = at > 0 ? form.combine(before[r], all) : all;
        }
    if (run > 0) {
        sum = before[0];
#pragma unroll
        for (int r = 1; r < kRuns; ++r) sum = form.combine(sum, before[r]);
    }
#pragma unroll 1
    for (int at = kRuns * run; at < count; ++at) { // less than a vector for each run
        values[at] = form.read_one(begin + at);
        sum = at > 0 ? form.combine(sum, values[at]) : values[at];
    }
    if (tile > 0) {
        last = Record<Value>::wait(records, tile - 1);
        sum = form.combine(last, sum);
    }
    if (tile + 1 < state.tiles) Record<Value>::publish(records, tile, sum);
    if (run > 0) {
        Value next = last;
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
            const Value of_run = before[r];
            before[r] = next;
            next = r > 0 || tile > 0 ? form.combine(next, of_run) : of_run;
        }
    }
#pragma unroll 1
    for (int at = 0; at < run; at += kVector)
#pragma unroll
        for (int r = 0; r < kRuns; ++r) {
            const bool first = r == 0 && at == 0 && tile == 0;
            Value v[kVector];
#pragma unroll
            for (int j = 0; j < kVector; ++j) {
                v[j] = values[r * run + at + j];
                if (j > 0) v[j] = form.combine(v[j - 1], v[j]);
                else if (!first) v[0] = form.combine(before[r], v[0]);
            }
            form.write(begin + r * run + at, v, before[r], first);
            before[r] = v[kVector - 1];
        }
    if (run > 0) last = before[kRuns - 1];
#pragma unroll 1
    for (int at = kRuns * run; at < count; ++at) {
        const bool first = at == 0 && tile == 0;
        const Value v = first ? values[at] : form.combine(last, values[at]);
        form.write_one(begin + at, v, last, first);
        last = v;
    }
}

} // namespace lathe
