// SPDX-License-Identifier: MIT
// Products of sparse matrices with vectors and with dense matrices. Sums are made in a fixed order:
// the same bits in each run. Value is what is computed in, Index of rows, columns and positions.
//
// Rows of about one length: a group of lanes for each row (N. Bell, M. Garland, "Implementing
// sparse matrix-vector multiplication on throughput-oriented processors", SC 2009). Rows of any
// length: equal shares of work for all threads, of nonzeros, or of nonzeros and row ends together
// (D. Merrill, M. Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016);
// what a block has of a row that others have a part in, too, is added by a second kernel.
#pragma once

#include <lathe_numbers.hpp>
#include <pycuda-complex.hpp>

namespace lathe {

template <class T> __device__ __forceinline__ T lane_down(const T& v, unsigned by) {
    return __shfl_down_sync(0xffffffffu, v, by);
}
template <class T>
__device__ __forceinline__ pycuda::complex<T> lane_down(const pycuda::complex<T>& v, unsigned by) {
    return pycuda::complex<T>(lane_down(v.real(), by), lane_down(v.imag(), by));
}
template <class T> __device__ __forceinline__ T lane_up(const T& v, unsigned by) {
    return __shfl_up_sync(0xffffffffu, v, by);
}
template <class T>
__device__ __forceinline__ pycuda::complex<T> lane_up(const pycuda::complex<T>& v, unsigned by) {
    return pycuda::complex<T>(lane_up(v.real(), by), lane_up(v.imag(), by));
}

/// y (+)= A x: `kWidth` lanes, a power of 2 up to 32, for each row. Blocks of whole warps.
template <int kWidth, bool kAdd, class Value, class Index, class A, class X>
__device__ __forceinline__ void csr_rows(long long rows, const Index* starts, const Index* columns,
                                         const A* values, const X* x, Value* y) {
    const long long step = (long long)gridDim.x * blockDim.x / kWidth;
    const unsigned lane = threadIdx.x % kWidth;
    // All lanes of a warp take as many turns, for the shuffles.
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x / 32 * 32) / kWidth;
    for (long long warp_row = first; warp_row < rows; warp_row += step) {
        const long long row = warp_row + threadIdx.x % 32 / kWidth;
        Value sum = Value(0);
        if (row < rows) {
            const Index end = starts[row + 1];
            for (Index k = starts[row] + (Index)lane; k < end; k += kWidth)
                sum += cast<Value>(values[k]) * cast<Value>(x[columns[k]]);
        }
        for (unsigned by = kWidth / 2; by > 0; by /= 2) sum += lane_down(sum, by);
        if (lane == 0 && row < rows) y[row] = kAdd ? y[row] + sum : sum;
    }
}

/// Y = A X for `count` columns: threads along x take columns, those along y rows. Strides count
/// elements.
template <class Value, class Index, class A, class X>
__device__ __forceinline__ void csr_by_dense(long long rows, long long count, const Index* starts,
                                             const Index* columns, const A* values, const X* x,
                                             long long x_row, long long x_column, Value* y,
                                             long long y_row, long long y_column) {
    const long long column = (long long)blockIdx.y * blockDim.x + threadIdx.x;
    if (column >= count) return;
    for (long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y; row < rows;
         row += (long long)gridDim.x * blockDim.y) {
        Value sum = Value(0);
        const Index end = starts[row + 1];
        for (Index k = starts[row]; k < end; ++k)
            sum += cast<Value>(values[k]) * cast<Value>(x[columns[k] * x_row + column * x_column]);
        y[row * y_row + column * y_column] = sum;
    }
}

/// y (+)= A x of rows padded to `width` entries: entry k of row r lies at k * rows + r, and those
/// behind a row's last have the column -1.
template <bool kAdd, class Value, class Index, class A, class X>
__device__ __forceinline__ void ell_rows(long long rows, long long width, const Index* columns,
                                         const A* values, const X* x, Value* y) {
    for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (long long)gridDim.x * blockDim.x) {
        Value sum = Value(0);
        for (long long k = 0; k < width; ++k) {
            const Index column = columns[k * rows + row];
            if (column < 0) break;
            sum += cast<Value>(values[k * rows + row]) * cast<Value>(x[column]);
        }
        y[row] = kAdd ? y[row] + sum : sum;
    }
}

/// What lies in shared memory of a block of `kThreads`: products, and which of them end a row.
template <int kThreads, class Value> struct SegmentedSums {
    Value warp_sums[kThreads / 32];
    int warp_heads[kThreads / 32];
};

/// Of each thread's sum behind its last row end: what the threads before it hand to it, and what
/// all of the block leave. `ended`: whether a row ended in this thread. All threads must call it.
template <int kThreads, class Value>
__device__ __forceinline__ Value carried_in(SegmentedSums<kThreads, Value>& shared, Value sum,
                                            bool ended, Value& left) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int head = ended;
    for (unsigned by = 1; by < 32; by *= 2) {
        const Value before = lane_up(sum, by);
        const int head_before = __shfl_up_sync(0xffffffffu, head, by);
        if (lane >= by) {
            if (!head) sum = before + sum;
            head |= head_before;
        }
    }
    if (lane == 31) {
        shared.warp_sums[warp] = sum;
        shared.warp_heads[warp] = head;
    }
    const Value before = lane_up(sum, 1);
    const int head_before = __shfl_up_sync(0xffffffffu, head, 1);
    __syncthreads();
    Value prefix = Value(0), all = Value(0);
    for (unsigned w = 0; w < kThreads / 32; ++w) {
        if (w == warp) prefix = all;
        all = shared.warp_heads[w] ? shared.warp_sums[w] : all + shared.warp_sums[w];
    }
    left = all;
    if (lane == 0) return prefix;
    return head_before ? before : prefix + before;
}

/// y (+)= A x of nonzeros sorted by rows, `kThreads` * `kItems` of them for each block. Rows
/// without any are left as they are. `carry_rows` and `carries` have an element for each block.
template <int kThreads, int kItems, bool kAdd, class Value, class Index, class A, class X>
__device__ __forceinline__ void coo_tile(long long count, const Index* rows, const Index* columns,
                                         const A* values, const X* x, Value* y, Index* carry_rows,
                                         Value* carries) {
    constexpr int kTile = kThreads * kItems;
    __shared__ __align__(16) unsigned char products_memory[kTile * sizeof(Value)];
    __shared__ Index tile_rows[kTile + 1];
    __shared__ __align__(16) unsigned char sums_memory[sizeof(SegmentedSums<kThreads, Value>)];
    Value* products = (Value*)products_memory;
    const long long begin = (long long)blockIdx.x * kTile;
    const int here = (int)(count - begin < kTile ? count - begin : kTile);
    for (int k = threadIdx.x; k < here; k += kThreads) {
        tile_rows[k] = rows[begin + k];
        products[k] = cast<Value>(values[begin + k]) * cast<Value>(x[columns[begin + k]]);
    }
    if (threadIdx.x == 0) tile_rows[here] = begin + here < count ? rows[begin + here] : Index(-1);
    __syncthreads();
    Value sum = Value(0), first_sum = Value(0);
    Index first_row = -1;
    for (int j = 0; j < kItems; ++j) {
        const int k = (int)threadIdx.x * kItems + j;
        if (k >= here) break;
        sum += products[k];
        const Index row = tile_rows[k];
        if (tile_rows[k + 1] == row) continue;
        if (first_row < 0) {
            first_row = row;
            first_sum = sum;
        } else {
            y[row] = kAdd ? y[row] + sum : sum;
        }
        sum = Value(0);
    }
    Value left;
    const Value before = carried_in<kThreads>(*(SegmentedSums<kThreads, Value>*)sums_memory, sum,
                                              first_row >= 0, left);
    if (first_row >= 0) {
        const Value total = before + first_sum;
        y[first_row] = kAdd ? y[first_row] + total : total;
    }
    if (threadIdx.x == 0) {
        const Index last = tile_rows[here - 1];
        carry_rows[blockIdx.x] = tile_rows[here] == last ? last : Index(-1);
        carries[blockIdx.x] = left;
    }
}

/// Where the path of merging row ends with positions crosses a diagonal: how many row ends lie
/// before `diagonal` steps.
template <class Index>
__device__ __forceinline__ long long rows_before(long long diagonal, const Index* ends,
                                                 long long rows, long long count) {
    long long low = diagonal > count ? diagonal - count : 0,
              high = diagonal < rows ? diagonal : rows;
    while (low < high) {
        const long long middle = (low + high) / 2;
        if ((long long)ends[middle] <= diagonal - middle - 1) low = middle + 1;
        else high = middle;
    }
    return low;
}

/// y (+)= A x: `kThreads` * `kItems` nonzeros and row ends for each block. Writes all rows.
template <int kThreads, int kItems, bool kAdd, class Value, class Index, class A, class X>
__device__ __forceinline__ void csr_tile(long long rows, long long count, const Index* starts,
                                         const Index* columns, const A* values, const X* x,
                                         Value* y, Index* carry_rows, Value* carries) {
    constexpr int kTile = kThreads * kItems;
    __shared__ __align__(16) unsigned char products_memory[kTile * sizeof(Value)];
    __shared__ int ends[kTile]; // behind the tile's first nonzero
    __shared__ __align__(16) unsigned char sums_memory[sizeof(SegmentedSums<kThreads, Value>)];
    __shared__ long long corners[2];
    Value* products = (Value*)products_memory;
    const long long begin = (long long)blockIdx.x * kTile;
    const long long stop = begin + kTile < rows + count ? begin + kTile : rows + count;
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
        corners[threadIdx.x / 32] =
            rows_before(threadIdx.x ? stop : begin, starts + 1, rows, count);
    __syncthreads();
    const long long first_row = corners[0], row_count = corners[1] - first_row;
    const long long first = begin - first_row;
    const int here = (int)(stop - begin - row_count);
    for (int k = threadIdx.x; k < here; k += kThreads)
        products[k] = cast<Value>(values[first + k]) * cast<Value>(x[columns[first + k]]);
    for (int k = threadIdx.x; k < row_count; k += kThreads)
        ends[k] = (int)((long long)starts[first_row + k + 1] - first);
    __syncthreads();
    const int total = (int)(stop - begin);
    const int from = (int)threadIdx.x * kItems < total ? (int)threadIdx.x * kItems : total;
    const int until = from + kItems < total ? from + kItems : total;
    int row = (int)rows_before((long long)from, ends, row_count, (long long)here);
    int k = from - row;
    Value sum = Value(0), first_sum = Value(0);
    long long ended = -1;
    for (int step = from; step < until; ++step) {
        if (row < row_count && ends[row] <= k) {
            if (ended < 0) {
                ended = first_row + row;
                first_sum = sum;
            } else {
                y[first_row + row] = kAdd ? y[first_row + row] + sum : sum;
            }
            sum = Value(0);
            ++row;
        } else {
            sum += products[k++];
        }
    }
    Value left;
    const Value before =
        carried_in<kThreads>(*(SegmentedSums<kThreads, Value>*)sums_memory, sum, ended >= 0, left);
    if (ended >= 0) {
        const Value whole = before + first_sum;
        y[ended] = kAdd ? y[ended] + whole : whole;
    }
    if (threadIdx.x == 0) {
        const long long open = first_row + row_count;
        carry_rows[blockIdx.x] = open < rows ? (Index)open : Index(-1);
        carries[blockIdx.x] = left;
    }
}

/// Adds what the blocks of either kernel above have left over, in their order: each row by the
/// thread of the first block that has a part of it.
template <class Value, class Index>
__device__ __forceinline__ void add_carries(long long blocks, const Index* carry_rows,
                                            const Value* carries, Value* y) {
    for (long long block = (long long)blockIdx.x * blockDim.x + threadIdx.x; block < blocks;
         block += (long long)gridDim.x * blockDim.x) {
        const Index row = carry_rows[block];
        if (row < 0 || (block > 0 && carry_rows[block - 1] == row)) continue;
        Value sum = carries[block];
        for (long long next = block + 1; next < blocks && carry_rows[next] == row; ++next)
            sum += carries[next];
        y[row] += sum;
    }
}

/// Symmetric successive over-relaxation for the rows of one color, which have no entries among each
/// other: forward solves with what is left of the diagonal in the order of colors, backward with
/// what is right of it. In place.
template <class Value, class Index, class A>
__device__ __forceinline__ void ssor_sweep(long long count, const Index* rows, const int* colors,
                                           const Index* starts, const Index* columns,
                                           const A* values, const A* diagonal, A* y, Value omega,
                                           bool backward) {
    for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < count;
         k += (long long)gridDim.x * blockDim.x) {
        const Index row = rows[k];
        const int color = colors[row];
        A sum = backward ? y[row] * diagonal[row] * A((Value(2) - omega) / omega) : y[row];
        for (Index at = starts[row]; at < starts[row + 1]; ++at) {
            const Index column = columns[at];
            const int other = colors[column];
            if (backward ? other > color : other < color) sum -= values[at] * y[column];
        }
        y[row] = sum * A(omega) / diagonal[row];
    }
}

// --- Parts of matrices

template <class Index, class A>
__device__ __forceinline__ void csr_diagonal(long long rows, const Index* starts,
                                             const Index* columns, const A* values, A* y,
                                             long long offset) {
    for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (long long)gridDim.x * blockDim.x) {
        A sum = A(0);
        const long long at = offset < 0 ? row - offset : row;
        for (Index k = starts[at]; k < starts[at + 1]; ++k)
            if ((long long)columns[k] == at + offset) sum += values[k];
        y[row] = sum;
    }
}

/// Rows of `width` entries from those of any length.
template <class Index, class A>
__device__ __forceinline__ void csr_to_ell(long long rows, long long width, const Index* starts,
                                           const Index* columns, const A* values, Index* padded,
                                           A* y) {
    for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (long long)gridDim.x * blockDim.x) {
        const Index begin = starts[row], length = starts[row + 1] - begin;
        for (long long k = 0; k < width; ++k) {
            padded[k * rows + row] = k < length ? columns[begin + k] : Index(-1);
            y[k * rows + row] = k < length ? values[begin + k] : A(0);
        }
    }
}

} // namespace lathe
