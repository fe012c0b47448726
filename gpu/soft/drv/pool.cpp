// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/pool.h"

#include "gpu/soft/drv/memory.h"
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/watch/unwritten.h"

#include <algorithm>
#include <cstring>

namespace lathe::soft {

namespace {

struct Current {
    std::mutex mutex;
    std::weak_ptr<Pool> pool;
};
Current& state() {
    static Current* s = new Current;
    return *s;
}

/// Number of a reuse policy, or -1.
int reuse_index(CUmemPool_attribute attribute) {
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: return 0;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: return 1;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: return 2;
    default: return -1;
    }
}

} // namespace

Pool::Pool(const CUmemPoolProps& properties) : most_{properties.maxSize} {
    require(properties.handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED,
            "memory is not shared between processes");
    require(properties.allocType == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
            "a pool's allocations are pinned");
    require(properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties.location.id == 0,
            CUDA_ERROR_INVALID_VALUE, "a pool is on device 0");
}

Pool::~Pool() { trim(0); }

const std::shared_ptr<Pool>& Pool::of_device() {
    static const auto* const pool = [] {
        CUmemPoolProps properties{};
        properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
        auto made = std::make_shared<Pool>(properties);
        Objects<Pool>::instance().add(made);
        return new std::shared_ptr<Pool>{std::move(made)};
    }();
    return *pool;
}

std::shared_ptr<Pool> Pool::current() {
    std::lock_guard lock{state().mutex};
    auto pool = state().pool.lock();
    return pool && Objects<Pool>::instance().find(pool.get()) ? pool : of_device();
}

void Pool::set_current(std::shared_ptr<Pool> pool) {
    std::lock_guard lock{state().mutex};
    state().pool = pool;
}

void Pool::trim_all() {
    for (const auto& pool : Objects<Pool>::instance().all()) pool->trim_to(0);
}

void* Pool::take(std::size_t bytes) {
    const std::size_t memory = Arena::block_bytes(bytes);
    std::lock_guard lock{mutex_};
    void* p = nullptr;
    if (auto it = unused_.find(memory); it != unused_.end()) {
        p = Arena::instance().reopen(it->second.back(), bytes);
        it->second.pop_back();
        if (it->second.empty()) unused_.erase(it);
        if (!p) reserved_ -= memory;
    }
    if (!p) {
        if (most_ && reserved_ + memory > most_) trim(most_ - std::min(most_, memory));
        if (most_ && reserved_ + memory > most_) return nullptr;
        p = Arena::instance().allocate(bytes);
        if (!p) return nullptr;
        reserved_ += memory;
        reserved_high_ = std::max(reserved_high_, reserved_);
    }
    used_ += memory;
    used_high_ = std::max(used_high_, used_);
    return p;
}

void* Pool::allocate(Context& context, std::size_t bytes) {
    void* p = take(bytes);
    if (!p) {
        trim_all();
        p = take(bytes);
    }
    if (!p) {
        context.wait_idle();
        p = take(bytes);
    }
    if (!p) fail_out_of_memory(bytes);
    Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(p),
                              .bytes = bytes,
                              .kind = Allocation::Kind::device,
                              .context = &context,
                              .pool = shared_from_this()});
    DeviceUnwritten::instance().allocated(reinterpret_cast<std::uintptr_t>(p), bytes);
    return p;
}

void Pool::give_back(const Allocation& allocation) {
    const std::size_t memory = Arena::block_bytes(allocation.bytes);
    void* block = reinterpret_cast<void*>(allocation.begin);
    std::lock_guard lock{mutex_};
    used_ -= memory;
    if (reserved_ > threshold_) {
        Arena::instance().release(block);
        reserved_ -= memory;
    } else {
        Arena::instance().close(block);
        unused_[memory].push_back(block);
    }
}

void Pool::trim(std::size_t bytes) {
    while (reserved_ > bytes && !unused_.empty()) {
        auto largest = std::prev(unused_.end());
        Arena::instance().release(largest->second.back());
        reserved_ -= largest->first;
        largest->second.pop_back();
        if (largest->second.empty()) unused_.erase(largest);
    }
}

void Pool::trim_to(std::size_t bytes) {
    std::lock_guard lock{mutex_};
    trim(bytes);
}

void Pool::get(CUmemPool_attribute attribute, void* value) {
    std::lock_guard lock{mutex_};
    if (const int i = reuse_index(attribute); i >= 0) {
        std::memcpy(value, &reuse_[i], sizeof reuse_[i]);
        return;
    }
    auto put = [&](cuuint64_t number) { std::memcpy(value, &number, sizeof number); };
    switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return put(threshold_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: return put(reserved_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: return put(reserved_high_);
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return put(used_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: return put(used_high_);
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown attribute of a memory pool");
    }
}

void Pool::set(CUmemPool_attribute attribute, const void* value) {
    std::lock_guard lock{mutex_};
    if (const int i = reuse_index(attribute); i >= 0) {
        std::memcpy(&reuse_[i], value, sizeof reuse_[i]);
        return;
    }
    cuuint64_t number = 0;
    std::memcpy(&number, value, sizeof number);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: threshold_ = number; return;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        require(number == 0, CUDA_ERROR_INVALID_VALUE, "high water marks are set to 0 only");
        reserved_high_ = reserved_;
        return;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        require(number == 0, CUDA_ERROR_INVALID_VALUE, "high water marks are set to 0 only");
        used_high_ = used_;
        return;
    default: fail(CUDA_ERROR_INVALID_VALUE, "the attribute cannot be set");
    }
}

} // namespace lathe::soft
