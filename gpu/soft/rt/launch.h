// SPDX-License-Identifier: MIT
// One grid on its way through the workers.
#pragma once

#include "gpu/soft/rt/access.h"
#include "gpu/soft/rt/code.h"
#include "gpu/soft/rt/device_work.h"
#include "gpu/soft/rt/order.h"
#include "gpu/soft/rt/report.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace lathe::soft {

class GridWatch;

struct Launch {
    /// Of code that is watched.
    std::shared_ptr<GridWatch> watch;
    KernelCode first_code;              ///< blocks begin with the best that it knows by then
    std::shared_ptr<ModuleCode> module; ///< kept until the grid is done; null in tests
    const KernelInfo* info = nullptr;   ///< lives as long as `module`
    std::uint32_t grid[3] = {1, 1, 1};
    std::uint32_t block[3] = {1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint64_t grid_id = 0;
    std::size_t stack_bytes = 0;       ///< least stack of a fiber (CU_LIMIT_STACK_SIZE)
    std::vector<std::uint64_t> params; ///< packed parameters, 8-byte units for alignment
    std::size_t params_offset = 0;     ///< bytes from params.data() to a 16-byte boundary

    /// All blocks of the grid are resident at once, so that they may wait for each other.
    bool cooperative = false;
    Order order;
    std::uint32_t workspace[4] = {0, 0, 0, 0}; ///< grid barrier of cooperative groups

    /// Polled at loop back edges and between blocks. The deadline, or max() for none, is set by the
    /// first worker from the limit, 0 for none.
    std::atomic<bool> cancelled{false};
    std::chrono::milliseconds limit{0};
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    /// Ends the grid, and those that its threads ask for, before their time.
    void cancel();
    /// Why the grid has to end before its time; an empty message where it has not to.
    FaultReport overdue() const;

    bool begun = false; ///< some worker has come to it
    std::chrono::steady_clock::time_point began_at{};

    /// Blocks are handed out from here; `stopped` ends that early.
    std::atomic<std::uint64_t> next_block{0};
    std::atomic<bool> stopped{false};

    std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
    std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
    /// What runs where 32-bit indices may wrap between the lanes of a warp. The first call waits
    /// for a thread that compiles it, as the stack of a fiber is too small for that.
    const KernelCode& checked_code();
    std::uint32_t shared_bytes() const;
    const std::uint8_t* parameters() const {
        return reinterpret_cast<const std::uint8_t*>(params.data()) + params_offset;
    }
    /// Makes room for the parameters of `info` with the ranges of their pointers, all zero, and
    /// returns where they go, 16-byte aligned.
    std::uint8_t* reserve_parameters();
    /// Looks up what the pointers among the parameters point into: the first worker that comes to
    /// the grid does, the others wait for it.
    void find_ranges();
    void wait_for_ranges() const { has_ranges_.wait(false, std::memory_order_acquire); }
    ParameterRange range(std::uint32_t slot) const;

    /// Blocks that one worker takes at a time.
    std::uint64_t chunk(unsigned workers) const;
    /// The block that runs as the number `index` of the grid.
    std::uint64_t block_at(std::uint64_t index) const {
        const bool moves = order.kind == Order::Kind::shuffle && !cooperative;
        return moves ? shuffled(index, blocks(), order.seed) : index;
    }

    /// What its threads ask for; made when first asked for.
    DeviceWork& device_work();
    bool has_device_work() const { return device_work_ != nullptr; } ///< when its blocks are done
    /// A grid that its threads asked for: ends with it, and by its time.
    void adopt(const std::shared_ptr<Launch>& child);

    /// A block run again to find the thread that faulted: prints nothing, and its report is kept
    /// here alone.
    bool is_replay = false;
    FaultReport report() const;

    /// Ends the launch with this report; the first one counts.
    void stop(FaultReport report);
    /// CUDA_SUCCESS, or the code of the report that ended the launch.
    CUresult status() const;

private:
    std::atomic<bool> has_ranges_{false};
    std::unique_ptr<DeviceWork> device_work_;
    std::vector<std::shared_ptr<Launch>> children_;
    std::once_flag asked_checked_;
    KernelCode checked_code_;
    mutable std::mutex mutex_;
    CUresult status_ = CUDA_SUCCESS;
    FaultReport report_; ///< of a replay
};

} // namespace lathe::soft
