// SPDX-License-Identifier: MIT
#include "python/bind/interop/map_pool.h"

#include "python/bind/interop/shared.h"

#include <span>
#include <utility>

namespace lathe::bind {

void MapPool::map(std::vector<std::shared_ptr<Shared>> memories, gpu::StreamView stream) {
    context_.make_current();
    std::vector<SharedObject*> objects;
    objects.reserve(memories.size());
    for (const auto& m : memories) objects.push_back(&m->object());
    mappings_.emplace_back(std::span<SharedObject* const>{objects}, stream);
    for (std::size_t i = 0; i < memories.size(); ++i) {
        memories[i]->on_map(mappings_.back(), i);
        held_.push_back(std::move(memories[i]));
    }
}

void MapPool::hold(const std::shared_ptr<Shared>& memory, gpu::StreamView stream) {
    if (!memory->object().is_mapped()) {
        std::vector<std::shared_ptr<Shared>> wanted;
        if (held_.empty())
            for (const auto& weak : std::exchange(last_, {}))
                if (auto m = weak.lock(); m && m != memory) wanted.push_back(std::move(m));
        wanted.push_back(memory);
        map(std::move(wanted), stream);
    }
    memory->used_ = true;
}

void MapPool::unmap_all() {
    if (held_.empty()) return;
    context_.make_current();
    last_.clear();
    for (const auto& m : held_)
        if (std::exchange(m->used_, false)) last_.push_back(m);
    auto mappings = std::exchange(mappings_, {});
    auto held = std::exchange(held_, {}); // let go after the unmap, even where that throws
    for (Mapping& mapping : mappings) mapping.unmap();
}

} // namespace lathe::bind
