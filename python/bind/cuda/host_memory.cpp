// SPDX-License-Identifier: MIT
// Host memory that the device knows, or that is aligned: what NumPy arrays of lathe.cuda lie in.
#include "python/bind/cuda/host_memory.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"

#include <cuda.h>

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <new>

namespace lathe::bind {

namespace {

gpu::PinnedConfig config_of(unsigned flags) {
    return {.mapped = (flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0,
            .portable = (flags & CU_MEMHOSTALLOC_PORTABLE) != 0,
            .write_combined = (flags & CU_MEMHOSTALLOC_WRITECOMBINED) != 0};
}

[[noreturn]] void freed(const char* what) {
    throw gpu::Error{what, CUDA_ERROR_INVALID_HANDLE, "it was freed"};
}

py::buffer_info bytes_at(void* data, std::size_t bytes) {
    return {data, 1, py::format_descriptor<std::uint8_t>::format(), static_cast<py::ssize_t>(bytes)};
}

} // namespace

PagelockedMemory::PagelockedMemory(std::size_t bytes, unsigned flags)
    : buffer_{std::max(bytes, std::size_t{1}), config_of(flags)}, bytes_{bytes}, flags_{flags} {}

void* PagelockedMemory::data() const {
    if (!buffer_) freed("PagelockedHostAllocation");
    return buffer_.data();
}

CUdeviceptr PagelockedMemory::device_address() const {
    (void)data();
    return buffer_.device_address();
}

void PagelockedMemory::free() {
    (void)data();
    buffer_ = {};
    bytes_ = 0;
}

AlignedMemory::AlignedMemory(std::size_t bytes, std::size_t alignment) : bytes_{bytes} {
    if (!std::has_single_bit(alignment) || alignment < sizeof(void*))
        throw py::value_error(
            fmt::format("alignment must be a power of two of at least {}, got {}", sizeof(void*), alignment));
    const std::size_t rounded = (std::max(bytes, std::size_t{1}) + alignment - 1) / alignment * alignment;
    data_.reset(std::aligned_alloc(alignment, rounded));
    if (!data_) throw std::bad_alloc{};
}

void* AlignedMemory::data() const {
    if (!data_) freed("AlignedHostAllocation");
    return data_.get();
}

void AlignedMemory::free() {
    (void)data();
    data_.reset();
    bytes_ = 0;
}

std::optional<DevicePointer> pointer_of_array(py::handle array) {
    const auto at = array.attr("__array_interface__")["data"].cast<py::tuple>()[0].cast<std::uint64_t>();
    const auto size = array.attr("nbytes").cast<std::size_t>();
    py::object base = array.attr("base");
    while (!base.is_none()) {
        if (py::isinstance<ManagedMemory>(base)) return DevicePointer{at, size};
        if (py::isinstance<PagelockedMemory>(base)) {
            const auto& memory = base.cast<const PagelockedMemory&>();
            if (!memory.is_mapped()) return std::nullopt;
            return DevicePointer{memory.device_address() + (at - reinterpret_cast<std::uint64_t>(memory.data())), size};
        }
        base = py::getattr(base, "base", py::none());
    }
    return std::nullopt;
}

void bind_host_memory(py::module_& m) {
    py::class_<PagelockedMemory>(m, "PagelockedHostAllocation", py::buffer_protocol(),
                                 "Page-locked host memory, freed with this object.")
        .def(py::init<std::size_t, unsigned>(), py::arg("bytes"), py::arg("flags") = 0)
        .def_buffer([](PagelockedMemory& p) { return bytes_at(p.data(), p.bytes()); })
        .def("free", &PagelockedMemory::free,
             "Frees it now: arrays over it must not be used any more. Raises LogicError the second time.")
        .def("get_flags", &PagelockedMemory::flags, "host_alloc_flags it was made with.")
        .def("get_device_pointer", &PagelockedMemory::device_address,
             "Its address on the device.");
    py::class_<AlignedMemory>(m, "AlignedHostAllocation", py::buffer_protocol(),
                              "Aligned host memory, freed with this object.")
        .def(py::init<std::size_t, std::size_t>(), py::arg("bytes"), py::arg("alignment") = 4096)
        .def_buffer([](AlignedMemory& p) { return bytes_at(p.data(), p.bytes()); })
        .def("free", &AlignedMemory::free,
             "Frees it now: arrays over it must not be used any more. Raises LogicError the second time.");
    py::class_<ManagedMemory, DeviceAllocation, std::shared_ptr<ManagedMemory>>(
        m, "ManagedAllocation", py::buffer_protocol(),
        "Memory that host and device both address, freed with this object.")
        .def(py::init<std::size_t>(), py::arg("bytes"))
        .def_buffer([](ManagedMemory& p) { return bytes_at(reinterpret_cast<void*>(p.address()), p.size()); })
        .def("get_device_pointer", &ManagedMemory::address);
}

} // namespace lathe::bind
