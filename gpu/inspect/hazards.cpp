// SPDX-License-Identifier: MIT
#include "gpu/inspect/hazards.h"

#include "gpu/driver/check.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/line_counts.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>

namespace lathe::gpu {

namespace {

struct Wanted {
    std::mutex mutex;
    std::array<int, 32> scopes{}; ///< by bit

    void change(const DeviceTraits& device, std::uint32_t hazards, int by) {
        std::lock_guard lock{mutex};
        std::uint32_t before = 0, now = 0;
        for (unsigned bit = 0; bit < 32; ++bit) {
            before |= scopes[bit] ? 1u << bit : 0;
            if (hazards >> bit & 1) scopes[bit] += by;
            now |= scopes[bit] ? 1u << bit : 0;
        }
        if (now == before) return;
        const auto code = static_cast<CUresult>(device.hazards_watch(now));
        if (code != CUDA_SUCCESS) throw Error{"latheSoftHazardsWatch", code};
    }
};
Wanted& wanted() {
    static Wanted* const instance = new Wanted;
    return *instance;
}

HazardThread to_thread(const LatheSoftHazardThread& row, bool is_barrier) {
    HazardThread thread;
    thread.file = row.file;
    thread.inlined_at = row.inlined_at;
    thread.line = static_cast<int>(row.line);
    std::copy_n(row.block, 3, thread.block.begin());
    std::copy_n(row.thread, 3, thread.thread.begin());
    thread.access = is_barrier        ? "barrier"
                    : row.access == 0 ? "read"
                    : row.access == 1 ? "write"
                                      : "atomic";
    return thread;
}

/// A finding comes again with a larger count.
auto key_of(const HazardFinding& f) {
    const auto place = [](const HazardThread& t) {
        return std::tuple{t.file, t.line, t.inlined_at};
    };
    return std::tuple{f.hazard, f.kernel, place(f.first), place(f.second)};
}

} // namespace

std::string_view title_of(Hazard hazard) {
    switch (hazard) {
    case Hazard::race_shared: return "data race in shared memory";
    case Hazard::race_global: return "data race in global memory";
    case Hazard::unwritten_shared: return "read of shared memory that nothing has written";
    case Hazard::unwritten_global: return "read of memory that nothing has written";
    case Hazard::barrier_apart: break;
    }
    return "threads of a block at different barriers";
}

HazardScope::HazardScope(std::uint32_t hazards) : HazardScope{hazards, device_traits()} {}

HazardScope::HazardScope(std::uint32_t hazards, const DeviceTraits& device)
    : hazards_{hazards}, device_{device} {
    if (!device_.hazards_watch) require_inspector();
    wanted().change(device_, hazards_, 1);
}

HazardScope::~HazardScope() {
    try {
        wanted().change(device_, hazards_, -1);
    } catch (const Error&) {} // what is not needed any more takes no memory
}

std::vector<HazardFinding> hazard_findings() { return hazard_findings(device_traits()); }

std::vector<HazardFinding> hazard_findings(const DeviceTraits& device) {
    const auto read = device.hazards_read;
    if (!read) return {};
    std::vector<LatheSoftFinding> rows(read(nullptr, 0));
    rows.resize(std::min(rows.size(), read(rows.data(), rows.size())));
    std::vector<HazardFinding> all;
    all.reserve(rows.size());
    for (const LatheSoftFinding& row : rows) {
        HazardFinding& finding = all.emplace_back();
        finding.hazard = static_cast<Hazard>(row.hazard);
        finding.kernel = row.kernel;
        const bool is_barrier = finding.hazard == Hazard::barrier_apart;
        finding.first = to_thread(row.first, is_barrier);
        finding.second = to_thread(row.second, is_barrier);
        finding.address = row.address;
        finding.offset = row.offset;
        finding.bytes = row.bytes;
        finding.memory = row.memory;
        finding.message = row.message;
        finding.count = row.count;
    }
    return all;
}

HazardSearch::HazardSearch() : HazardSearch{device_traits()} {}

HazardSearch::HazardSearch(const DeviceTraits& device)
    : device_{device}, before_{hazard_findings(device)}, scope_{kAllHazards, device} {}

std::vector<HazardFinding> HazardSearch::findings() const {
    std::vector<HazardFinding> grown;
    for (HazardFinding& finding : hazard_findings(device_)) {
        const auto known = std::ranges::find_if(
            before_, [&](const HazardFinding& other) { return key_of(other) == key_of(finding); });
        const std::uint64_t first = known == before_.end() ? 0 : known->count;
        if (finding.count <= first) continue;
        finding.count -= first;
        grown.push_back(std::move(finding));
    }
    return grown;
}

void note_host_write(CUdeviceptr memory, std::size_t bytes) {
    if (const auto note = device_traits().host_has_written) note(memory, bytes);
}

void note_new_memory(CUdeviceptr memory, std::size_t bytes) {
    if (const auto note = device_traits().memory_is_new) note(memory, bytes);
}

} // namespace lathe::gpu
