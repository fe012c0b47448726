// SPDX-License-Identifier: MIT
// Surface instructions as compiled code calls them: places, boundary modes, loads, stores with and
// without formats, atomic operations.
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/image_warp.h"
#include "gpu/soft/rt/surface.h"
#include "gpu/soft/rt/texel.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace lathe::soft {

namespace {

const Surface& live_surface(ThreadContext* t, std::uint64_t handle, std::uintptr_t pc) {
    if (const Surface* surface = surface_of(handle)) return *surface;
    FaultReport r;
    r.code = CUDA_ERROR_ILLEGAL_ADDRESS;
    r.message = fmt::format("{:#x} is not a live surface object", handle);
    t->block->runner->stop(fiber_of(t), std::move(r), pc);
}

/// Where an access of `bytes` goes; null: outside, and boundary says zero. x counts bytes, or
/// texels where `formatted`.
std::uint8_t* surface_texel(ThreadContext* t, const Surface& s, std::uint32_t geometry,
                            std::uint32_t boundary, const std::int32_t* coords, std::size_t bytes,
                            std::uintptr_t pc, bool formatted = false) {
    const Image& image = s.image;
    bool layered = geometry & (kTextureLayered | kTextureCube);
    unsigned axes = std::clamp(geometry & 15, 1u, 3u);
    // Layers are unsigned, as on GPUs: one below 0 is beyond the last.
    const auto layer = layered ? std::int64_t{static_cast<std::uint32_t>(*coords++)} : 0;
    const std::int64_t unit = formatted ? static_cast<std::int64_t>(image.texel_bytes()) : 1;
    const auto row_bytes = static_cast<std::int64_t>(image.width * image.texel_bytes());
    std::int64_t at[3] = {coords[0] * unit, axes > 1 ? coords[1] : 0, axes > 2 ? coords[2] : 0};
    std::int64_t limit[3] = {row_bytes - static_cast<std::int64_t>(bytes),
                             std::int64_t{image.rows()} - 1, std::int64_t{image.slices()} - 1};
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
                                at[0], row_bytes, at[1], image.rows(), at[2], limit[2] + 1);
        t->block->runner->stop(fiber_of(t), std::move(r), pc);
    }
    if (!inside && boundary == 2) return nullptr;
    if (limit[0] < 0) return nullptr;
    return image.data + static_cast<std::uint64_t>(at[2]) * image.slice_bytes +
           static_cast<std::uint64_t>(at[1]) * image.pitch_bytes +
           static_cast<std::uint64_t>(at[0]);
}

void mark_written(const Surface& surface) {
    if (surface.written && !surface.written->load(std::memory_order_relaxed))
        surface.written->store(true, std::memory_order_relaxed);
}

struct SurfaceLanes {
    std::uint32_t mask, width;
    const std::int32_t* coords; ///< x of all lanes, then y
    std::uint32_t* values;      ///< element by element
};

/// An access of all lanes of a mask; those outside go the way of single threads.
template <class T, unsigned count, bool store>
void access_lanes(ThreadContext* t, const Surface& surface, const SurfaceLanes& lanes,
                  std::uint32_t boundary, std::uintptr_t pc) {
    const Image& image = surface.image;
    const std::int64_t last_x = static_cast<std::int64_t>(image.width * image.texel_bytes()) -
                                static_cast<std::int64_t>(sizeof(T) * count);
    const std::uint32_t rows = image.rows();
    const std::uint32_t first_thread = t->linear_tid;
    for (std::uint32_t left = lanes.mask; left; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::int32_t at[2] = {lanes.coords[lane], lanes.coords[lanes.width + lane]};
        std::uint8_t* p;
        if (at[0] >= 0 && at[0] <= last_x && static_cast<std::uint32_t>(at[1]) < rows) {
            p = image.data + static_cast<std::uint32_t>(at[1]) * image.pitch_bytes +
                static_cast<std::uint32_t>(at[0]);
        } else {
            t->linear_tid = first_thread + lane; // whom a trap names
            p = surface_texel(t, surface, 2, boundary, at, sizeof(T) * count, pc);
        }
        T elements[count] = {};
        if constexpr (store) {
            for (unsigned k = 0; k < count; ++k)
                elements[k] = static_cast<T>(lanes.values[k * lanes.width + lane]);
            if (p) std::memcpy(p, elements, sizeof elements);
        } else {
            if (p) std::memcpy(elements, p, sizeof elements);
            for (unsigned k = 0; k < count; ++k) lanes.values[k * lanes.width + lane] = elements[k];
        }
    }
}

template <class T, unsigned count>
void access_lanes(ThreadContext* t, const Surface& surface, const SurfaceLanes& lanes,
                  const SurfaceAccess& how, std::uintptr_t pc) {
    if (how.store) access_lanes<T, count, true>(t, surface, lanes, how.boundary, pc);
    else access_lanes<T, count, false>(t, surface, lanes, how.boundary, pc);
}

template <class T>
void access_lanes(ThreadContext* t, const Surface& surface, const SurfaceLanes& lanes,
                  const SurfaceAccess& how, std::uintptr_t pc) {
    if (how.count == 1) access_lanes<T, 1>(t, surface, lanes, how, pc);
    else if (how.count == 2) access_lanes<T, 2>(t, surface, lanes, how, pc);
    else access_lanes<T, 4>(t, surface, lanes, how, pc);
}

template <class T> T reduced(SurfaceReduction op, T old, T value) {
    switch (op) {
    case SurfaceReduction::add: // of unsigned numbers: the bits are those of signed ones
        return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(value));
    case SurfaceReduction::min: return std::min(old, value);
    case SurfaceReduction::max: return std::max(old, value);
    case SurfaceReduction::and_: return static_cast<T>(old & value);
    default: return static_cast<T>(old | value);
    }
}

template <class T> void reduce(std::uint8_t* p, SurfaceReduction op, std::uint64_t value) {
    std::atomic_ref<T> place{*reinterpret_cast<T*>(p)};
    T old = place.load(std::memory_order_relaxed);
    while (!place.compare_exchange_weak(old, reduced(op, old, static_cast<T>(value)),
                                        std::memory_order_relaxed)) {}
}

} // namespace

extern "C" {

void lathe_rt_suld(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, std::uint64_t* values) {
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    const Surface& surface = live_surface(t, object, pc);
    const std::uint8_t* p =
        surface_texel(t, surface, geometry, boundary, coords, std::size_t{bytes} * count, pc);
    for (std::uint32_t i = 0; i < count; ++i) {
        values[i] = 0;
        if (p) std::memcpy(&values[i], p + std::size_t{i} * bytes, bytes);
    }
}

void lathe_rt_sust(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                   std::uint32_t boundary, const std::int32_t* coords, std::uint32_t bytes,
                   std::uint32_t count, const std::uint64_t* values) {
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    const Surface& surface = live_surface(t, object, pc);
    std::uint8_t* p =
        surface_texel(t, surface, geometry, boundary, coords, std::size_t{bytes} * count, pc);
    if (!p) return;
    for (std::uint32_t i = 0; i < count; ++i)
        std::memcpy(p + std::size_t{i} * bytes, &values[i], bytes);
    mark_written(surface);
}

void lathe_rt_surface_warp(ThreadContext* t, std::uint64_t object, std::uint32_t mask,
                           std::uint32_t width, std::uint32_t access, const std::int32_t* coords,
                           std::uint32_t* values) {
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    if (!surface_of(object)) t->linear_tid += static_cast<std::uint32_t>(std::countr_zero(mask));
    const Surface& surface = live_surface(t, object, pc);
    const SurfaceAccess how = SurfaceAccess::unpacked(access);
    const SurfaceLanes lanes{mask, width, coords, values};
    if (how.bytes == 1) access_lanes<std::uint8_t>(t, surface, lanes, how, pc);
    else if (how.bytes == 2) access_lanes<std::uint16_t>(t, surface, lanes, how, pc);
    else access_lanes<std::uint32_t>(t, surface, lanes, how, pc);
    if (how.store) mark_written(surface);
}

void lathe_rt_sust_formatted(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                             std::uint32_t boundary, const std::int32_t* coords,
                             std::uint32_t count, const std::uint64_t* values) {
    const NormalFloats normal;
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    const Surface& surface = live_surface(t, object, pc);
    std::uint8_t* p = surface_texel(t, surface, geometry, boundary, coords,
                                    surface.image.texel_bytes(), pc, true);
    if (!p) return;
    std::uint32_t words[4] = {};
    for (std::uint32_t i = 0; i < std::min(count, 4u); ++i)
        words[i] = static_cast<std::uint32_t>(values[i]);
    store_words(surface.image, p, words, count);
    mark_written(surface);
}

void lathe_rt_sured(ThreadContext* t, std::uint64_t object, std::uint32_t geometry,
                    std::uint32_t boundary, const std::int32_t* coords, std::uint32_t op,
                    std::uint32_t kind, std::uint64_t value) {
    std::uintptr_t pc = pc_of(__builtin_return_address(0));
    const Surface& surface = live_surface(t, object, pc);
    const std::size_t bytes = kind & kReduceWide ? 8 : 4;
    std::uint8_t* p =
        surface_texel(t, surface, geometry, boundary, coords, bytes, pc, kind & kReduceFormatted);
    if (!p) return;
    p -= static_cast<std::size_t>(p - surface.image.data) % bytes; // rows begin at 64 bytes
    const auto operation = static_cast<SurfaceReduction>(op);
    if (kind & kReduceFormatted && surface.image.format == Format::s32) kind |= kReduceSigned;
    if (kind & kReduceWide)
        kind& kReduceSigned ? reduce<std::int64_t>(p, operation, value)
                            : reduce<std::uint64_t>(p, operation, value);
    else
        kind& kReduceSigned ? reduce<std::int32_t>(p, operation, value)
                            : reduce<std::uint32_t>(p, operation, value);
    mark_written(surface);
}

} // extern "C"

} // namespace lathe::soft
