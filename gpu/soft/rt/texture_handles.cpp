// SPDX-License-Identifier: MIT
// The tables behind the handles of textures and surfaces.
#include "gpu/soft/rt/surface.h"
#include "gpu/soft/rt/texture.h"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

namespace lathe::soft {

namespace {

// Handles carry a mark above the index, so that a texture's cannot pass for a surface's.
constexpr std::uint64_t kTextureMark = 0x7e58ull << 32, kSurfaceMark = 0x5f7full << 32;
constexpr std::size_t kObjects = 65536;

template <class T> struct Slots {
    std::atomic<const T*> slots[kObjects] = {};
    std::mutex mutex;
    std::vector<std::uint32_t> free;
    std::uint32_t used = 1; // handle 0 is none

    std::uint64_t add(const T* object) {
        std::lock_guard lock{mutex};
        std::uint32_t i;
        if (!free.empty()) {
            i = free.back();
            free.pop_back();
        } else if (used < kObjects) {
            i = used++;
        } else {
            return 0;
        }
        slots[i].store(object, std::memory_order_release);
        return i;
    }
    void drop(std::uint64_t i) {
        std::lock_guard lock{mutex};
        slots[i].store(nullptr, std::memory_order_release);
        free.push_back(static_cast<std::uint32_t>(i));
    }
};

Slots<Texture>& textures() {
    static auto* slots = new Slots<Texture>;
    return *slots;
}
Slots<Surface>& surfaces() {
    static auto* slots = new Slots<Surface>;
    return *slots;
}

struct References {
    std::shared_mutex mutex;
    std::unordered_set<std::uint64_t> variables;
};
References& references() {
    static auto* all = new References;
    return *all;
}

bool has_mark(std::uint64_t handle, std::uint64_t mark) {
    return (handle & ~(kObjects - 1)) == mark;
}

} // namespace

std::uint64_t add_texture(const Texture* texture) {
    std::uint64_t i = textures().add(texture);
    return i ? kTextureMark | i : 0;
}
std::uint64_t add_surface(const Surface* surface) {
    std::uint64_t i = surfaces().add(surface);
    return i ? kSurfaceMark | i : 0;
}
void drop_texture(std::uint64_t handle) { textures().drop(handle % kObjects); }
void drop_surface(std::uint64_t handle) { surfaces().drop(handle % kObjects); }

void add_reference(const std::uint64_t* variable) {
    std::lock_guard lock{references().mutex};
    references().variables.insert(reinterpret_cast<std::uint64_t>(variable));
}
void drop_reference(const std::uint64_t* variable) {
    std::lock_guard lock{references().mutex};
    references().variables.erase(reinterpret_cast<std::uint64_t>(variable));
}
std::uint64_t handle_behind(std::uint64_t handle) {
    std::shared_lock lock{references().mutex};
    if (!references().variables.contains(handle)) return handle;
    return *reinterpret_cast<const std::uint64_t*>(handle);
}

const Texture* texture_of(std::uint64_t handle) {
    if (!has_mark(handle, kTextureMark)) handle = handle_behind(handle);
    if (!has_mark(handle, kTextureMark)) return nullptr;
    return textures().slots[handle % kObjects].load(std::memory_order_acquire);
}
const Surface* surface_of(std::uint64_t handle) {
    if (!has_mark(handle, kSurfaceMark)) handle = handle_behind(handle);
    if (!has_mark(handle, kSurfaceMark)) return nullptr;
    return surfaces().slots[handle % kObjects].load(std::memory_order_acquire);
}

} // namespace lathe::soft
