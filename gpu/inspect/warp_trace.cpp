// SPDX-License-Identifier: MIT
#include "gpu/inspect/warp_trace.h"

#include "engine/core/memory_model.h"
#include "engine/core/source_name.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

constexpr std::uint32_t kMost = 8192; ///< records of a lane
constexpr std::size_t kCountBytes = 256;
constexpr std::uint32_t kNoSite = ~0u;

} // namespace

unsigned WarpStep::sectors() const { return sectors_of(addresses.data(), lanes, bytes); }

unsigned WarpStep::ideal_sectors() const {
    const auto all = static_cast<unsigned>(std::popcount(lanes)) * bytes;
    return (all + kSectorBytes - 1) / kSectorBytes;
}

unsigned WarpStep::turns() const { return bank_degree(addresses.data(), lanes, bytes); }

unsigned warp_of(const Dim3& thread, const Dim3& block_size) {
    return ((thread.z * block_size.y + thread.y) * block_size.x + thread.x) / 32;
}

std::array<unsigned, 32> WarpStep::turns_of_banks() const {
    std::array<unsigned, 32> most{};
    const unsigned together = lanes_together(bytes);
    for (unsigned first = 0; first < kWarpLanes; first += together) {
        std::set<std::uint64_t> words;
        for (unsigned lane = first; lane < first + together; ++lane)
            for (std::uint64_t word = addresses[lane] / 4;
                 lanes >> lane & 1 && word <= (addresses[lane] + bytes - 1) / 4; ++word)
                words.insert(word);
        std::array<unsigned, 32> turns{};
        for (const std::uint64_t word : words) ++turns[word % kBanks];
        for (unsigned bank = 0; bank < kBanks; ++bank)
            most[bank] = std::max(most[bank], turns[bank]);
    }
    return most;
}

WarpTracedKernel::WarpTracedKernel(const CompileRequest& request, const std::string& kernel)
    : kernel_{request, kernel,
              [this](ptx::Module& module, const auto& files) {
                  plan_ = ptx::trace_warps(module, files);
              },
              InstrumentedKernel::Code::as_it_runs} {
    for (const std::string& name : plan_.functions) functions_.push_back(source_name(name));
    memory_ = DeviceBuffer{kCountBytes + sizeof(ptx::WarpRecord) * 32 * kMost};
}

void WarpTracedKernel::begin(const Dim3& block, unsigned warp, const Module& original) {
    fill_units(memory_.address(), 0, 4, kCountBytes / 4);
    ptx::WarpState state;
    state.block[0] = block.x, state.block[1] = block.y, state.block[2] = block.z;
    state.warp = warp;
    state.counts = memory_.address();
    state.records = memory_.address() + kCountBytes;
    state.most = kMost;
    kernel_.begin(original, ptx::kWarpState, std::as_bytes(std::span{&state, 1}));
}

WarpTrace WarpTracedKernel::finish(const Module& original) {
    kernel_.finish(original);
    std::array<std::uint32_t, 32> counts{};
    copy_to_host(counts.data(), memory_.address(), sizeof counts);
    std::array<std::vector<ptx::WarpRecord>, 32> lanes;
    bool is_cut = false;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        is_cut |= counts[lane] > kMost;
        lanes[lane].resize(std::min(counts[lane], kMost));
        const std::size_t first = sizeof(ptx::WarpRecord) * lane * kMost;
        copy_to_host(lanes[lane].data(), memory_.address() + kCountBytes + first,
                     sizeof(ptx::WarpRecord) * lanes[lane].size());
    }
    WarpTrace trace = merge(lanes);
    trace.is_cut = is_cut;
    return trace;
}

/// Sites have the order of the code: the lanes at the least one go on.
WarpTrace WarpTracedKernel::merge(const std::array<std::vector<ptx::WarpRecord>, 32>& lanes) const {
    WarpTrace trace;
    std::array<std::size_t, 32> next{};
    const auto site_of = [&](std::size_t lane) {
        return next[lane] < lanes[lane].size() ? lanes[lane][next[lane]].site : kNoSite;
    };
    while (true) {
        std::uint32_t site = kNoSite;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            site = std::min(site, site_of(lane));
        if (site == kNoSite) return trace;
        const ptx::WarpSite& is = plan_.sites.at(site);
        WarpStep step{is.event, functions_[is.function], {}, static_cast<int>(is.line)};
        if (is.file < kernel_.files().size()) step.file = kernel_.files()[is.file];
        step.bytes = is.bytes;
        bool is_first = true;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            if (site_of(lane) != site) continue;
            const ptx::WarpRecord& record = lanes[lane][next[lane]];
            if (is_first) step.space = record.space;
            if (step.is_access() && record.space != step.space) continue; // a step of its own
            is_first = false;
            ++next[lane];
            step.lanes |= 1u << lane;
            step.addresses[lane] = record.address;
        }
        if (step.space != WarpSpace::local) trace.steps.push_back(std::move(step));
    }
}

} // namespace lathe::gpu
