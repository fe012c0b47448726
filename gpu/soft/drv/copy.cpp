// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/copy.h"

#include "gpu/soft/drv/capture.h"
#include "gpu/soft/drv/copy_params.h"
#include "gpu/soft/drv/memory.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/watch/unwritten.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::soft {

namespace {

// Below this a copy on an idle stream is faster made at once than handed to a worker.
constexpr std::size_t kInlineBytes = std::size_t{64} << 10;
constexpr std::uint64_t kMost = std::uint64_t{1} << 42; // bytes

std::size_t extent(const CopyEnd& end, const CopyShape& shape) {
    return (shape.slices - 1) * end.slice_bytes + (shape.rows - 1) * end.pitch_bytes +
           shape.row_bytes;
}

void check(const CopyEnd& end, const CopyShape& shape) {
    require_pointer(end.base);
    require(shape.rows == 1 || end.pitch_bytes >= shape.row_bytes, CUDA_ERROR_INVALID_VALUE,
            "pitch is smaller than the width of the copy");
    if (end.array) {
        const Image& image = end.array->image;
        std::size_t offset = static_cast<std::size_t>(end.base - image.data);
        require(offset % image.pitch_bytes + shape.row_bytes <= image.width * image.texel_bytes() &&
                    offset + extent(end, shape) <= image.bytes(),
                CUDA_ERROR_INVALID_VALUE, "the copy reaches over the edge of the array");
        std::size_t first_row = offset % image.slice_bytes / image.pitch_bytes;
        require(first_row + shape.rows <= image.rows(), CUDA_ERROR_INVALID_VALUE,
                "the copy reaches over the edge of the array");
    } else if (!end.host) {
        require_device_range(reinterpret_cast<CUdeviceptr>(end.base), extent(end, shape));
    }
}

/// For who looks for reads of memory that nothing has written.
void note_written(const CopyEnd& to, const CopyShape& s) {
    const DeviceUnwritten& memory = DeviceUnwritten::instance();
    if (!memory.is_on() || to.host || to.array) return;
    for (std::size_t z = 0; z < s.slices; ++z)
        for (std::size_t y = 0; y < s.rows; ++y)
            memory.written(reinterpret_cast<std::uintptr_t>(to.base) + z * to.slice_bytes +
                               y * to.pitch_bytes,
                           s.row_bytes);
}

bool copy_rows(const CopyEnd& to, const CopyEnd& from, const CopyShape& s) {
    if (s.rows == 1 && s.slices == 1) return guarded_copy(to.base, from.base, s.row_bytes);
    bool dense = to.pitch_bytes == s.row_bytes && from.pitch_bytes == s.row_bytes;
    for (std::size_t z = 0; z < s.slices; ++z) {
        std::uint8_t* d = to.base + z * to.slice_bytes;
        const std::uint8_t* p = from.base + z * from.slice_bytes;
        if (dense) {
            if (!guarded_copy(d, p, s.row_bytes * s.rows)) return false;
            continue;
        }
        for (std::size_t y = 0; y < s.rows; ++y)
            if (!guarded_copy(d + y * to.pitch_bytes, p + y * from.pitch_bytes, s.row_bytes))
                return false;
    }
    return true;
}

} // namespace

CopyEnd CopyEnd::of_host(const void* p) {
    CopyEnd end;
    end.base = static_cast<std::uint8_t*>(const_cast<void*>(p));
    end.host = true;
    return end;
}

CopyEnd CopyEnd::of_device(CUdeviceptr p) {
    CopyEnd end;
    end.base = reinterpret_cast<std::uint8_t*>(p);
    return end;
}

CopyEnd CopyEnd::of_array(CUarray handle, std::size_t offset_bytes) {
    CopyEnd end;
    end.array = object<Array>(handle);
    end.base = end.array->image.data + offset_bytes;
    end.pitch_bytes = end.array->image.pitch_bytes;
    end.slice_bytes = end.array->image.slice_bytes;
    return end;
}

namespace {

bool is_empty(const CopyShape& shape) {
    return shape.row_bytes == 0 || shape.rows == 0 || shape.slices == 0;
}

void check(const CopyEnd& to, const CopyEnd& from, const CopyShape& shape) {
    // Before anything is touched: a size that no memory has would be found out only at its end.
    for (const CopyEnd* end : {&to, &from})
        require(shape.row_bytes <= kMost &&
                    shape.rows <= kMost / std::max(end->pitch_bytes, shape.row_bytes) &&
                    shape.slices <= kMost / std::max<std::uint64_t>(end->slice_bytes, 1),
                CUDA_ERROR_INVALID_VALUE, "the copy is larger than any memory");
    check(to, shape);
    check(from, shape);
}

std::function<CUresult()> action_of(const CopyEnd& to, const CopyEnd& from, const CopyShape& shape,
                                    std::shared_ptr<std::uint8_t[]> staging) {
    return [to, from, shape, staging = std::move(staging)] {
        if (to.array) to.array->written.store(true, std::memory_order_relaxed);
        note_written(to, shape);
        return copy_rows(to, from, shape) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    };
}

} // namespace

void copy(Context& context, CUstream handle, CopyEnd to, CopyEnd from, CopyShape shape, bool wait) {
    auto stream = context.stream(handle);
    if (is_empty(shape)) return;
    check(to, from, shape);
    if (is_capturing(*stream)) return capture(*stream, CopyOperation{params_of(to, from, shape)});
    std::size_t bytes = shape.row_bytes * shape.rows * shape.slices;
    bool pageable_source = from.host && !is_pinned(from.base, extent(from, shape));
    bool pageable_target = to.host && !is_pinned(to.base, extent(to, shape));

    if (wait || pageable_target)
        return context.run_and_wait(stream, action_of(to, from, shape, nullptr));
    if ((bytes <= kInlineBytes || pageable_source) &&
        context.run_now(stream, action_of(to, from, shape, nullptr)))
        return;
    std::shared_ptr<std::uint8_t[]> staging;
    if (pageable_source) {
        staging = std::make_shared<std::uint8_t[]>(bytes);
        CopyEnd stage;
        stage.base = staging.get();
        stage.pitch_bytes = shape.row_bytes;
        stage.slice_bytes = shape.row_bytes * shape.rows;
        if (!copy_rows(stage, from, shape)) fail(CUDA_ERROR_INVALID_VALUE, "unreadable source");
        from = stage;
    }
    context.run(stream, false, action_of(to, from, shape, staging));
}

void copy(Context& context, CUstream stream, const CUDA_MEMCPY2D& c, bool wait) {
    const auto [to, from, shape] = parts_of(c);
    copy(context, stream, to, from, shape, wait);
}

void copy(Context& context, CUstream stream, const CUDA_MEMCPY3D& c, bool wait) {
    const auto [to, from, shape] = parts_of(c);
    copy(context, stream, to, from, shape, wait);
}

std::function<CUresult()> copy_action(const CUDA_MEMCPY3D& c) {
    const auto [to, from, shape] = parts_of(c);
    if (is_empty(shape)) return {};
    check(to, from, shape);
    return action_of(to, from, shape, nullptr);
}

std::function<CUresult()> fill_action(CUdeviceptr to, std::size_t pitch_bytes, unsigned value,
                                      std::size_t element_bytes, std::size_t count,
                                      std::size_t rows) {
    if (count == 0 || rows == 0) return {};
    std::size_t row_bytes = count * element_bytes;
    require(count <= SIZE_MAX / 4 && (rows == 1 || pitch_bytes >= row_bytes),
            CUDA_ERROR_INVALID_VALUE, "pitch is smaller than the width");
    require(to % element_bytes == 0 && (rows == 1 || pitch_bytes % element_bytes == 0),
            CUDA_ERROR_INVALID_VALUE, "address or pitch is not a multiple of the element");
    require_device_range(to, (rows - 1) * pitch_bytes + row_bytes);
    auto* base = reinterpret_cast<std::uint8_t*>(to);
    return [=] {
        bool ok = true;
        for (std::size_t y = 0; y < rows && ok; ++y)
            ok = guarded_fill(base + y * pitch_bytes, value, element_bytes, count);
        for (std::size_t y = 0; y < rows && DeviceUnwritten::instance().is_on(); ++y)
            DeviceUnwritten::instance().written(to + y * pitch_bytes, row_bytes);
        return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    };
}

void fill(Context& context, CUstream handle, CUdeviceptr to, std::size_t pitch_bytes,
          unsigned value, std::size_t element_bytes, std::size_t count, std::size_t rows,
          bool wait) {
    auto stream = context.stream(handle);
    auto action = fill_action(to, pitch_bytes, value, element_bytes, count, rows);
    if (!action) return;
    if (is_capturing(*stream)) {
        const auto bytes = static_cast<unsigned>(element_bytes);
        return capture(*stream, FillOperation{{to, pitch_bytes, value, bytes, count, rows}});
    }
    if (wait) context.run_and_wait(stream, action);
    else context.run(stream, count * element_bytes * rows <= kInlineBytes, action);
}

} // namespace lathe::soft
