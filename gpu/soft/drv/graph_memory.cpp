// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/graph_memory.h"

#include "gpu/soft/drv/memory.h"
#include "gpu/soft/rt/arena.h"

#include <algorithm>
#include <unordered_map>

namespace lathe::soft {

namespace {

struct All {
    std::mutex mutex;
    std::unordered_map<CUdeviceptr, std::weak_ptr<GraphMemory>> memory;
    std::unordered_map<CUdeviceptr, std::shared_ptr<GraphMemory>> asked; ///< kept while allocated
    GraphMemory::Use use;
};
All& all() {
    static auto* const instance = new All;
    return *instance;
}

void* pointer(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

} // namespace

GraphMemory::GraphMemory(const Context& context, std::size_t bytes)
    : context_{&context}, bytes_{bytes}, memory_bytes_{Arena::block_bytes(bytes)} {
    address_ = reinterpret_cast<CUdeviceptr>(allocate(context, bytes, Allocation::Kind::graph));
    Arena::instance().close(pointer(address_));
}

GraphMemory::~GraphMemory() {
    {
        All& a = all();
        std::lock_guard lock{a.mutex};
        a.memory.erase(address_);
        if (is_kept_) a.use.now -= memory_bytes_;
    }
    Registry::instance().remove(address_);
    Arena::instance().release(pointer(address_));
}

std::shared_ptr<GraphMemory> GraphMemory::create(const Context& context, std::size_t bytes) {
    require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "0 bytes asked for");
    std::shared_ptr<GraphMemory> made{new GraphMemory{context, bytes}};
    All& a = all();
    std::lock_guard lock{a.mutex};
    a.memory[made->address_] = made;
    return made;
}

std::shared_ptr<GraphMemory> GraphMemory::at(CUdeviceptr p) {
    All& a = all();
    std::lock_guard lock{a.mutex};
    const auto found = a.memory.find(p);
    return found == a.memory.end() ? nullptr : found->second.lock();
}

bool GraphMemory::begin() {
    All& a = all();
    std::lock_guard lock{a.mutex};
    if (is_asked_) return false;
    a.asked[address_] = shared_from_this();
    return is_asked_ = true;
}

bool GraphMemory::end() {
    std::shared_ptr<GraphMemory> last; // may end without the lock
    All& a = all();
    std::lock_guard lock{a.mutex};
    if (!is_asked_) return false;
    is_asked_ = false;
    const auto kept = a.asked.find(address_);
    last = std::move(kept->second);
    a.asked.erase(kept);
    return true;
}

CUresult GraphMemory::open() {
    All& a = all();
    std::lock_guard lock{a.mutex};
    if (is_open_) return CUDA_ERROR_INVALID_VALUE;
    if (!Arena::instance().reopen(pointer(address_), bytes_)) return CUDA_ERROR_OUT_OF_MEMORY;
    is_open_ = true;
    if (!is_kept_) a.use.now += memory_bytes_;
    is_kept_ = true;
    a.use.used_high = std::max(a.use.used_high, a.use.now);
    a.use.reserved_high = std::max(a.use.reserved_high, a.use.now);
    return CUDA_SUCCESS;
}

CUresult GraphMemory::close() {
    All& a = all();
    std::lock_guard lock{a.mutex};
    if (!is_open_) return CUDA_ERROR_INVALID_VALUE;
    Arena::instance().close(pointer(address_));
    is_open_ = false;
    return CUDA_SUCCESS;
}

void GraphMemory::end_of(const Context& context) {
    std::vector<std::shared_ptr<GraphMemory>> mine;
    {
        All& a = all();
        std::lock_guard lock{a.mutex};
        for (const auto& [address, memory] : a.asked)
            if (memory->context_ == &context) mine.push_back(memory);
    }
    for (const auto& memory : mine) {
        memory->end();
        memory->close();
    }
}

GraphMemory::Use GraphMemory::use() {
    All& a = all();
    std::lock_guard lock{a.mutex};
    return a.use;
}

void GraphMemory::reset_used_high() {
    All& a = all();
    std::lock_guard lock{a.mutex};
    a.use.used_high = a.use.now;
}

void GraphMemory::reset_reserved_high() {
    All& a = all();
    std::lock_guard lock{a.mutex};
    a.use.reserved_high = a.use.now;
}

void GraphMemory::drop() {
    if (is_open_ || !is_kept_) return;
    Arena::instance().drop(pointer(address_));
    is_kept_ = false;
    all().use.now -= memory_bytes_;
}

void GraphMemory::trim() {
    std::vector<std::shared_ptr<GraphMemory>> held; // may end without the lock
    All& a = all();
    std::lock_guard lock{a.mutex};
    for (const auto& [address, weak] : a.memory) {
        held.push_back(weak.lock());
        if (held.back()) held.back()->drop();
    }
}

} // namespace lathe::soft
