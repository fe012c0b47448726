// SPDX-License-Identifier: MIT
#include "python/bind/interop/map_pool.h"

#include "python/bind/interop/storage.h"

#include <span>
#include <utility>

namespace lathe::bind {

void MapPool::map(std::vector<std::shared_ptr<Storage>> storages, gpu::StreamView stream) {
    context_.make_current();
    std::vector<SharedObject*> objects;
    objects.reserve(storages.size());
    for (const auto& s : storages) objects.push_back(&s->shared());
    mappings_.emplace_back(std::span<SharedObject* const>{objects}, stream);
    for (std::size_t i = 0; i < storages.size(); ++i) {
        storages[i]->address_ = mappings_.back().address(i);
        held_.push_back(std::move(storages[i]));
    }
}

CUdeviceptr MapPool::address(const std::shared_ptr<Storage>& storage, gpu::StreamView stream) {
    if (!storage->shared().is_mapped()) {
        std::vector<std::shared_ptr<Storage>> wanted;
        if (held_.empty())
            for (const auto& weak : std::exchange(last_, {}))
                if (auto s = weak.lock(); s && s != storage) wanted.push_back(std::move(s));
        wanted.push_back(storage);
        map(std::move(wanted), stream);
    }
    storage->used_ = true;
    return storage->address_;
}

void MapPool::unmap_all() {
    if (held_.empty()) return;
    context_.make_current();
    last_.clear();
    for (const auto& s : held_)
        if (std::exchange(s->used_, false)) last_.push_back(s);
    auto mappings = std::exchange(mappings_, {});
    auto held = std::exchange(held_, {}); // let go after the unmap, even where that throws
    for (Mapping& mapping : mappings) mapping.unmap();
}

} // namespace lathe::bind
