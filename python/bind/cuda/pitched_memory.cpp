// SPDX-License-Identifier: MIT
// Pitched memory and fills of rows, as PyCUDA's driver module has them.
#include "python/bind/bind.h"
#include "python/bind/cuda/graph.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/cuda/stream.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

namespace lathe::bind {

namespace {

py::tuple allocate_rows(std::size_t width, std::size_t height, unsigned access_size) {
    gpu::PitchedBuffer made = retry_after_collecting(
        [&] { return gpu::DeviceBuffer::pitched(width, height, access_size); });
    return py::make_tuple(std::make_shared<DeviceAllocation>(std::move(made.buffer)),
                          made.pitch_bytes);
}

/// Throws where the rows overlap or leave the allocation.
void check_rows(const DevicePointer& to, std::size_t pitch, std::size_t width, std::size_t height,
                std::size_t unit_bytes, const char* routine) {
    std::size_t row = 0;
    std::size_t end = 0;
    const bool too_large = __builtin_mul_overflow(width, unit_bytes, &row) ||
                           __builtin_mul_overflow(height - 1, pitch, &end) ||
                           __builtin_add_overflow(end, row, &end);
    if (too_large || (height > 1 && pitch < row))
        throw gpu::Error{routine, CUDA_ERROR_INVALID_VALUE,
                         fmt::format("{} rows of {} elements of {} bytes do not fit a pitch of {}",
                                     height, width, unit_bytes, pitch)};
    check_room(to, end, routine);
}

template <class Unit> void bind_row_fill(py::module_& m, const char* name, const char* routine) {
    const auto fill = [routine](const py::object& dest, std::size_t pitch, Unit data,
                                std::size_t width, std::size_t height, const PyStream* stream,
                                bool async) {
        const DevicePointer to = device_pointer(dest, "memset", "dest");
        if (width == 0 || height == 0) return;
        check_rows(to, pitch, width, height, sizeof(Unit), routine);
        if (async) PyGraph::keep_captured(stream_of(stream), {dest});
        py::gil_scoped_release release;
        async ? gpu::fill_rows(to.address, pitch, data, sizeof(Unit), width, height,
                               stream_of(stream))
              : gpu::fill_rows(to.address, pitch, data, sizeof(Unit), width, height);
    };
    m.def(
        name,
        [fill](const py::object& dest, std::size_t pitch, Unit data, std::size_t width,
               std::size_t height) { fill(dest, pitch, data, width, height, nullptr, false); },
        py::arg("dest"), py::arg("pitch"), py::arg("data"), py::arg("width"), py::arg("height"),
        "`height` rows of `width` elements, `pitch` bytes from row to row. Raises LogicError\n"
        "where they are longer than the allocation.");
    m.def(
        fmt::format("{}_async", name).c_str(),
        [fill](const py::object& dest, std::size_t pitch, Unit data, std::size_t width,
               std::size_t height,
               const PyStream* stream) { fill(dest, pitch, data, width, height, stream, true); },
        py::arg("dest"), py::arg("pitch"), py::arg("data"), py::arg("width"), py::arg("height"),
        py::arg("stream") = py::none());
}

} // namespace

void bind_pitched_memory(py::module_& m) {
    m.def(
        "mem_alloc_pitch", &allocate_rows, py::arg("width"), py::arg("height"),
        py::arg("access_size"),
        "(allocation, pitch): `height` rows of `width` bytes, `pitch` bytes from row to row.\n"
        "`access_size` is what a thread reads at once: 4, 8 or 16 bytes. Raises MemoryError where\n"
        "there is not enough, LogicError for other values. (cuMemAllocPitch)");
    bind_row_fill<std::uint8_t>(m, "memset_d2d8", "cuMemsetD2D8");
    bind_row_fill<std::uint16_t>(m, "memset_d2d16", "cuMemsetD2D16");
    bind_row_fill<std::uint32_t>(m, "memset_d2d32", "cuMemsetD2D32");
}

} // namespace lathe::bind
