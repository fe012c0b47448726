// SPDX-License-Identifier: MIT
// Cooperative groups: tiles, block and grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void groups(float* data, int n) {
    const auto grid = cg::this_grid();
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    float sum = 0;
    for (auto i = grid.thread_rank(); i < n; i += grid.size()) sum += data[i];
    sum = cg::reduce(tile, sum, cg::plus<float>());
    const auto active = cg::coalesced_threads();
    grid.sync();
    if (tile.thread_rank() == 0) data[block.thread_rank()] = sum + active.size();
}
