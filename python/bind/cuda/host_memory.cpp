// SPDX-License-Identifier: MIT
// Host memory that the device knows, or that is aligned: what NumPy arrays of lathe.cuda lie in.
#include "python/bind/cuda/host_memory.h"

#include "gpu/driver/check.h"
#include "gpu/managed_memory.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/host_buffer.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/argument_plan.h"

#include <pybind11/numpy.h>

#include <cuda.h>

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace lathe::bind {

namespace {

gpu::PinnedConfig config_of(unsigned flags) {
    return {.mapped = (flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0,
            .portable = (flags & CU_MEMHOSTALLOC_PORTABLE) != 0,
            .write_combined = (flags & CU_MEMHOSTALLOC_WRITECOMBINED) != 0};
}

py::buffer_info bytes_at(void* data, std::size_t bytes) {
    return {data, 1, py::format_descriptor<std::uint8_t>::format(),
            static_cast<py::ssize_t>(bytes)};
}

gpu::DeviceSpan<std::byte> all_of(const ManagedMemory& memory) {
    return {memory.address(), memory.bytes()};
}

/// A device, or nothing for the host.
std::optional<gpu::Device> place(const py::object& value, const char* function) {
    if (py::isinstance<gpu::Device>(value)) return value.cast<gpu::Device>();
    if (py::isinstance<py::str>(value) && value.cast<std::string>() == "host") return std::nullopt;
    throw py::type_error(fmt::format("{}: the place must be a Device or \"host\", got {}", function,
                                     py::repr(value).cast<std::string>()));
}

} // namespace

PagelockedMemory::PagelockedMemory(std::size_t bytes, unsigned flags)
    : buffer_{std::max(bytes, std::size_t{1}), config_of(flags)}, bytes_{bytes}, flags_{flags} {}

void* PagelockedMemory::data() const {
    if (!buffer_) refuse_freed("PagelockedHostAllocation");
    return buffer_.data();
}

CUdeviceptr PagelockedMemory::device_address() const {
    (void)data();
    return buffer_.device_address();
}

PagelockedMemory::~PagelockedMemory() {
    const WithoutGil release; // the driver waits for work that may wait for Python
    buffer_ = {};
}

void PagelockedMemory::free() {
    (void)data();
    const WithoutGil release;
    buffer_ = {};
    bytes_ = 0;
}

RegisteredArray::RegisteredArray(py::object array, unsigned flags) : array_{std::move(array)} {
    if (!py::isinstance(array_, py::module_::import("numpy").attr("ndarray")))
        throw py::type_error(
            fmt::format("register_host_memory: ary must be a numpy.ndarray, got {}",
                        Py_TYPE(array_.ptr())->tp_name));
    const py::object kind = array_.attr("flags");
    if (!kind.attr("forc").cast<bool>())
        throw py::value_error(fmt::format("register_host_memory: ary must be contiguous, got {}",
                                          layout_text(array_)));
    writable_ = kind.attr("writeable").cast<bool>();
    bytes_ = array_.attr("nbytes").cast<std::size_t>();
    if (bytes_ == 0) throw py::value_error("register_host_memory: ary has no elements");
    data_ = reinterpret_cast<void*>(array_.attr("ctypes").attr("data").cast<std::uintptr_t>());
    mapped_ = (flags & CU_MEMHOSTREGISTER_DEVICEMAP) != 0;
    constexpr unsigned known =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if (flags & ~known)
        throw py::value_error(fmt::format("register_host_memory: flags must be "
                                          "mem_host_register_flags, got {}",
                                          flags));
    memory_ = gpu::RegisteredMemory{data_,
                                    bytes_,
                                    {.mapped = mapped_,
                                     .portable = (flags & CU_MEMHOSTREGISTER_PORTABLE) != 0,
                                     .read_only = (flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0}};
}

RegisteredArray::~RegisteredArray() {
    const WithoutGil release;
    memory_ = {};
}

void RegisteredArray::unregister() {
    const WithoutGil release;
    memory_.unregister();
}

CUdeviceptr RegisteredArray::device_address() const {
    if (!memory_)
        throw gpu::Error{"cuMemHostGetDevicePointer", CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                         "it was unregistered"};
    return memory_.device_address();
}

AlignedMemory::AlignedMemory(std::size_t bytes, std::size_t alignment) : bytes_{bytes} {
    if (!std::has_single_bit(alignment) || alignment < sizeof(void*))
        throw py::value_error(fmt::format("alignment must be a power of two of at least {}, got {}",
                                          sizeof(void*), alignment));
    const std::size_t rounded =
        (std::max(bytes, std::size_t{1}) + alignment - 1) / alignment * alignment;
    data_.reset(std::aligned_alloc(alignment, rounded));
    if (!data_) {
        PyErr_Format(PyExc_MemoryError, "the host has no %zu bytes", bytes);
        throw py::error_already_set{};
    }
}

void* AlignedMemory::data() const {
    if (!data_) refuse_freed("AlignedHostAllocation");
    return data_.get();
}

CUdeviceptr AlignedMemory::device_address() const {
    gpu::Context::ensure_current();
    CUdeviceptr address = 0;
    CU_TRY(cuMemHostGetDevicePointer(&address, data(), 0), "aligned memory that is not registered");
    return address;
}

void AlignedMemory::free() {
    (void)data();
    data_.reset();
    bytes_ = 0;
}

std::optional<DevicePointer> pointer_of_array(py::handle array) {
    const auto at =
        array.attr("__array_interface__")["data"].cast<py::tuple>()[0].cast<std::uint64_t>();
    const auto size = array.attr("nbytes").cast<std::size_t>();
    py::object base = array.attr("base");
    while (!base.is_none()) {
        if (py::isinstance<ManagedMemory>(base)) return DevicePointer{at, size};
        if (py::isinstance<HostPointer>(base)) {
            const auto& memory = base.cast<const HostPointer&>();
            if (memory.is_mapped())
                return DevicePointer{memory.device_address() +
                                         (at - reinterpret_cast<std::uint64_t>(memory.data())),
                                     size};
        }
        if (py::isinstance<PooledHost>(base)) {
            const auto& memory = base.cast<const PooledHost&>();
            if (!memory.is_mapped()) return std::nullopt;
            return DevicePointer{memory.device_address() +
                                     (at - reinterpret_cast<std::uint64_t>(memory.data())),
                                 size};
        }
        base = py::getattr(base, "base", py::none());
    }
    return std::nullopt;
}

namespace {

PyTypeObject* numpy_array = nullptr;
PyTypeObject* managed_allocation = nullptr;

/// For quick launches: a NumPy array in managed memory, or a view of one.
bool read_managed_array(PyObject* value, std::byte* to, PlainLaunch&) {
    const char* const data = py::detail::array_proxy(value)->data;
    PyObject* base = value;
    do base = py::detail::array_proxy(base)->base;
    while (base && PyObject_TypeCheck(base, numpy_array));
    if (!base || Py_TYPE(base) != managed_allocation) return false;
    const auto* memory = bound_object<ManagedMemory>(base);
    if (!memory || !*memory) return false;
    std::memcpy(to, &data, sizeof data);
    return true;
}

void bind_managed(py::module_& m) {
    py::class_<ManagedMemory, DeviceAllocation, std::shared_ptr<ManagedMemory>> allocation{
        m, "ManagedAllocation", py::buffer_protocol(),
        "Memory that host and device both address, freed with this object."};
    managed_allocation = reinterpret_cast<PyTypeObject*>(allocation.ptr());
    const py::object array = py::module_::import("numpy").attr("ndarray");
    numpy_array = reinterpret_cast<PyTypeObject*>(array.ptr());
    add_pointer_type(array, &read_managed_array);
    allocation.def(py::init<std::size_t, unsigned>(), py::arg("bytes"), py::arg("flags") = 1)
        .def_buffer([](ManagedMemory& p) {
            return bytes_at(reinterpret_cast<void*>(p.address()), p.size());
        })
        .def("get_device_pointer", &ManagedMemory::address)
        .def(
            "attach",
            [](const ManagedMemory& p, unsigned flags, const PyStream* stream) {
                gpu::attach(all_of(p), flags, stream_of(stream));
            },
            py::arg("mem_flags"), py::arg("stream") = py::none(),
            "From the stream's place on, who may touch it: one of mem_attach_flags; SINGLE is "
            "this\n"
            "stream alone. (cuStreamAttachMemAsync)")
        .def(
            "prefetch",
            [](const ManagedMemory& p, const py::object& to, const PyStream* stream) {
                gpu::prefetch(all_of(p), place(to, "prefetch"), stream_of(stream));
            },
            py::arg("to"), py::arg("stream") = py::none(),
            "Moves it, in the stream's order, to a Device or to the \"host\". (cuMemPrefetchAsync)")
        .def(
            "advise",
            [](const ManagedMemory& p, int advice, const py::object& of) {
                gpu::advise(all_of(p), static_cast<CUmem_advise>(advice), place(of, "advise"));
            },
            py::arg("advice"), py::arg("of") = "host",
            "How it will be used by a Device or the \"host\": one of mem_advise. (cuMemAdvise)");
}

} // namespace

void bind_host_memory(py::module_& m) {
    py::class_<HostPointer>(m, "HostPointer",
                            "Host memory that an array lies in: the array's `base`.")
        .def("get_device_pointer", &HostPointer::device_address,
             "Its address on the device. Raises LogicError where the device does not address it.");
    py::class_<PagelockedMemory, HostPointer>(m, "PagelockedHostAllocation", py::buffer_protocol(),
                                              "Page-locked host memory, freed with this object.")
        .def(py::init<std::size_t, unsigned>(), py::arg("bytes"), py::arg("flags") = 0)
        .def_buffer([](PagelockedMemory& p) { return bytes_at(p.data(), p.bytes()); })
        .def("free", &PagelockedMemory::free,
             "Frees it now: arrays over it must not be used any more. Raises LogicError the second "
             "time.")
        .def("get_flags", &PagelockedMemory::flags, "host_alloc_flags it was made with.");
    py::class_<AlignedMemory, HostPointer>(m, "AlignedHostAllocation", py::buffer_protocol(),
                                           "Aligned host memory, freed with this object.")
        .def(py::init<std::size_t, std::size_t>(), py::arg("bytes"), py::arg("alignment") = 4096)
        .def_buffer([](AlignedMemory& p) { return bytes_at(p.data(), p.bytes()); })
        .def("free", &AlignedMemory::free,
             "Frees it now: arrays over it must not be used any more. Raises LogicError the second "
             "time.");
    py::class_<RegisteredArray, HostPointer>(
        m, "RegisteredHostMemory", py::buffer_protocol(),
        "An array's memory, page-locked until this object ends. It keeps the array.")
        .def(py::init<py::object, unsigned>(), py::arg("ary"), py::arg("flags") = 0)
        .def_buffer([](RegisteredArray& p) {
            py::buffer_info info = bytes_at(p.data(), p.bytes());
            info.readonly = !p.is_writable();
            return info;
        })
        .def("unregister", &RegisteredArray::unregister,
             "Makes it ordinary memory again. Raises LogicError the second time.")
        .def_property_readonly("base", &RegisteredArray::array, "The array.");
    bind_managed(m);
}

} // namespace lathe::bind
