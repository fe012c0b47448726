// SPDX-License-Identifier: MIT
// Cooperative groups: tiles, coalesced groups, reductions, scans, grid barriers, copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(int* out, float* reals, int n) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    auto warp = cg::tiled_partition<32>(block);
    out[0] = cg::reduce(tile, n, cg::plus<int>()) + cg::reduce(warp, n, cg::greater<int>());
    out[1] = cg::reduce(warp, n, cg::bit_xor<int>()) + cg::inclusive_scan(tile, n) +
             cg::exclusive_scan(warp, n);
    reals[0] = cg::reduce(tile, reals[1], cg::plus<float>());
    out[2] = tile.shfl(n, 3) + tile.any(n) + tile.match_any(n) + tile.meta_group_rank();
    if (n > 3) {
        auto active = cg::coalesced_threads();
        out[3] = active.size() + active.thread_rank() + cg::reduce(active, n, cg::plus<int>());
        active.sync();
    }
    auto parts = cg::labeled_partition(tile, n & 3);
    out[4] = parts.size() + cg::binary_partition(warp, n & 1).size();
    __shared__ int buffer[64];
    cg::memcpy_async(block, buffer, out, sizeof(buffer));
    cg::wait(block);
    out[5] = buffer[n & 63];
    cg::this_grid().sync();
    block.sync();
}
