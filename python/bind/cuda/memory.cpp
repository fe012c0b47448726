// SPDX-License-Identifier: MIT
// Linear memory: allocations, copies and fills, as PyCUDA's driver module has them. Ranges are
// checked where the size of an allocation is known.
#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/graph.h"
#include "python/bind/cuda/host_buffer.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/argument_plan.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>

namespace lathe::bind {

namespace {

using AllocationPointer = std::shared_ptr<DeviceAllocation>;

AllocationPointer allocate(std::size_t bytes) {
    if (bytes == 0) throw gpu::Error{"cuMemAlloc", CUDA_ERROR_INVALID_VALUE, "0 bytes"};
    return std::make_shared<DeviceAllocation>(retry_after_collecting([bytes] {
        const GilRelease release;
        return gpu::DeviceBuffer{bytes};
    }));
}

py::memoryview memory_at(std::uint64_t address, std::size_t size, std::size_t offset) {
    return py::memoryview::from_memory(reinterpret_cast<void*>(address + offset),
                                       static_cast<py::ssize_t>(size));
}

void to_device(const py::object& dest, const py::object& src, const PyStream* stream, bool async) {
    const DevicePointer to = device_pointer(dest, "memcpy_htod", "dest");
    const HostBuffer from{src, false};
    check_room(to, from.bytes(), "cuMemcpyHtoD");
    if (async) PyGraph::keep_captured(stream_of(stream), {dest, src});
    const StreamUse use{stream_of(stream), async, {dest, src}};
    const GilRelease release;
    async ? gpu::copy_to_device(to.address, from.data(), from.bytes(), stream_of(stream))
          : gpu::copy_to_device(to.address, from.data(), from.bytes());
}

void to_host(const py::object& dest, const py::object& src, const PyStream* stream, bool async) {
    const DevicePointer from = device_pointer(src, "memcpy_dtoh", "src");
    const HostBuffer to{dest, true};
    check_room(from, to.bytes(), "cuMemcpyDtoH");
    if (async) PyGraph::keep_captured(stream_of(stream), {dest, src});
    const StreamUse use{stream_of(stream), async, {dest, src}};
    const GilRelease release;
    async ? gpu::copy_to_host(to.data(), from.address, to.bytes(), stream_of(stream))
          : gpu::copy_to_host(to.data(), from.address, to.bytes());
}

void on_device(const py::object& dest, const py::object& src, std::size_t size,
               const PyStream* stream, bool async) {
    const DevicePointer to = device_pointer(dest, "memcpy_dtod", "dest");
    const DevicePointer from = device_pointer(src, "memcpy_dtod", "src");
    check_room(to, size, "cuMemcpyDtoD");
    check_room(from, size, "cuMemcpyDtoD");
    if (async) PyGraph::keep_captured(stream_of(stream), {dest, src});
    const StreamUse use{stream_of(stream), async, {dest, src}};
    const GilRelease release;
    async ? gpu::copy_on_device(to.address, from.address, size, stream_of(stream))
          : gpu::copy_on_device(to.address, from.address, size);
}

// --- For quick launches: addresses (argument_plan.h).

bool write_address(CUdeviceptr address, std::byte* to) {
    std::memcpy(to, &address, sizeof address);
    return true;
}

bool read_allocation(PyObject* value, std::byte* to, PlainLaunch& launch) {
    const auto* memory = bound_object<DeviceAllocation>(value);
    return memory && *memory && launch.reaches(memory->context()) &&
           write_address(memory->address(), to);
}

/// What a subclass's get_pointer() says. If that fails, the checked way calls it again and says so.
bool read_holder(PyObject* value, std::byte* to, PlainLaunch&) {
    static PyObject* const name = PyUnicode_InternFromString("get_pointer");
    const auto number = py::reinterpret_steal<py::object>(PyObject_CallMethodNoArgs(value, name));
    if (number && PyLong_CheckExact(number.ptr())) {
        const unsigned long long address = PyLong_AsUnsignedLongLong(number.ptr());
        if (!PyErr_Occurred()) return write_address(address, to);
    }
    PyErr_Clear();
    return false;
}

void bind_allocations(py::module_& m) {
    py::class_<DeviceAllocation, AllocationPointer> allocation{
        m, "DeviceAllocation", "Device memory, freed with this object. int() is its address."};
    add_pointer_base(allocation, &read_allocation); // with ManagedAllocation
    allocation
        .def(
            "free", &DeviceAllocation::free,
            "Frees it now; the device finishes the work that uses it first. Raises LogicError the\n"
            "second time.")
        .def(
            "free_async",
            [](DeviceAllocation& a, const PyStream* stream) { a.free_in_order(stream_of(stream)); },
            py::arg("stream") = py::none(),
            "Frees it in the order of a stream; nobody waits. (cuMemFreeAsync)")
        .def(
            "as_buffer",
            [](const DeviceAllocation& a, std::size_t size, std::size_t offset) {
                return memory_at(a.address(), size, offset);
            },
            py::arg("size"), py::arg("offset") = 0,
            "A memoryview of the address; for memory that the host can reach, too.")
        .def_property_readonly("nbytes", &DeviceAllocation::bytes, "Bytes; 0 once freed.")
        .def("__int__", &DeviceAllocation::address)
        .def("__index__", &DeviceAllocation::address)
        .def("__repr__", [](const DeviceAllocation& a) {
            return a.bytes() ? fmt::format("<DeviceAllocation of {} bytes at {:#x}>", a.bytes(),
                                           a.address())
                             : std::string{"<DeviceAllocation, freed>"};
        });

    const auto pointer = [](const py::object& self) {
        return self.attr("get_pointer")().cast<std::uint64_t>();
    };
    py::class_<PointerHolder> holder{
        m, "PointerHolderBase",
        "Derive from it and define get_pointer(): the object then stands for\n"
        "device memory wherever a DeviceAllocation does."};
    add_pointer_base(holder, &read_holder);
    holder.def(py::init<>())
        .def(
            "get_pointer",
            [](const py::object& self) -> std::uint64_t {
                PyErr_Format(PyExc_NotImplementedError, "%s must define get_pointer()",
                             Py_TYPE(self.ptr())->tp_name);
                throw py::error_already_set();
            },
            "The address; subclasses define it.")
        .def(
            "as_buffer",
            [pointer](const py::object& self, std::size_t size, std::size_t offset) {
                return memory_at(pointer(self), size, offset);
            },
            py::arg("size"), py::arg("offset") = 0)
        .def("__int__", pointer)
        .def("__index__", pointer);

    m.def("mem_alloc", &allocate, py::arg("bytes"),
          "Device memory with undefined contents. Raises MemoryError where there is not enough,\n"
          "LogicError for 0 bytes. (cuMemAlloc)");
    m.def(
        "mem_alloc_async",
        [](std::size_t bytes, const PyStream* stream) {
            if (bytes == 0)
                throw gpu::Error{"cuMemAllocAsync", CUDA_ERROR_INVALID_VALUE, "0 bytes"};
            const auto make = [&] {
                const GilRelease release;
                return std::make_shared<DeviceAllocation>(
                    gpu::DeviceBuffer::in_order(bytes, stream_of(stream)));
            };
            return with_stream(make(), stream);
        },
        py::arg("bytes"), py::arg("stream") = py::none(),
        "The same in the order of `stream`, in which it is freed, too: nobody waits. Other "
        "streams\n"
        "use it once they waited for this one. (cuMemAllocAsync)");
}

void bind_copies(py::module_& m) {
    m.def(
        "memcpy_htod",
        [](const py::object& dest, const py::object& src) { to_device(dest, src, nullptr, false); },
        py::arg("dest"), py::arg("src"),
        "Copies a contiguous host buffer. Blocks until done. Raises LogicError where it is longer\n"
        "than the allocation.");
    m.def(
        "memcpy_htod_async",
        [](const py::object& dest, const py::object& src, const PyStream* stream) {
            to_device(dest, src, stream, true);
        },
        py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        "The same in the order of `stream`; page-locked `src` must live until it is done.");
    m.def(
        "memcpy_dtoh",
        [](const py::object& dest, const py::object& src) { to_host(dest, src, nullptr, false); },
        py::arg("dest"), py::arg("src"),
        "Fills a writable contiguous host buffer. Blocks until done.");
    m.def(
        "memcpy_dtoh_async",
        [](const py::object& dest, const py::object& src, const PyStream* stream) {
            to_host(dest, src, stream, true);
        },
        py::arg("dest"), py::arg("src"), py::arg("stream") = py::none());
    m.def(
        "memcpy_dtod",
        [](const py::object& dest, const py::object& src, std::size_t size) {
            on_device(dest, src, size, nullptr, false);
        },
        py::arg("dest"), py::arg("src"), py::arg("size"), "`size` bytes from device to device.");
    m.def(
        "memcpy_dtod_async",
        [](const py::object& dest, const py::object& src, std::size_t size,
           const PyStream* stream) { on_device(dest, src, size, stream, true); },
        py::arg("dest"), py::arg("src"), py::arg("size"), py::arg("stream") = py::none());
}

template <class Unit> void bind_fill(py::module_& m, const char* name, const char* routine) {
    const auto fill = [routine](const py::object& dest, Unit data, std::size_t size,
                                const PyStream* stream, bool async) {
        const DevicePointer to = device_pointer(dest, "memset", "dest");
        check_room(to, size * sizeof(Unit), routine);
        if (async) PyGraph::keep_captured(stream_of(stream), {dest});
        const StreamUse use{stream_of(stream), async, {dest}};
        const GilRelease release;
        async ? gpu::fill_units(to.address, data, sizeof(Unit), size, stream_of(stream))
              : gpu::fill_units(to.address, data, sizeof(Unit), size);
    };
    // PyCUDA's documentation says `count`, its code `size`.
    for (const char* const number : {"size", "count"}) {
        m.def(
            name,
            [fill](const py::object& dest, Unit data, std::size_t size) {
                fill(dest, data, size, nullptr, false);
            },
            py::arg("dest"), py::arg("data"), py::arg(number), "So many elements, not bytes.");
        m.def((std::string{name} + "_async").c_str(),
              [fill](const py::object& dest, Unit data, std::size_t size, const PyStream* stream) {
                  fill(dest, data, size, stream, true);
              },
              py::arg("dest"), py::arg("data"), py::arg(number), py::arg("stream") = py::none());
    }
}

} // namespace

void bind_memory(py::module_& m) {
    bind_allocations(m);
    bind_copies(m);
    bind_fill<std::uint8_t>(m, "memset_d8", "cuMemsetD8");
    bind_fill<std::uint16_t>(m, "memset_d16", "cuMemsetD16");
    bind_fill<std::uint32_t>(m, "memset_d32", "cuMemsetD32");
}

} // namespace lathe::bind
