// SPDX-License-Identifier: MIT
// CUB's block and warp algorithms.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
struct Less {
    template <class T> __device__ bool operator()(T a, T b) const { return a < b; }
};
struct Most {
    template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Differs {
    template <class T> __device__ bool operator()(T a, T b) const { return a != b; }
};
extern "C" __global__ void __launch_bounds__(128)
    blocks(int* in, float* reals, int* out, unsigned char* bytes) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, 128, 4, float>;
    using Merge = cub::BlockMergeSort<int, 128, 4>;
    using Sum = cub::BlockReduce<float, 128>;
    using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
    using Raking = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
    using Heads = cub::BlockDiscontinuity<int, 128>;
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256>;
    using Exchange = cub::BlockExchange<int, 128, 4>;
    using Shuffle = cub::BlockShuffle<int, 128>;
    __shared__ union {
        Load::TempStorage load;
        Store::TempStorage store;
        Sort::TempStorage sort;
        Merge::TempStorage merge;
        Sum::TempStorage sum;
        Scan::TempStorage scan;
        Raking::TempStorage raking;
        Heads::TempStorage heads;
        Histogram::TempStorage histogram;
        Exchange::TempStorage exchange;
        Shuffle::TempStorage shuffle;
    } shared;
    int items[4], flags[4], total;
    float values[4] = {1, 2, 3, 4};
    Load(shared.load).Load(in, items);
    __syncthreads();
    Sort(shared.sort).Sort(items, values);
    __syncthreads();
    Sort(shared.sort).SortDescendingBlockedToStriped(items, values);
    __syncthreads();
    Merge(shared.merge).Sort(items, Less{});
    __syncthreads();
    Scan(shared.scan).ExclusiveSum(items, items, total);
    __syncthreads();
    Raking(shared.raking).InclusiveScan(items, items, Most{});
    __syncthreads();
    Heads(shared.heads).FlagHeads(flags, items, Differs{});
    __syncthreads();
    Exchange(shared.exchange).BlockedToStriped(items, items);
    __syncthreads();
    Shuffle(shared.shuffle).Offset(items[0], items[1], 1);
    __syncthreads();
    reals[0] = Sum(shared.sum).Sum(values);
    __shared__ unsigned bins[256];
    unsigned char samples[4] = {bytes[0], bytes[1], bytes[2], bytes[3]};
    __syncthreads();
    Histogram(shared.histogram).Histogram(samples, bins);
    __syncthreads();
    Store(shared.store).Store(out, items);
    out[0] = flags[0] + total + static_cast<int>(bins[3]);
    using WarpSum = cub::WarpReduce<double>;
    using WarpScan = cub::WarpScan<int>;
    __shared__ WarpSum::TempStorage warp_sum[4];
    __shared__ WarpScan::TempStorage warp_scan[4];
    reals[1] = static_cast<float>(WarpSum(warp_sum[threadIdx.x / 32]).Sum(values[0]));
    WarpScan(warp_scan[threadIdx.x / 32]).InclusiveSum(items[0], items[1]);
    out[1] = items[1];
}
