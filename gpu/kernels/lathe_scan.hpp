// SPDX-License-Identifier: MIT
// Prefix sums in one pass over the data, for any associative operator; it need not commute.
//
// Blocks take tiles of a row by tickets, so that a tile's predecessors run or are done, whatever the
// order of blocks. A tile publishes its sum, then looks back for the sum of what precedes it
// (D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Here
// the look-back walks a fixed tree instead of taking what it finds: the tiles of its group of 32,
// the groups of its supergroup of 32, and the prefix of the supergroups before, which alone is a
// chain (one link for 1024 tiles). Numbers are added in the same order in every run, so results of
// floats are the same bits in each run on a device and on all that have tiles of its shape.
//
// Within a tile a warp has kRows rows of 32 lanes with kVector neighbours each: accesses of whole
// vectors side by side, and no transposition.
//
// A Form says what is scanned:
//     typedef ... Value;                    trivially copyable
//     static const int kThreads, kVector, kRows;
//     Value combine(Value a, Value b) const;                 a before b
//     void read(long long at, Value (&v)[kVector]) const;    whole vectors
//     Value read_one(long long at) const;
//     void write(long long at, const Value (&v)[kVector], const Value& before, bool first) const;
//     void write_one(long long at, const Value& v, const Value& before, bool first) const;
// `v` are inclusive prefixes, `before` is that of the element before the first of them, which means
// nothing where `first`. `at` counts elements over all rows.
#pragma once

namespace lathe {

template <class T> struct Words {
    static const int kCount = (sizeof(T) + 3) / 4;
    unsigned at[kCount];

    Words() = default;
    __device__ __forceinline__ explicit Words(const T& value) {
        at[kCount - 1] = 0;
        memcpy(at, &value, sizeof(T));
    }
    __device__ __forceinline__ T value() const {
        T made;
        memcpy(&made, at, sizeof(T));
        return made;
    }
};

template <class T> __device__ __forceinline__ T lane_up(const T& value, unsigned distance) {
    Words<T> words(value);
    for (int k = 0; k < Words<T>::kCount; ++k) words.at[k] = __shfl_up_sync(~0u, words.at[k], distance);
    return words.value();
}
template <class T> __device__ __forceinline__ T of_lane(const T& value, unsigned lane) {
    Words<T> words(value);
    for (int k = 0; k < Words<T>::kCount; ++k) words.at[k] = __shfl_sync(~0u, words.at[k], lane);
    return words.value();
}
// Each lane's inclusive prefix in its warp.
template <class Form> __device__ __forceinline__ typename Form::Value scan_warp(const Form& form, typename Form::Value value, unsigned lane) {
    #pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const typename Form::Value other = lane_up(value, distance);
        if (lane >= distance) value = form.combine(other, value);
    }
    return value;
}

// One value that a block publishes and others wait for; memory of zeros is "not yet". Each 4 bytes
// travel with a flag of their own in one word, so that nothing needs to be ordered.
template <class T> struct Record {
    static const int kWords = Words<T>::kCount, kBytes = 8 * kWords;
    static __device__ __forceinline__ void publish(char* records, long long at, const T& value) {
        volatile unsigned long long* const to = (volatile unsigned long long*)(records + at * kBytes);
        const Words<T> words(value);
        #pragma unroll
        for (int k = 0; k < kWords; ++k) to[k] = 1ULL << 32 | words.at[k];
    }
    static __device__ __forceinline__ T wait(const char* records, long long at) {
        const volatile unsigned long long* const from = (const volatile unsigned long long*)(records + at * kBytes);
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
    unsigned tiles, groups, supers; // of a row
    unsigned rows;
};

// The sum before `tile`, from the tiles of its row; by one whole warp. False for the first tile.
template <class Form>
__device__ __forceinline__ bool look_back(const Form& form, const ScanState& state, unsigned row, unsigned tile, unsigned lane,
                                          const typename Form::Value& sum, typename Form::Value& before) {
    typedef typename Form::Value Value;
    typedef Record<Value> R;
    char* const tiles = state.memory + 128 + (long long)row * state.tiles * R::kBytes;
    char* const groups = state.memory + 128 + ((long long)state.rows * state.tiles + (long long)row * state.groups) * R::kBytes;
    char* const supers = state.memory + 128 + ((long long)state.rows * (state.tiles + state.groups) + (long long)row * state.supers) * R::kBytes;
    const unsigned group = tile / 32, super = group / 32, in_group = tile % 32, in_super = group % 32;
    if (lane == 0) R::publish(tiles, tile, sum);
    Value near = sum;
    if (lane < in_group) near = R::wait(tiles, group * 32 + lane);
    near = scan_warp(form, near, lane);
    const Value near_all = of_lane(near, in_group), near_before = of_lane(near, (in_group + 31) % 32);
    if (in_group == 31 && lane == 0) R::publish(groups, group, near_all);
    Value far = near_all;
    if (lane < in_super) far = R::wait(groups, super * 32 + lane);
    far = scan_warp(form, far, lane);
    const Value far_all = of_lane(far, in_super), far_before = of_lane(far, (in_super + 31) % 32);
    bool has = super > 0;
    if (has) before = R::wait(supers, super - 1);
    if (in_group == 31 && in_super == 31 && lane == 0) R::publish(supers, super, has ? form.combine(before, far_all) : far_all);
    if (in_super > 0) before = has ? form.combine(before, far_before) : far_before;
    has = has || in_super > 0;
    if (in_group > 0) before = has ? form.combine(before, near_before) : near_before;
    return tile > 0;
}

// The kernel's body: one block for each tile, rows * tiles blocks of kThreads threads.
template <class Form> __device__ __forceinline__ void scan_tile(const Form& form, long long length, const ScanState& state) {
    typedef typename Form::Value Value;
    const int kVector = Form::kVector, kRows = Form::kRows, kWarps = Form::kThreads / 32;
    const int kTile = Form::kThreads * kVector * kRows;
    __shared__ unsigned ticket;
    __shared__ Words<Value> warp_sums[kWarps], tile_before;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)state.memory, 1u);
    __syncthreads();
    const unsigned row = ticket / state.tiles, tile = ticket % state.tiles;
    const long long begin = (long long)tile * kTile + warp * (32 * kVector * kRows) + lane * kVector;
    const long long offset = row * length;
    const bool is_whole = (long long)(tile + 1) * kTile <= length;

    Value v[kRows][kVector];
    if (is_whole) {
        #pragma unroll
        for (int k = 0; k < kRows; ++k) form.read(offset + begin + k * (32 * kVector), v[k]);
    } else { // what lies beyond the row's end is the last element again, and reaches no result
        #pragma unroll
        for (int k = 0; k < kRows; ++k)
            #pragma unroll
            for (int j = 0; j < kVector; ++j) {
                const long long at = begin + k * (32 * kVector) + j;
                v[k][j] = form.read_one(offset + (at < length ? at : length - 1));
            }
    }
    Value before[kRows], sum;
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        #pragma unroll
        for (int j = 1; j < kVector; ++j) v[k][j] = form.combine(v[k][j - 1], v[k][j]);
        const Value lanes = scan_warp(form, v[k][kVector - 1], lane);
        before[k] = lane_up(lanes, 1);
        const Value all = of_lane(lanes, 31);
        if (k > 0) before[k] = lane > 0 ? form.combine(sum, before[k]) : sum;
        sum = k > 0 ? form.combine(sum, all) : all;
    }
    if (lane == 0) warp_sums[warp] = Words<Value>(sum);
    __syncthreads();
    Value carry = warp_sums[0].value(); // of the warps before
    #pragma unroll
    for (int w = 1; w < kWarps; ++w)
        if (w < warp || warp == 0) carry = form.combine(carry, warp_sums[w].value());
    if (warp == 0) {
        Value found;
        look_back(form, state, row, tile, lane, carry, found);
        if (lane == 0) tile_before = Words<Value>(found);
    }
    __syncthreads();
    if (tile > 0) carry = warp > 0 ? form.combine(tile_before.value(), carry) : tile_before.value();
    const bool has_carry = tile > 0 || warp > 0;
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        const bool has_before = k > 0 || lane > 0;
        if (has_carry) before[k] = has_before ? form.combine(carry, before[k]) : carry;
        const bool first = !has_carry && !has_before;
        if (!first)
            #pragma unroll
            for (int j = 0; j < kVector; ++j) v[k][j] = form.combine(before[k], v[k][j]);
        const long long at = begin + k * (32 * kVector);
        if (is_whole) {
            form.write(offset + at, v[k], before[k], first);
        } else {
            #pragma unroll
            for (int j = 0; j < kVector; ++j)
                if (at + j < length) form.write_one(offset + at + j, v[k][j], j > 0 ? v[k][j > 0 ? j - 1 : 0] : before[k], first && j == 0);
        }
    }
}

// --- Segments: a value and whether a segment begins at or after where its sum begins.

template <class T> struct Segmented {
    T value;
    int begins;
};
template <class Form, class T> __device__ __forceinline__ Segmented<T> combine_segments(const Form& form, const Segmented<T>& a, const Segmented<T>& b) {
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
