// SPDX-License-Identifier: MIT
// Launches and occupancy.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/launch.h"
#include "gpu/soft/drv/library.h"
#include "gpu/soft/rt/block.h"

#include <fmt/format.h>

#include <algorithm>

using namespace lathe::soft;

namespace {

CUresult launch_grid(CUfunction handle, LaunchArguments arguments) {
    return in_context([&](Context& context) {
        auto function = function_of(context, handle);
        require(function->context == &context, CUDA_ERROR_INVALID_HANDLE,
                "function of another context");
        launch(context, *function, arguments);
    });
}

/// The block size with most resident threads, the larger one of equals.
void best_block(const Function& f, CUoccupancyB2DSize shared_of, std::size_t shared, int limit,
                int& grid, int& block) {
    int most = static_cast<int>(f.info->max_threads ? f.info->max_threads : kMaxThreads);
    if (limit > 0) most = std::min(most, limit);
    int best = 0;
    block = 0;
    unsigned resident = 0;
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
        int threads = std::min(size, most);
        std::size_t bytes = shared_of ? shared_of(threads) : shared;
        unsigned blocks = resident_blocks(f, threads, bytes);
        if (static_cast<int>(blocks) * threads <= best) continue;
        best = static_cast<int>(blocks) * threads;
        block = threads;
        resident = blocks;
    }
    grid = static_cast<int>(resident * Executor::instance().workers());
}

} // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                        void** params, void** extra) {
    return launch_grid(f, {.grid = {gx, gy, gz},
                           .block = {bx, by, bz},
                           .shared_bytes = shared_bytes,
                           .stream = stream,
                           .kernel_params = params,
                           .extra = extra});
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                                   void** params) {
    return launch_grid(f, {.grid = {gx, gy, gz},
                           .block = {bx, by, bz},
                           .shared_bytes = shared_bytes,
                           .stream = stream,
                           .kernel_params = params,
                           .cooperative = true});
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** params, void** extra) {
    if (!is_pointer(c) || (c->numAttrs && !is_pointer(c->attrs))) return CUDA_ERROR_INVALID_VALUE;
    bool cooperative = false;
    decltype(CUlaunchAttributeValue::clusterDim) cluster{1, 1, 1};
    for (unsigned i = 0; i < c->numAttrs; ++i) {
        const CUlaunchAttribute& a = c->attrs[i];
        if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = a.value.cooperative != 0;
        if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) cluster = a.value.clusterDim;
        if (a.id == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
            a.value.sharedMemCarveout > 100)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (cluster.x != 1 || cluster.y != 1 || cluster.z != 1)
        return in_context([&](Context&) {
            fail(CUDA_ERROR_INVALID_CLUSTER_SIZE,
                 fmt::format("clusters of {} x {} x {} blocks: the software device has none, "
                             "whatever compute capability it reports",
                             cluster.x, cluster.y, cluster.z));
        });
    return launch_grid(f, {.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                           .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                           .shared_bytes = c->sharedMemBytes,
                           .stream = c->hStream,
                           .kernel_params = params,
                           .extra = extra,
                           .cooperative = cooperative});
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction f, int threads,
                                                     std::size_t shared_bytes) {
    return in_context([&](Context& context) {
        require_pointer(blocks);
        require(threads > 0, CUDA_ERROR_INVALID_VALUE);
        *blocks =
            static_cast<int>(resident_blocks(*function_of(context, f), threads, shared_bytes));
    });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction f,
                                                              int threads, std::size_t bytes,
                                                              unsigned flags) {
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, bytes);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction f,
                                          CUoccupancyB2DSize shared_of, std::size_t shared_bytes,
                                          int limit) {
    return in_context([&](Context& context) {
        require_pointer(grid);
        require_pointer(block);
        best_block(*function_of(context, f), shared_of, shared_bytes, limit, *grid, *block);
    });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction f,
                                                   CUoccupancyB2DSize shared_of,
                                                   std::size_t shared_bytes, int limit,
                                                   unsigned flags) {
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    return cuOccupancyMaxPotentialBlockSize(grid, block, f, shared_of, shared_bytes, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction f, int blocks,
                                                 int threads) {
    return in_context([&](Context& context) {
        require_pointer(bytes);
        require(blocks > 0 && threads > 0 && threads <= 1024, CUDA_ERROR_INVALID_VALUE);
        std::size_t each = kMaxShared / static_cast<unsigned>(blocks) / 256 * 256;
        auto function = function_of(context, f);
        std::size_t own = function->info->static_shared_bytes;
        std::size_t most = function->settings.max_dynamic_shared;
        *bytes = std::min(most, each > own ? each - own : 0);
    });
}

} // extern "C"
