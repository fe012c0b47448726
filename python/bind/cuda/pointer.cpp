// SPDX-License-Identifier: MIT
#include "python/bind/cuda/pointer.h"

#include "gpu/driver/check.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/cuda/host_memory.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/texture_object.h"
#include "python/bind/gil.h"

#include <pybind11/numpy.h>

#include <fmt/format.h>

namespace lathe::bind {

void refuse_freed(const char* what) {
    throw gpu::Error{what, CUDA_ERROR_INVALID_HANDLE, "it was freed"};
}

CUdeviceptr DeviceAllocation::address() const {
    if (!buffer_) refuse_freed("DeviceAllocation");
    return buffer_.address();
}

DeviceAllocation::~DeviceAllocation() {
    if (!buffer_) return;
    const WithoutGil release; // the driver waits for work that may wait for Python
    buffer_ = {};
}

void DeviceAllocation::free() {
    if (!buffer_)
        throw gpu::Error{"DeviceAllocation.free", CUDA_ERROR_INVALID_HANDLE, "it was freed before"};
    const WithoutGil release;
    buffer_ = {};
}

void DeviceAllocation::free_in_order(gpu::StreamView stream) {
    if (!buffer_)
        throw gpu::Error{"cuMemFreeAsync", CUDA_ERROR_INVALID_HANDLE, "it was freed before"};
    const WithoutGil release;
    buffer_.free_in_order(stream);
}

namespace {

CUdeviceptr address_from(py::handle number) {
    const unsigned long long found = PyLong_AsUnsignedLongLong(number.ptr());
    if (found == ~0ull && PyErr_Occurred()) {
        PyErr_Clear();
        throw py::value_error(fmt::format("an address must be an int of 0 to 2^64 - 1, got {}",
                                          py::repr(number).cast<std::string>()));
    }
    return found;
}

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
    if (recording) [[unlikely]]
        settle_thread();
    if (is_gpu_array(value.ptr())) {
        const gpu::Array& array = array_of(value);
        const gpu::Reach reach = gpu::reach_of(array.layout(), array.type().bytes);
        return DevicePointer{array.address(), static_cast<std::size_t>(reach.end), array.context()};
    }
    if (py::isinstance<DeviceAllocation>(value)) {
        const auto& memory = value.cast<const DeviceAllocation&>();
        return DevicePointer{memory.address(), memory.bytes(), memory.context()};
    }
    if (py::isinstance<PooledDevice>(value)) {
        const auto& memory = value.cast<const PooledDevice&>();
        return DevicePointer{memory.address(), memory.bytes(), memory.context()};
    }
    if (py::isinstance<ArrayMemory>(value)) {
        const gpu::Array& array = value.cast<const ArrayMemory&>().array;
        return DevicePointer{array.address(), std::nullopt, array.context()};
    }
    if (py::isinstance<PointerHolder>(value))
        return DevicePointer{address_from(value.attr("get_pointer")()), std::nullopt};
    const bool is_array = py::isinstance<py::array>(value);
    if (PyIndex_Check(value.ptr()) && !PyBool_Check(value.ptr()) && !is_array) {
        const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
        if (number) return DevicePointer{address_from(number), std::nullopt};
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
        PyErr_Clear();
    }
    if (is_array || py::hasattr(value, "__array_interface__")) return pointer_of_array(value);
    if (py::hasattr(value, "__cuda_array_interface__")) return of_interface(value);
    if (py::hasattr(value, "gpudata")) return find_device_pointer(value.attr("gpudata"));
    return std::nullopt;
}

DevicePointer device_pointer(py::handle value, const char* function, const char* argument) {
    if (!py::isinstance<PyTextureObject>(value) && !py::isinstance<PySurfaceObject>(value))
        if (const auto found = find_device_pointer(value)) return *found;
    throw py::type_error(
        fmt::format("{}: {} must be device memory (a DeviceAllocation, an array on "
                    "the device or an address), got {}",
                    function, argument, Py_TYPE(value.ptr())->tp_name));
}

void check_reach(const DevicePointer& pointer, const char* routine) {
    if (!pointer.context) return;
    CUcontext current = nullptr;
    gpu::driver().cuCtxGetCurrent(&current);
    if (pointer.context.get() == current && pointer.context.is_alive()) [[likely]]
        return;
    if (!pointer.context.is_alive())
        throw gpu::Error{
            routine, CUDA_ERROR_CONTEXT_IS_DESTROYED,
            fmt::format("the context of the memory at {:#x} was detached", pointer.address)};
    // Contexts of one device reach each other's memory, seen on an H200.
    const gpu::Context here = gpu::Context::ensure_current();
    const gpu::Device own = here.device(), other = pointer.context.device();
    if (own == other || here.has_peer_access(pointer.context)) return;
    throw gpu::Error{routine, CUDA_ERROR_INVALID_CONTEXT,
                     fmt::format("the memory at {:#x} is device {}'s, to which device {} of the "
                                 "current context has no access (Context.enable_peer_access)",
                                 pointer.address, other.get(), own.get())};
}

void check_room(const DevicePointer& pointer, std::size_t bytes, const char* routine) {
    if (pointer.bytes && bytes > *pointer.bytes)
        throw gpu::Error{routine, CUDA_ERROR_INVALID_VALUE,
                         fmt::format("{} bytes in an allocation of {}", bytes, *pointer.bytes)};
}

} // namespace lathe::bind
