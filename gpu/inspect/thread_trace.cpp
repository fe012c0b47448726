// SPDX-License-Identifier: MIT
#include "gpu/inspect/thread_trace.h"

#include "engine/core/source_name.h"
#include "gpu/inspect/shared_types.h"

#include <algorithm>
#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

constexpr std::size_t kLeaderBytes = std::size_t{8} << 20, kLaneBytes = std::size_t{2} << 20;
constexpr std::size_t kMostDynamicBytes = std::size_t{256} << 10; ///< of shared memory, any device

} // namespace

TracedKernel::TracedKernel(const CompileRequest& request, const std::string& kernel)
    : meaning_{std::make_shared<TraceMeaning>()} {
    const auto change = [this](ptx::Module& module, const auto& files) {
        meaning_->plan = ptx::trace_threads(module, files);
    };
    CompileRequest typed = request;
    typed.source = with_pointers_to_shared(request.source);
    try {
        kernel_ = std::make_unique<InstrumentedKernel>(typed, kernel, change);
    } catch (const CompileError&) {
        if (typed.source == request.source) throw;
        kernel_ = std::make_unique<InstrumentedKernel>(request, kernel, change);
    }
    for (const std::string& name : meaning_->plan.functions)
        meaning_->functions.push_back(source_name(name));
    meaning_->files = kernel_->files();
    records_ = DeviceBuffer{kLeaderBytes + 31 * kLaneBytes};
    copy_ = DeviceBuffer{meaning_->plan.copy_bytes + kMostDynamicBytes};
}

void TracedKernel::begin(const Dim3& block, const Dim3& thread, const Dim3& block_size,
                         const Module& original) {
    place_ = WarpPlace::of(block, thread, block_size);
    ptx::TraceState state;
    state.block[0] = block.x, state.block[1] = block.y, state.block[2] = block.z;
    state.warp = place_.warp;
    state.leader = place_.leader;
    state.copy = copy_.address();
    std::uint64_t at = records_.address();
    for (unsigned lane = 0; lane < 32; ++lane) {
        state.lanes[lane].next = at;
        at += lane == place_.leader ? kLeaderBytes : kLaneBytes;
        state.lanes[lane].end = at;
    }
    fill_units(copy_.address(), 0, 4, copy_.bytes() / 4);
    kernel_->begin(original, ptx::kTraceState, std::as_bytes(std::span{&state, 1}));
}

ThreadTrace TracedKernel::finish(const Module& original) {
    kernel_->finish(original);
    ThreadTrace trace;
    if (!place_.has_leader) return trace;
    ptx::TraceState state;
    kernel_->read(ptx::kTraceState, std::as_writable_bytes(std::span{&state, 1}));
    TracedWarp::Records records;
    std::uint64_t first = records_.address();
    std::uint32_t cut = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        records[lane].resize(state.lanes[lane].next - first);
        if (!records[lane].empty()) copy_to_host(records[lane].data(), first, records[lane].size());
        if (state.lanes[lane].is_full) cut |= 1u << lane;
        first += lane == place_.leader ? kLeaderBytes : kLaneBytes;
    }
    trace.warp = std::make_shared<const TracedWarp>(meaning_, place_, std::move(records), cut,
                                                    state.dynamic_bytes);
    trace.is_cut = (cut >> place_.leader & 1) != 0;
    trace.steps = trace.warp->steps(place_.leader, &trace.is_cut);
    return trace;
}

} // namespace lathe::gpu
