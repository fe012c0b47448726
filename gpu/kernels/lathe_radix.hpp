// SPDX-License-Identifier: MIT
// Stable sorting by digits of 8 bits, least significant first. A large array takes one pass over
// the data for each digit: a tile counts its digits, looks back for how many of each precede it,
// and writes its keys where they go (A. Adinets, D. Merrill, "Onesweep: A Faster Least Significant
// Digit Radix Sort for GPUs", 2022). Short rows are sorted by one block each.
//
// Order of keys: that of numbers, -0.0 beside 0.0 and NaN last; complex numbers by the real, then
// the imaginary part, those with a NaN behind all others, as NumPy has it.
#pragma once

namespace lathe {

// --- Keys as whole numbers in the same order

// Byte `k` of a number, the lowest one first: one instruction for up to four bytes.
template <class T> __device__ __forceinline__ unsigned byte_of(T bits, int k) {
    if (sizeof(T) <= 4) return __byte_perm(unsigned(bits), 0, 0x4440 | k);
    return __byte_perm(unsigned(bits), unsigned((unsigned long long)bits >> 32), k) & 255u;
}

template <class Key> struct RadixKey { // unsigned integers, bool
    static const int kDigits = sizeof(Key);
    static __device__ __forceinline__ unsigned digit(const Key& key, int pass) {
        return byte_of(key, pass);
    }
};
template <class Key> struct SignedRadixKey {
    static const int kDigits = sizeof(Key);
    static __device__ __forceinline__ unsigned digit(const Key& key, int pass) {
        return byte_of(key, pass) ^ (pass == kDigits - 1 ? 128u : 0u);
    }
};
template <> struct RadixKey<signed char> : SignedRadixKey<signed char> {};
template <> struct RadixKey<short> : SignedRadixKey<short> {};
template <> struct RadixKey<int> : SignedRadixKey<int> {};
template <> struct RadixKey<long long> : SignedRadixKey<long long> {};

__device__ __forceinline__ unsigned order_of(float value) {
    const unsigned bits = __float_as_uint(value + 0.0f); // -0.0 + 0.0 is 0.0
    return value != value ? ~0u : bits ^ (unsigned(int(bits) >> 31) | 0x80000000u);
}
__device__ __forceinline__ unsigned long long order_of(double value) {
    const long long bits = __double_as_longlong(value + 0.0);
    return value != value ? ~0ULL : (unsigned long long)(bits ^ (bits >> 63 | 1ULL << 63));
}
template <> struct RadixKey<float> {
    static const int kDigits = 4;
    static __device__ __forceinline__ unsigned digit(float key, int pass) {
        return byte_of(order_of(key), pass);
    }
};
template <> struct RadixKey<double> {
    static const int kDigits = 8;
    static __device__ __forceinline__ unsigned digit(double key, int pass) {
        return byte_of(order_of(key), pass);
    }
};
#ifdef LATHE_HALF
template <> struct RadixKey<half> {
    static const int kDigits = 2;
    static __device__ __forceinline__ unsigned digit(const half& key, int pass) {
        const unsigned bits = key.bits, size = bits & 0x7fffu;
        const unsigned order = size > 0x7c00u   ? 0xffffu
                               : size == 0      ? 0x8000u
                               : bits & 0x8000u ? ~bits & 0xffffu
                                                : bits | 0x8000u;
        return byte_of(order, pass);
    }
};
#endif
#ifdef LATHE_COMPLEX
template <class T> struct RadixKey<pycuda::complex<T>> {
    static const int kDigits = 2 * sizeof(T) + 1; // the last: which parts are NaN
    static __device__ __forceinline__ unsigned digit(const pycuda::complex<T>& key, int pass) {
        const T real = key.real(), imaginary = key.imag();
        if (pass == kDigits - 1) return 2u * (real != real) + (imaginary != imaginary);
        return RadixKey<T>::digit(pass < int(sizeof(T)) ? imaginary : real, pass % int(sizeof(T)));
    }
};
#endif

// --- Ranks within a tile. Items lie warp by warp, then row by row of 32 lanes.

// The lanes of the warp with the same digit. In PTX, since a compiler tests each bit twice: for the
// vote and for what becomes of it.
__device__ __forceinline__ unsigned lanes_alike(unsigned digit) {
    unsigned alike = ~0u;
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) {
        unsigned ones, others;
        asm volatile("{ .reg .pred is_set; .reg .b32 masked; and.b32 masked, %2, %3; setp.ne.u32 "
                     "is_set, masked, 0;"
                     " vote.sync.ballot.b32 %0, is_set, -1; selp.b32 %1, 0, -1, is_set; }"
                     : "=r"(ones), "=r"(others)
                     : "r"(digit), "r"(1u << bit));
        alike &= ones ^ others;
    }
    return alike;
}

template <int kThreads, int kItems> struct RadixTile {
    static const int kWarps = kThreads / 32, kCount = kThreads * kItems;
    unsigned counts[kWarps]
                   [256]; // of each warp's digits; then where a warp's next item with a digit goes
    unsigned starts[256]; // where a digit begins in the sorted tile
    unsigned warp_sums[8];

    // Counts the digits. Returns to thread d < 256 how many have digit d. All threads of the block.
    __device__ __forceinline__ unsigned count(const unsigned (&digit)[kItems]) {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
        for (int k = 0; k < 8; ++k) counts[warp][lane + 32 * k] = 0;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < kItems; ++k) atomicAdd(&counts[warp][digit[k]], 1u);
        __syncthreads();
        unsigned found = 0;
        if (threadIdx.x < 256)
#pragma unroll
            for (int w = 0; w < kWarps; ++w) found += counts[w][threadIdx.x];
        return found;
    }

    // After count(), whose result is given: fills `place` with where each item goes in the sorted
    // tile. Afterwards `counts` is free.
    __device__ __forceinline__ void rank(const unsigned (&digit)[kItems], unsigned (&place)[kItems],
                                         unsigned count) {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned sum = count;
        if (threadIdx.x < 256) {
#pragma unroll
            for (unsigned distance = 1; distance < 32; distance *= 2) {
                const unsigned other = __shfl_up_sync(~0u, sum, distance);
                if (lane >= distance) sum += other;
            }
            if (lane == 31) warp_sums[warp] = sum;
        }
        __syncthreads();
        if (threadIdx.x < 256) {
            unsigned start = sum - count;
            for (unsigned w = 0; w < warp; ++w) start += warp_sums[w];
            starts[threadIdx.x] = start;
#pragma unroll
            for (int w = 0; w < kWarps; ++w) {
                const unsigned of_warp = counts[w][threadIdx.x];
                counts[w][threadIdx.x] = start;
                start += of_warp;
            }
        }
        __syncthreads();
        const unsigned lower = (1u << lane) - 1, higher = ~lower - (1u << lane);
#pragma unroll
        for (int k = 0; k < kItems; ++k) {
            const unsigned alike = lanes_alike(digit[k]);
            place[k] = counts[warp][digit[k]] + __popc(alike & lower);
            __syncwarp();
            if ((alike & higher) == 0) counts[warp][digit[k]] = place[k] + 1;
            __syncwarp();
        }
        __syncthreads();
    }
};

// --- Large arrays

// counts[pass][digit] += how often; zeros before.
template <class Key>
__device__ __forceinline__ void count_digits(const Key* keys, long long count,
                                             unsigned long long* counts) {
    const int kDigits = RadixKey<Key>::kDigits;
    __shared__ unsigned found[kDigits][256];
    for (unsigned k = threadIdx.x; k < kDigits * 256; k += blockDim.x) (&found[0][0])[k] = 0;
    __syncthreads();
    const int kKeys = 8; // read before the first of them is counted
    const long long step = (long long)gridDim.x * blockDim.x * kKeys;
    for (long long begin = ((long long)blockIdx.x * kKeys) * blockDim.x + threadIdx.x;
         begin < count; begin += step) {
        Key key[kKeys];
#pragma unroll
        for (int k = 0; k < kKeys; ++k)
            if (begin + k * blockDim.x < count) key[k] = keys[begin + k * blockDim.x];
#pragma unroll
        for (int k = 0; k < kKeys; ++k)
            if (begin + k * blockDim.x < count)
#pragma unroll
                for (int pass = 0; pass < kDigits; ++pass)
                    atomicAdd(&found[pass][RadixKey<Key>::digit(key[k], pass)], 1u);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < kDigits * 256; k += blockDim.x)
        if ((&found[0][0])[k]) atomicAdd(counts + k, (unsigned long long)(&found[0][0])[k]);
}

// Counts to where each digit begins; one block of 256 threads a pass.
__device__ __forceinline__ void start_digits(unsigned long long* counts) {
    __shared__ unsigned long long all[256];
    unsigned long long* const mine = counts + 256 * blockIdx.x + threadIdx.x;
    all[threadIdx.x] = *mine;
    __syncthreads();
    unsigned long long sum = 0;
    for (unsigned k = 0; k < threadIdx.x; ++k) sum += all[k];
    *mine = sum;
}

// How many keys of digit `threadIdx.x` the tiles before this one have, from the words that tiles
// publish: their own count, or all up to theirs. Several words are read at a time, since the way
// back is some tiles long and each step would wait for the memory (an eighth of a sort's time on an
// H200).
template <class Count>
__device__ __forceinline__ Count keys_before(const volatile Count* words, long long tile) {
    const int kCountBits = sizeof(Count) * 8 - 2, kAhead = 4;
    const Count kPrefix = Count(2) << kCountBits, kMask = (Count(1) << kCountBits) - 1;
    Count before = 0;
    long long t = tile - 1;
    while (t >= 0) {
        Count word[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) word[k] = t >= k ? words[(t - k) * 256] : kPrefix;
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            if (!(word[k] >> kCountBits)) break; // not there yet
            before += word[k] & kMask;
            if (word[k] & kPrefix) return before;
            --t;
        }
    }
    return before;
}

// One pass. A tile publishes its counts before it ranks its keys, so that they are there when
// others look back. `state`: a ticket, then from byte 128 on 256 words of Count for each tile,
// zeros before. Count holds twice two bits more than the number of keys. Indices: unsigned, or long
// long beyond 2^32 keys; without `indices_in` those of the keys before.
template <class Key, class Count, class Index, int kThreads, int kItems, bool has_indices>
__device__ __forceinline__ void
sort_pass(const Key* keys_in, Key* keys_out, const Index* indices_in, Index* indices_out,
          long long count, const unsigned long long* starts, int pass, char* state) {
    typedef RadixTile<kThreads, kItems> Tile;
    const int kCountBits = sizeof(Count) * 8 - 2;
    const Count kSum = Count(1) << kCountBits, kPrefix = Count(2) << kCountBits;
    const int kSorted =
        Tile::kCount * (has_indices && sizeof(Index) > sizeof(Key) ? sizeof(Index) : sizeof(Key));
    __shared__ __align__(16) char memory[kSorted > sizeof(Tile) ? kSorted : sizeof(Tile)];
    __shared__ Count to_of[256]; // modulo its range: where a digit's keys go, less where they are
                                 // in the sorted tile
    __shared__ unsigned ticket;
    Tile& tile = *(Tile*)memory;
    char* const sorted = memory; // of the tile, once places are known
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)state, 1u);
    __syncthreads();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const long long tile_begin = (long long)ticket * Tile::kCount;
    const unsigned valid =
        count - tile_begin < Tile::kCount ? unsigned(count - tile_begin) : unsigned(Tile::kCount);
    const unsigned begin = warp * (32 * kItems) + lane;

    Key keys[kItems];
    unsigned digit[kItems], place[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const unsigned at = begin + 32 * k;
        digit[k] = 255;
        if (at < valid) {
            keys[k] = keys_in[tile_begin + at];
            digit[k] = RadixKey<Key>::digit(keys[k], pass);
        }
    }
    const unsigned found = tile.count(digit);
    volatile Count* const words = (volatile Count*)(state + 128) + threadIdx.x;
    const unsigned own = threadIdx.x == 255 ? found - (Tile::kCount - valid)
                                            : found; // less what lies beyond the end
    if (threadIdx.x < 256) words[(long long)ticket * 256] = own | (ticket == 0 ? kPrefix : kSum);
    tile.rank(digit, place, found);
    const unsigned start = threadIdx.x < 256 ? tile.starts[threadIdx.x] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) // those beyond the end have the last places
        if (begin + 32 * k < valid) ((Key*)sorted)[place[k]] = keys[k];
    if (threadIdx.x < 256) {
        const Count before = keys_before<Count>(words, ticket);
        if (ticket > 0) words[(long long)ticket * 256] = (before + own) | kPrefix;
        to_of[threadIdx.x] = Count(starts[pass * 256 + threadIdx.x]) + before - start;
    }
    __syncthreads();
    Count to[has_indices ? kItems : 1];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const unsigned at = threadIdx.x + kThreads * k;
        if (at < valid) {
            const Key key = ((const Key*)sorted)[at];
            const Count target = to_of[RadixKey<Key>::digit(key, pass)] + at;
            if (has_indices) to[k] = target;
            keys_out[target] = key;
        }
    }
    if (!has_indices) return;
    Index indices[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const unsigned at = begin + 32 * k;
        if (at < valid)
            indices[k] = indices_in ? indices_in[tile_begin + at] : Index(tile_begin + at);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k)
        if (begin + 32 * k < valid) ((Index*)sorted)[place[k]] = indices[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const unsigned at = threadIdx.x + kThreads * k;
        if (at < valid) indices_out[to[k]] = ((const Index*)sorted)[at];
    }
}

// --- Rows of at most kThreads * kItems keys, a block each. Without `keys_out` or `indices_out`
// that part is left out; indices are those within the row.
template <class Key, class Index, int kThreads, int kItems>
__device__ __forceinline__ void sort_row(const Key* keys_in, Key* keys_out, Index* indices_out,
                                         unsigned length) {
    typedef RadixTile<kThreads, kItems> Tile;
    __shared__ Tile tile;
    __shared__ __align__(16) char sorted[Tile::kCount * sizeof(Key)];
    __shared__ unsigned short sorted_indices[Tile::kCount];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32,
                   begin = warp * (32 * kItems) + lane;
    const long long offset = (long long)blockIdx.x * length;
    Key keys[kItems];
    unsigned indices[kItems], digit[kItems], place[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        indices[k] = begin + 32 * k;
        keys[k] = keys_in[offset + (indices[k] < length ? indices[k] : 0)];
    }
    for (int pass = 0; pass < RadixKey<Key>::kDigits; ++pass) {
#pragma unroll
        for (int k = 0; k < kItems; ++k)
            digit[k] = indices[k] < length ? RadixKey<Key>::digit(keys[k], pass) : 255u;
        tile.rank(digit, place, tile.count(digit));
#pragma unroll
        for (int k = 0; k < kItems; ++k) {
            ((Key*)sorted)[place[k]] = keys[k];
            sorted_indices[place[k]] = (unsigned short)indices[k];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kItems; ++k) {
            keys[k] = ((const Key*)sorted)[begin + 32 * k];
            indices[k] = sorted_indices[begin + 32 * k];
        }
    }
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
        const unsigned at = begin + 32 * k;
        if (at >= length) continue;
        if (keys_out) keys_out[offset + at] = keys[k];
        if (indices_out) indices_out[offset + at] = Index(indices[k]);
    }
}

} // namespace lathe
