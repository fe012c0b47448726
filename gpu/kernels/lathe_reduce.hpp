// SPDX-License-Identifier: MIT
// The walk of a reduction over its elements: which thread sees which, and how their states become
// one. The order depends on shape, strides and kGroup alone, so that results are the same bits at
// each run. lathe_reductions.hpp has the states.
//
// The source (gpu/array/reduction_source.cpp writes it) has kGroup elements that come with one
// load: `Raw load(long long at)`, `Raw load_some(long long at, int count)`, `value(Raw, k)`,
// `place(at, k)`.
#pragma once

#include <lathe_reductions.hpp>

namespace lathe {

constexpr int kThreads = 256, kWarp = 32, kWarps = kThreads / kWarp;

template <class State, class Move>
__device__ __forceinline__ State moved(const State& state, const Move& move) {
    static_assert(sizeof(State) % 4 == 0, "states travel as words");
    unsigned words[sizeof(State) / 4];
    memcpy(words, &state, sizeof(State));
#pragma unroll
    for (int k = 0; k < sizeof(State) / 4; ++k) words[k] = move(words[k]);
    State there;
    memcpy(&there, words, sizeof(State));
    return there;
}
template <class State>
__device__ __forceinline__ State from_lane_below(const State& state, int by) {
    return moved(state, [by](unsigned word) { return __shfl_down_sync(0xffffffffu, word, by); });
}
template <class State>
__device__ __forceinline__ State from_lane_beside(const State& state, int by) {
    return moved(state, [by](unsigned word) { return __shfl_xor_sync(0xffffffffu, word, by); });
}

/// States of lanes `by`, 2 `by` ... `span` / 2 below, into each.
template <class Op, int by, int span>
__device__ __forceinline__ void merge_lanes(typename Op::State& state) {
#pragma unroll
    for (int step = span / 2; step >= by; step /= 2) Op::merge(state, from_lane_below(state, step));
}

/// Several groups of a source as one run.
template <class Source, int kGroups> struct Run {
    const Source& source;
    typename Source::Raw raw[kGroups];
    long long at[kGroups];
    __device__ __forceinline__ auto operator()(int k) const {
        return source.value(raw[k / Source::kGroup], k % Source::kGroup);
    }
    __device__ __forceinline__ long long place(int k) const {
        return source.place(at[k / Source::kGroup] + k % Source::kGroup);
    }
};
template <class Source> struct Single {
    const Source& source;
    const typename Source::Raw& raw;
    long long at;
    int which;
    __device__ __forceinline__ auto operator()(int) const { return source.value(raw, which); }
    __device__ __forceinline__ long long place(int) const { return source.place(at + which); }
};

/// Elements of a run are `side` groups apart.
template <int kGroups, int side, class Source>
__device__ __forceinline__ Run<Source, kGroups> load_run(const Source& source, long long from) {
    Run<Source, kGroups> run{source};
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
        run.at[g] = from + g * (side * Source::kGroup);
        run.raw[g] = source.load(run.at[g]);
    }
    return run;
}

/// What rounds of runs come to. Most states take each run as it comes.
template <class Op, int kRun, bool whole_warps> struct Rounds {
    typename Op::State& state;
    __device__ __forceinline__ Rounds(typename Op::State& into, long long) : state(into) {}
    template <class R> __device__ __forceinline__ void take(const R& run, long long) {
        Op::template take<kRun>(state, run);
    }
    template <int side, class Source> __device__ __forceinline__ void end(const Source&) {}
};
/// Where the best is: only which run has it, without a branch. The place in that run is looked for
/// once, in the run loaded again, and only by those threads of a warp that have its best.
/// (Looked for where a run is better than those before, it is in most rounds: one of 32 lanes
/// does.)
template <class T, class Rule, int kRun, bool whole_warps>
struct Rounds<Place<T, Rule>, kRun, whole_warps> {
    typedef Place<T, Rule> Op;
    struct alignas(sizeof(T) < 4 ? 4 : alignof(T)) Best {
        T value;
    };
    typename Op::State& state;
    Best best;
    long long first; // of the run that has it
    // The first run stands for all where nothing is better than neutral.
    __device__ __forceinline__ Rounds(typename Op::State& into, long long at)
        : state(into), best{Rule::Value::neutral()}, first(at) {}
    template <class R> __device__ __forceinline__ void take(const R& run, long long at) {
        const T found = Tree<kRun, T, R>::of(
            run, 0, [](const T& a, const T& b) { return Rule::Value::of(a, b); });
        const bool better = Rule::before(found, best.value);
        best.value = better ? found : best.value;
        first = better ? at : first;
    }
    template <int side, class Source> __device__ __forceinline__ void end(const Source& source) {
        if (whole_warps) {
            Best most = best;
#pragma unroll
            for (int step = kWarp / 2; step >= 1; step /= 2)
                most.value = Rule::Value::of(most.value, from_lane_beside(most, step).value);
            if (Rule::before(most.value, best.value)) return;
        }
        long long place = source.place(first);
        if constexpr (Source::kGroup ==
                      1) { // the software device: nothing is gained by loads in flight
#pragma unroll 1
            for (int k = 0;
                 k < kRun &&
                 Rule::before(best.value, source.value(source.load(first + k * side), 0));
                 ++k)
                place = source.place(first + (k + 1) * side);
        } else {
            const auto run = load_run<kRun / Source::kGroup, side>(source, first);
#pragma unroll
            for (int k = kRun - 1; k >= 0; --k)
                if (!Rule::before(best.value, run(k))) place = run.place(k);
        }
        Op::merge(state, {best.value, place});
    }
};

/// Rounds of whole runs from `at` on, as far as they go; each of `lanes` threads reads kGroups
/// groups at once. `side` threads follow each other within a warp.
template <class Op, int kGroups, int lanes, int side, class Source>
__device__ __forceinline__ void take_rounds(typename Op::State& state, const Source& source,
                                            long long& at, long long end, int lane) {
    constexpr int kGroup = Source::kGroup;
    constexpr long long round = (long long)lanes * kGroups * kGroup;
    long long first = at + ((long long)(lane / side) * (side * kGroups) + lane % side) * kGroup;
    if (at + round > end) return;
    Rounds<Op, kGroups * kGroup, side == kWarp> rounds(state, first);
    for (; at + round <= end; at += round, first += round)
        rounds.take(load_run<kGroups, side>(source, first), first);
    rounds.template end<side>(source);
}

/// Elements [begin, end) by `lanes` threads, of which this is number `lane`: long runs, then short
/// ones, then groups and single elements.
template <class Op, int kGroups, int lanes, int side, class Source>
__device__ __forceinline__ void take_range(typename Op::State& state, const Source& source,
                                           long long begin, long long end, int lane) {
    constexpr int kGroup = Source::kGroup, kFew = kGroups >= 8 ? kGroups / 4 : kGroups;
    long long at = begin;
    take_rounds<Op, kGroups, lanes, side>(state, source, at, end, lane);
    if (kFew < kGroups) take_rounds<Op, kFew, lanes, side>(state, source, at, end, lane);
    if (at >= end) return;
    const long long first = at + ((long long)(lane / side) * (side * kFew) + lane % side) * kGroup;
#pragma unroll
    for (int g = 0; g < kFew; ++g) {
        const long long here = first + g * (side * kGroup);
        if (here + kGroup <= end) {
            Run<Source, 1> run{source};
            run.at[0] = here;
            run.raw[0] = source.load(here);
            Op::template take<kGroup>(state, run);
        } else if (kGroup > 1 && here < end) {
            const typename Source::Raw raw = source.load_some(here, int(end - here));
#pragma unroll
            for (int k = 0; k < kGroup; ++k)
                if (here + k < end)
                    Op::template take<1>(state, Single<Source>{source, raw, here, k});
        }
    }
}

/// The states of a block's threads, `across` outputs side by side, in threads 0 to across - 1.
template <class Op, int across>
__device__ __forceinline__ void merge_block(typename Op::State& state) {
    typedef typename Op::State State;
    __shared__ alignas(16) unsigned char kept[sizeof(State) * kWarps * across];
    State* const states = (State*)kept;
    merge_lanes<Op, across, kWarp>(state);
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    if (lane < across) states[warp * across + lane] = state;
    __syncthreads();
    if (threadIdx.x < across)
#pragma unroll
        for (int w = 1; w < kWarps; ++w) Op::merge(state, states[w * across + threadIdx.x]);
}

/// One output to each `lanes` threads of a warp; no memory is shared.
template <class Op, int kGroups, int lanes, class Problem>
__device__ __forceinline__ void reduce_by_lanes(const Problem& problem) {
    const long long output = (long long)blockIdx.x * (kThreads / lanes) + threadIdx.x / lanes;
    typename Op::State state = Op::neutral();
    if (output < problem.kept)
        take_range<Op, kGroups, lanes, lanes>(state, problem.source(output), 0, problem.reduced,
                                              threadIdx.x % lanes);
    merge_lanes<Op, 1, lanes>(state);
    if (output < problem.kept && threadIdx.x % lanes == 0)
        problem.store(output, Op::finish(state, problem.facts));
}

/// `across` outputs to a block, or, where there is much to a few outputs, to several blocks: each
/// leaves its state in memory, and the last one to come merges them. Threads of one output are
/// `across` apart. Tickets are 0 before and after.
template <class Op, int kGroups, int across, class Problem>
__device__ __forceinline__ void reduce_by_blocks(const Problem& problem) {
    typedef typename Op::State State;
    constexpr int lanes = kThreads / across;
    const long long tile = blockIdx.x / problem.parts;
    const unsigned part = blockIdx.x % problem.parts;
    const int side = threadIdx.x % across, lane = threadIdx.x / across;
    const long long output = tile * across + side;
    State state = Op::neutral();
    if (output < problem.kept) {
        const long long begin = part * problem.part_size;
        const long long end = begin + problem.part_size < problem.reduced
                                  ? begin + problem.part_size
                                  : problem.reduced;
        take_range<Op, kGroups, lanes, kWarp / across>(state, problem.source(output), begin, end,
                                                       lane);
    }
    merge_block<Op, across>(state);
    if (problem.parts > 1) {
        __shared__ bool is_last;
        State* const states = (State*)problem.states + tile * problem.parts * across;
        if (threadIdx.x < across) {
            states[part * across + side] = state;
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            is_last = atomicAdd(&problem.tickets[tile], 1u) == problem.parts - 1;
            __threadfence();
        }
        __syncthreads();
        if (!is_last) return;
        if (threadIdx.x == 0) problem.tickets[tile] = 0;
        state = Op::neutral();
#pragma unroll 4
        for (unsigned p = lane; p < problem.parts; p += lanes)
            Op::merge(state, states[p * across + side]);
        merge_block<Op, across>(state);
    }
    if (threadIdx.x < across && output < problem.kept)
        problem.store(output, Op::finish(state, problem.facts));
}

} // namespace lathe
