// SPDX-License-Identifier: MIT
#include "gpu/box_copy.h"

#include "gpu/driver/check.h"

#include <limits>
#include <type_traits>

namespace lathe::gpu {
namespace {

constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();

// Sums and products that stay at the largest number: an end beyond any memory.
std::size_t add(std::size_t a, std::size_t b) {
    std::size_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kMost : sum;
}
std::size_t multiply(std::size_t a, std::size_t b) {
    std::size_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

/// The checks of one side; `name` is "source" or "destination".
class SideCheck {
public:
    SideCheck(const BoxCopy& copy, CopySide& side, const char* name, const char* routine)
        : copy_{copy}, side_{side}, name_{name}, routine_{routine} {}

    void run() const {
        if (side_.lod != 0) refuse("the {}'s LOD is {}, must be 0", name_, side_.lod);
        switch (side_.memory) {
        case CU_MEMORYTYPE_ARRAY: return in_array();
        case CU_MEMORYTYPE_HOST:
            if (!side_.host) refuse("the {} is host memory, and none was given", name_);
            return in_linear();
        case CU_MEMORYTYPE_DEVICE:
        case CU_MEMORYTYPE_UNIFIED:
            if (!side_.device) refuse("the {} is device memory, and none was given", name_);
            return in_linear();
        }
        refuse("the {} has memory type {}", name_, static_cast<int>(side_.memory));
    }

private:
    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> words, Args&&... args) const {
        throw Error{routine_, CUDA_ERROR_INVALID_VALUE,
                    fmt::format(words, std::forward<Args>(args)...)};
    }

    void in_array() const {
        if (!side_.array || !*side_.array)
            refuse("the {} is a CUDA array, and none was given", name_);
        const CudaArray& array = *side_.array;
        const auto check = [&](const char* axis, std::size_t begin, std::size_t size,
                               std::size_t most) {
            if (add(begin, size) > most)
                refuse("the {} ends at {} {}, the CUDA array has {}", name_, axis, add(begin, size),
                       most);
        };
        check("byte x =", side_.x_bytes, copy_.width_bytes, array.row_bytes());
        check("row", side_.y, copy_.height, array.rows());
        check("slice", side_.z, copy_.depth, array.slices());
        side_.pitch_bytes = side_.height = 0;
    }

    void in_linear() const {
        const std::size_t row = add(side_.x_bytes, copy_.width_bytes);
        const std::size_t rows = add(side_.y, copy_.height);
        if (side_.pitch_bytes == 0) side_.pitch_bytes = row;
        if (side_.height == 0) side_.height = rows;
        if (rows > 1 && side_.pitch_bytes < row)
            refuse("the {}'s pitch is {}, its rows end at byte {}", name_, side_.pitch_bytes, row);
        if (add(side_.z, copy_.depth) > 1 && side_.height < rows)
            refuse("the {}'s slices have {} rows, the copy ends at row {}", name_, side_.height,
                   rows);
        const std::size_t whole_rows =
            add(multiply(add(side_.z, copy_.depth) - 1, side_.height), rows - 1);
        const std::size_t end = add(multiply(whole_rows, side_.pitch_bytes), row);
        if (end > side_.room.value_or(kMost - 1))
            refuse("the {} ends at byte {}, its memory has {}", name_, end,
                   side_.room.value_or(kMost - 1));
    }

    const BoxCopy& copy_;
    CopySide& side_;
    const char* name_;
    const char* routine_;
};

/// The copy with its pitches settled, and everything checked; nothing where there is nothing to do.
std::optional<BoxCopy> settled(const BoxCopy& copy, const char* routine, bool one_context) {
    if (copy.width_bytes == 0 || copy.height == 0 || copy.depth == 0) return std::nullopt;
    BoxCopy s = copy;
    SideCheck{s, s.from, "source", routine}.run();
    SideCheck{s, s.to, "destination", routine}.run();
    Context::ensure_current();
    for (const CopySide* side : {&s.from, &s.to}) {
        if (side->memory != CU_MEMORYTYPE_ARRAY) continue;
        one_context ? side->array->require_current(routine) : side->array->require_alive(routine);
    }
    return s;
}

/// CUDA_MEMCPY2D, CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name these alike.
template <class Raw> Raw raw_of(const BoxCopy& c) {
    Raw r{};
    r.srcXInBytes = c.from.x_bytes;
    r.srcY = c.from.y;
    r.srcMemoryType = c.from.memory;
    r.srcHost = c.from.host;
    r.srcDevice = c.from.device;
    r.srcArray = c.from.memory == CU_MEMORYTYPE_ARRAY ? c.from.array->get() : nullptr;
    r.srcPitch = c.from.pitch_bytes;
    r.dstXInBytes = c.to.x_bytes;
    r.dstY = c.to.y;
    r.dstMemoryType = c.to.memory;
    r.dstHost = c.to.host;
    r.dstDevice = c.to.device;
    r.dstArray = c.to.memory == CU_MEMORYTYPE_ARRAY ? c.to.array->get() : nullptr;
    r.dstPitch = c.to.pitch_bytes;
    r.WidthInBytes = c.width_bytes;
    r.Height = c.height;
    if constexpr (!std::is_same_v<Raw, CUDA_MEMCPY2D>) {
        r.srcZ = c.from.z;
        r.srcHeight = c.from.height;
        r.dstZ = c.to.z;
        r.dstHeight = c.to.height;
        r.Depth = c.depth;
    }
    return r;
}

std::string words_of(const BoxCopy& c) {
    return fmt::format("{} bytes x {} rows x {} slices", c.width_bytes, c.height, c.depth);
}

CUcontext context_or_current(const Context& context) {
    return context ? context.get() : Context::ensure_current().get();
}

std::optional<CUDA_MEMCPY3D_PEER> raw_between(const BoxCopy& copy, const char* routine) {
    const auto c = settled(copy, routine, false);
    if (!c) return std::nullopt;
    auto raw = raw_of<CUDA_MEMCPY3D_PEER>(*c);
    raw.srcContext = context_or_current(c->from.context);
    raw.dstContext = context_or_current(c->to.context);
    return raw;
}

} // namespace

void copy_rows(const BoxCopy& copy, bool aligned) {
    const auto c = settled(copy, aligned ? "cuMemcpy2D" : "cuMemcpy2DUnaligned", true);
    if (!c) return;
    const auto raw = raw_of<CUDA_MEMCPY2D>(*c);
    if (aligned) CU_TRY(cuMemcpy2D(&raw), "{}", words_of(*c));
    else CU_TRY(cuMemcpy2DUnaligned(&raw), "{}", words_of(*c));
}

void copy_rows(const BoxCopy& copy, StreamView stream) {
    const auto c = settled(copy, "cuMemcpy2DAsync", true);
    if (!c) return;
    const auto raw = raw_of<CUDA_MEMCPY2D>(*c);
    CU_TRY(cuMemcpy2DAsync(&raw, stream.get()), "{}", words_of(*c));
}

void copy_box(const BoxCopy& copy) {
    const auto c = settled(copy, "cuMemcpy3D", true);
    if (!c) return;
    const auto raw = raw_of<CUDA_MEMCPY3D>(*c);
    CU_TRY(cuMemcpy3D(&raw), "{}", words_of(*c));
}

void copy_box(const BoxCopy& copy, StreamView stream) {
    const auto c = settled(copy, "cuMemcpy3DAsync", true);
    if (!c) return;
    const auto raw = raw_of<CUDA_MEMCPY3D>(*c);
    CU_TRY(cuMemcpy3DAsync(&raw, stream.get()), "{}", words_of(*c));
}

void copy_box_between(const BoxCopy& copy) {
    if (const auto raw = raw_between(copy, "cuMemcpy3DPeer"))
        CU_TRY(cuMemcpy3DPeer(&*raw), "{}", words_of(copy));
}

void copy_box_between(const BoxCopy& copy, StreamView stream) {
    if (const auto raw = raw_between(copy, "cuMemcpy3DPeerAsync"))
        CU_TRY(cuMemcpy3DPeerAsync(&*raw, stream.get()), "{}", words_of(copy));
}

void copy_between(CUdeviceptr to, const Context& to_context, CUdeviceptr from,
                  const Context& from_context, std::size_t bytes) {
    if (bytes == 0) return;
    CU_TRY(cuMemcpyPeer(to, context_or_current(to_context), from, context_or_current(from_context),
                        bytes),
           "{} bytes", bytes);
}

void copy_between(CUdeviceptr to, const Context& to_context, CUdeviceptr from,
                  const Context& from_context, std::size_t bytes, StreamView stream) {
    if (bytes == 0) return;
    CU_TRY(cuMemcpyPeerAsync(to, context_or_current(to_context), from,
                             context_or_current(from_context), bytes, stream.get()),
           "{} bytes", bytes);
}

} // namespace lathe::gpu
