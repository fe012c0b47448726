// SPDX-License-Identifier: MIT
#include "python/bind/cuda/pointer.h"

#include "gpu/driver/check.h"
#include "python/bind/cuda/host_memory.h"
#include "python/bind/interop/array.h"

#include <fmt/format.h>

namespace lathe::bind {

CUdeviceptr DeviceAllocation::address() const {
    if (!buffer_) throw gpu::Error{"DeviceAllocation", CUDA_ERROR_INVALID_HANDLE, "it was freed"};
    return buffer_.address();
}

void DeviceAllocation::free() {
    if (!buffer_)
        throw gpu::Error{"DeviceAllocation.free", CUDA_ERROR_INVALID_HANDLE, "it was freed before"};
    buffer_ = {};
}

namespace {

DevicePointer of_interface(py::handle value) {
    const py::dict interface = value.attr("__cuda_array_interface__");
    const py::tuple data = interface["data"];
    DevicePointer found{data[0].cast<std::uint64_t>(), std::nullopt};
    if (interface.contains("strides") && !interface["strides"].is_none()) return found;
    std::size_t bytes = py::module_::import("numpy")
                            .attr("dtype")(interface["typestr"])
                            .attr("itemsize")
                            .cast<std::size_t>();
    for (const py::handle size : interface["shape"]) bytes *= size.cast<std::size_t>();
    found.bytes = bytes;
    return found;
}

} // namespace

std::optional<DevicePointer> find_device_pointer(py::handle value) {
    if (py::isinstance<DeviceAllocation>(value)) {
        const auto& memory = value.cast<const DeviceAllocation&>();
        return DevicePointer{memory.address(), memory.bytes()};
    }
    if (py::isinstance<Array>(value)) {
        const auto& array = value.cast<const Array&>();
        return DevicePointer{array.address(), array.bytes()};
    }
    if (py::hasattr(value, "__array_interface__")) return pointer_of_array(value);
    if (py::isinstance<PointerHolder>(value))
        return DevicePointer{value.attr("get_pointer")().cast<std::uint64_t>(), std::nullopt};
    if (PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
        const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
        if (number) return DevicePointer{number.cast<std::uint64_t>(), std::nullopt};
        PyErr_Clear(); // such as an array of NumPy's
    }
    if (py::hasattr(value, "__cuda_array_interface__")) return of_interface(value);
    if (py::hasattr(value, "gpudata")) return find_device_pointer(value.attr("gpudata"));
    return std::nullopt;
}

DevicePointer device_pointer(py::handle value, const char* function, const char* argument) {
    if (const auto found = find_device_pointer(value)) return *found;
    throw py::type_error(fmt::format("{}: {} must be device memory (a DeviceAllocation, an array on "
                                     "the device or an address), got {}",
                                     function, argument, Py_TYPE(value.ptr())->tp_name));
}

void check_room(const DevicePointer& pointer, std::size_t bytes, const char* routine) {
    if (pointer.bytes && bytes > *pointer.bytes)
        throw gpu::Error{routine, CUDA_ERROR_INVALID_VALUE,
                         fmt::format("{} bytes in an allocation of {}", bytes, *pointer.bytes)};
}

} // namespace lathe::bind
