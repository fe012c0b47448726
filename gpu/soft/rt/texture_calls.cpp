// SPDX-License-Identifier: MIT
// Texture and surface instructions: handles, coordinates as PTX orders them, boundary modes.
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>
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

[[noreturn]] void bad_object(ThreadContext* t, const char* what, std::uint64_t handle,
                             std::uintptr_t pc) {
    FaultReport r;
    r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
    r.message = fmt::format("{:#x} is not a live {} object", handle, what);
    t->block->runner->stop(fiber_of(t), std::move(r), pc);
}

/// Face and coordinates on it, 0 to 1, for a direction (OpenGL's and CUDA's table).
std::uint32_t cube_face(const float* d, float& u, float& v) {
    float x = d[0], y = d[1], z = d[2], ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    std::uint32_t face;
    float s, r, m;
    if (ax >= ay && ax >= az) {
        face = x >= 0 ? 0 : 1;
        m = ax;
        s = x >= 0 ? -z : z;
        r = -y;
    } else if (ay >= az) {
        face = y >= 0 ? 2 : 3;
        m = ay;
        s = x;
        r = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = az;
        s = z >= 0 ? x : -x;
        r = -y;
    }
    u = (s / m + 1) * 0.5f;
    v = (r / m + 1) * 0.5f;
    return face;
}

/// Where a surface access goes; null: outside, and boundary says zero (or it was stopped).
std::uint8_t* surface_texel(ThreadContext* t, const Surface& s, std::uint32_t geometry,
                            std::uint32_t boundary, const std::int32_t* coords, std::size_t bytes,
                            std::uintptr_t pc) {
    const Image& image = s.image;
    bool layered = geometry & (16 | 32);
    unsigned axes = std::min(geometry & 15, 3u);
    std::int64_t layer = layered ? *coords++ : 0;
    std::int64_t at[3] = {coords[0], axes > 1 ? coords[1] : 0, axes > 2 ? coords[2] : 0};
    std::int64_t limit[3] = {static_cast<std::int64_t>(image.width * image.texel_bytes()) -
                                 static_cast<std::int64_t>(bytes),
                             static_cast<std::int64_t>(image.rows()) - 1,
                             static_cast<std::int64_t>(layered       ? image.slices()
                                                       : image.depth ? image.depth
                                                                     : 1) -
                                 1};
    if (layered) at[2] = layer;
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
        inside &= at[a] >= 0 && at[a] <= limit[a];
        if (boundary == 1)
            at[a] = std::clamp<std::int64_t>(at[a], 0, std::max<std::int64_t>(limit[a], 0));
    }
    if (!inside && boundary == 0) {
        FaultReport r;
        r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
        r.message = fmt::format("surface access outside: byte {} of a row of {}, row {} of {}, "
                                "slice {} of {}",
                                at[0], image.width * image.texel_bytes(), at[1], image.rows(),
                                at[2], limit[2] + 1);
        t->block->runner->stop(fiber_of(t), std::move(r), pc);
    }
    if (!inside && boundary == 2) return nullptr;
    if (limit[0] < 0) return nullptr;
    return image.data + static_cast<std::uint64_t>(at[2]) * image.slice_bytes +
           static_cast<std::uint64_t>(at[1]) * image.pitch_bytes +
           static_cast<std::uint64_t>(at[0]);
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

const Texture* texture_of(std::uint64_t handle) {
    if ((handle & ~(kObjects - 1)) != kTextureMark) return nullptr;
    return textures().slots[handle % kObjects].load(std::memory_order_acquire);
}
const Surface* surface_of(std::uint64_t handle) {
    if ((handle & ~(kObjects - 1)) != kSurfaceMark) return nullptr;
    return surfaces().slots[handle % kObjects].load(std::memory_order_acquire);
}

extern "C" {

void lathe_rt_tex(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                  std::uint32_t is_float, const std::uint32_t* coords, float, std::uint32_t,
                  std::uint32_t* result) {
    const Texture* texture = texture_of(object);
    if (!texture) bad_object(t, "texture", object, pc_of(__builtin_return_address(0)));
    unsigned axes = std::min(geometry & 15, 3u);
    std::uint32_t layer = 0;
    if (geometry & 16) layer = *coords++;
    if (!is_float) {
        std::int32_t at[3] = {0, 0, 0};
        std::memcpy(at, coords, axes * sizeof at[0]);
        fetch_texel(*texture, axes, at, layer, result);
        return;
    }
    float at[3] = {0, 0, 0};
    if (geometry & 32) {
        float direction[3];
        std::memcpy(direction, coords, sizeof direction);
        layer = layer * 6 + cube_face(direction, at[0], at[1]);
        if (!texture->normalized_coords) {
            at[0] *= static_cast<float>(texture->image.width);
            at[1] *= static_cast<float>(texture->image.height);
        }
        axes = 2;
    } else {
        std::memcpy(at, coords, axes * sizeof at[0]);
    }
    sample(*texture, axes, at, layer, result);
}

void lathe_rt_tld4(ThreadContext* t, std::uint64_t object, std::uint32_t component,
                   const float* coords, std::uint32_t, std::uint32_t* result) {
    const Texture* texture = texture_of(object);
    if (!texture) bad_object(t, "texture", object, pc_of(__builtin_return_address(0)));
    gather(*texture, component, coords, result);
}

void lathe_rt_suld(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, std::uint64_t* values) {
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    const Surface* surface = surface_of(object);
    if (!surface) bad_object(t, "surface", object, pc);
    const std::uint8_t* p =
        surface_texel(t, *surface, geometry, boundary, coords, std::size_t{bytes} * count, pc);
    for (std::uint32_t i = 0; i < count; ++i) {
        values[i] = 0;
        if (p) std::memcpy(&values[i], p + std::size_t{i} * bytes, bytes);
    }
}

void lathe_rt_sust(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, const std::uint64_t* values) {
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    const Surface* surface = surface_of(object);
    if (!surface) bad_object(t, "surface", object, pc);
    std::uint8_t* p =
        surface_texel(t, *surface, geometry, boundary, coords, std::size_t{bytes} * count, pc);
    if (!p) return;
    for (std::uint32_t i = 0; i < count; ++i)
        std::memcpy(p + std::size_t{i} * bytes, &values[i], bytes);
    if (surface->written && !surface->written->load(std::memory_order_relaxed))
        surface->written->store(true, std::memory_order_relaxed);
}

std::uint32_t lathe_rt_txq(ThreadContext* t, std::uint64_t object, std::uint32_t query) {
    const Texture* texture = texture_of(object);
    const Surface* surface = texture ? nullptr : surface_of(object);
    if (!texture && !surface)
        bad_object(t, "texture or surface", object, pc_of(__builtin_return_address(0)));
    const Image& image = texture ? texture->image : surface->image;
    switch (query) {
    case 0:
        return image.width;
    case 1:
        return image.height;
    case 2:
        return image.depth;
    case 3:
        return static_cast<std::uint32_t>(image.format);
    case 4:
        return image.channels;
    case 5:
        return texture && texture->normalized_coords;
    case 6:
        return image.layers;
    default:
        return 1;
    }
}

} // extern "C"

} // namespace lathe::soft
