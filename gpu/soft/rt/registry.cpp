// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/registry.h"

#include "gpu/soft/rt/heap.h"

#include <fmt/format.h>

#include <mutex>

namespace lathe::soft {

Registry& Registry::instance() {
    static Registry* registry = new Registry;
    return *registry;
}

bool Registry::add(Allocation allocation) {
    std::unique_lock lock{mutex_};
    auto next = ranges_.upper_bound(allocation.begin);
    if (next != ranges_.end() && next->first < allocation.begin + allocation.bytes) return false;
    if (next != ranges_.begin() && std::prev(next)->second.holds(allocation.begin)) return false;
    allocation.id = next_id_++;
    ranges_.emplace_hint(next, allocation.begin, std::move(allocation));
    return true;
}

std::optional<Allocation> Registry::remove(std::uintptr_t begin) {
    std::unique_lock lock{mutex_};
    auto it = ranges_.find(begin);
    if (it == ranges_.end()) return std::nullopt;
    Allocation found = std::move(it->second);
    ranges_.erase(it);
    return found;
}

std::optional<Allocation> Registry::find(std::uintptr_t p) const {
    std::shared_lock lock{mutex_};
    auto next = ranges_.upper_bound(p);
    if (next == ranges_.begin()) return std::nullopt;
    const Allocation& candidate = std::prev(next)->second;
    if (!candidate.holds(p)) return std::nullopt;
    return candidate;
}

MemoryRange Registry::range_of(std::uintptr_t p) const {
    {
        std::shared_lock lock{mutex_};
        auto next = ranges_.upper_bound(p);
        if (next == ranges_.begin()) return {};
        const Allocation& candidate = std::prev(next)->second;
        if (!candidate.holds(p)) return {};
        if (candidate.kind != Allocation::Kind::heap) return {candidate.begin, candidate.bytes + 1};
    }
    return heap_range_of(p); // which locks the heap, whose functions call these
}

bool Registry::covers(std::uintptr_t p, std::size_t bytes) const {
    std::shared_lock lock{mutex_};
    auto next = ranges_.upper_bound(p);
    if (next == ranges_.begin()) return false;
    const Allocation& candidate = std::prev(next)->second;
    return candidate.holds(p) && bytes <= candidate.bytes - (p - candidate.begin);
}

std::optional<Allocation> Registry::nearest(std::uintptr_t p, std::size_t reach) const {
    std::shared_lock lock{mutex_};
    auto next = ranges_.upper_bound(p);
    const Allocation* best = nullptr;
    std::size_t best_distance = reach;
    if (next != ranges_.end() && next->first - p <= best_distance) {
        best = &next->second;
        best_distance = next->first - p;
    }
    if (next != ranges_.begin()) {
        const Allocation& before = std::prev(next)->second;
        std::size_t distance = before.holds(p) ? 0 : p - (before.begin + before.bytes) + 1;
        if (distance <= best_distance) best = &before;
    }
    if (!best) return std::nullopt;
    return *best;
}

std::vector<Allocation> Registry::of_context(const void* context) const {
    std::shared_lock lock{mutex_};
    std::vector<Allocation> found;
    for (const auto& [begin, allocation] : ranges_)
        if (allocation.context == context) found.push_back(allocation);
    return found;
}

const char* name_of(Allocation::Kind kind) {
    switch (kind) {
    case Allocation::Kind::device: return "device memory";
    case Allocation::Kind::managed: return "managed memory";
    case Allocation::Kind::pinned: return "pinned host memory";
    case Allocation::Kind::registered: return "registered host memory";
    case Allocation::Kind::foreign: return "mapped graphics memory";
    case Allocation::Kind::imported: return "memory of another process";
    case Allocation::Kind::variable: return "module variable";
    case Allocation::Kind::array: return "CUDA array";
    case Allocation::Kind::heap: return "device heap";
    case Allocation::Kind::launch: return "launches from kernels";
    case Allocation::Kind::graph: return "memory of a graph";
    }
    return "memory";
}

std::string describe_address(std::uintptr_t p) {
    if (p < 65536) return "a null pointer or an offset from one";
    const auto found = Registry::instance().find(p);
    if (!found || found->kind == Allocation::Kind::heap) {
        const std::string heap = describe_heap_address(p, !found);
        if (!heap.empty()) return heap;
    }
    auto near = Registry::instance().nearest(p, std::size_t{1} << 20);
    return near ? describe_address(p, *near) : "no allocation within 1 MiB";
}

std::string describe_address(std::uintptr_t p, const Allocation& near) {
    std::string what = fmt::format("a {}-byte allocation of {}", near.bytes, name_of(near.kind));
    if (near.kind == Allocation::Kind::variable)
        what = fmt::format("the {}-byte module variable {}", near.bytes, near.name);
    std::uintptr_t end = near.begin + near.bytes;
    if (p < near.begin)
        return fmt::format("{} bytes before {} at {:#x}", near.begin - p, what, near.begin);
    if (p < end) return fmt::format("{} bytes into {} at {:#x}", p - near.begin, what, near.begin);
    return fmt::format("{} bytes past the end of {} at {:#x}", p - end, what, near.begin);
}

} // namespace lathe::soft
