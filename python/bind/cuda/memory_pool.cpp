// SPDX-License-Identifier: MIT
// Pools of device and of page-locked memory, as PyCUDA's tools module has them.
#include "python/bind/cuda/memory_pool.h"

#include "engine/core/log.h"
#include "gpu/event.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/kernel/argument_plan.h"

#include <pybind11/numpy.h>

#include <cuda.h>

#include <fmt/format.h>

#include <cstring>

namespace lathe::bind {

CUdeviceptr PooledDevice::address() const {
    if (!block_) refuse_freed("PooledDeviceAllocation");
    return block_.memory().address();
}

gpu::Context PooledDevice::context() const {
    if (!block_) refuse_freed("PooledDeviceAllocation");
    return block_.memory().context();
}

void PooledDevice::free() {
    if (!block_) refuse_freed("PooledDeviceAllocation.free");
    block_.free();
}

void* PooledHost::data() const {
    if (!block_) refuse_freed("PooledHostAllocation");
    return block_.memory().data();
}

CUdeviceptr PooledHost::device_address() const {
    (void)data();
    return block_.memory().device_address();
}

void PooledHost::free() {
    (void)data();
    block_.free();
}

void StreamUse::add(gpu::PooledMemory<gpu::DeviceBuffer>& block) {
    block.begin_use(stream_);
    device_.push_back(&block);
}

void StreamUse::add(const gpu::Array& array) {
    if (array.block()) add(*array.block());
    gpu::GraphicsMemory* const graphics = array.graphics();
    if (!graphics || graphics->stream() == stream_) return;
    (void)array.address();
    gpu::put_in_order(graphics->stream(), stream_);
    graphics_streams_.push_back(graphics->stream());
}

void StreamUse::add(py::handle value) {
    if (PyLong_CheckExact(value.ptr()) || PyFloat_CheckExact(value.ptr()) ||
        py::isinstance<DeviceAllocation>(value))
        return; // most values
    if (py::isinstance<PooledDevice>(value)) {
        add(value.cast<PooledDevice*>()->block());
    } else if (is_gpu_array(value.ptr())) {
        if (stream_ != gpu::StreamView::legacy()) add(array_of(value));
    } else if (py::isinstance<ArrayMemory>(value)) {
        if (stream_ != gpu::StreamView::legacy()) add(value.cast<ArrayMemory&>().array);
    } else if (py::isinstance<py::array>(value)) {
        py::object base = value.attr("base");
        while (!base.is_none() && !py::isinstance<PooledHost>(base))
            base = py::getattr(base, "base", py::none());
        if (!base.is_none()) host_.push_back(base.cast<PooledHost*>());
    } else if (stream_ != gpu::StreamView::legacy() && py::hasattr(value, "gpudata")) {
        add(value.attr("gpudata"));
    }
}

StreamUse::StreamUse(gpu::StreamView stream, bool asynchronous,
                     std::initializer_list<py::handle> values)
    : stream_{stream} {
    if (asynchronous)
        for (const py::handle value : values) add(value);
}

StreamUse::StreamUse(gpu::StreamView stream,
                     std::span<gpu::PooledMemory<gpu::DeviceBuffer>* const> blocks)
    : stream_{stream} {
    for (auto* const each : blocks) add(*each);
}

StreamUse::StreamUse(gpu::StreamView stream, bool asynchronous, const py::tuple& values)
    : stream_{stream} {
    if (asynchronous)
        for (const py::handle value : values) add(value);
}

StreamUse::~StreamUse() {
    try {
        for (auto* each : device_) each->end_use(stream_);
        for (PooledHost* each : host_) each->block().end_use(stream_);
        for (const gpu::StreamView each : graphics_streams_) gpu::put_in_order(stream_, each);
    } catch (const Error& error) {
        log::error("a memory pool cannot follow a stream: {}", error.what());
    }
}

namespace {

using gpu::DevicePool;
using gpu::PinnedPool;

/// Python's cycles may hold blocks.
void collect_garbage() {
    py::gil_scoped_acquire acquire;
    py::module_::import("gc").attr("collect")();
}

/// A held block at once, a new one without the GIL.
template <class Memory>
gpu::PooledMemory<Memory> take(const std::shared_ptr<gpu::MemoryPool<Memory>>& pool,
                               std::size_t bytes) {
    if (auto block = gpu::MemoryPool<Memory>::reuse(pool, bytes)) return block;
    py::gil_scoped_release release;
    return gpu::MemoryPool<Memory>::allocate(pool, bytes, &collect_garbage);
}

template <class Pool, class... Extra> void bind_pool(py::class_<Pool, Extra...>& c) {
    c.def_property_readonly(
         "held_blocks", [](const Pool& p) { return p.counts().held_blocks; },
         "Blocks that are free and kept for later.")
        .def_property_readonly(
            "active_blocks", [](const Pool& p) { return p.counts().active_blocks; },
            "Blocks that have an owner.")
        .def_property_readonly(
            "managed_bytes", [](const Pool& p) { return p.counts().managed_bytes; },
            "Bytes of all blocks.")
        .def_property_readonly(
            "active_bytes", [](const Pool& p) { return p.counts().active_bytes; },
            "Bytes that the owners of blocks asked for.")
        .def("free_held", &Pool::free_held, py::call_guard<py::gil_scoped_release>(),
             "Gives all held blocks back to the driver; waits for work that uses them.")
        .def("stop_holding", &Pool::stop_holding, py::call_guard<py::gil_scoped_release>(),
             "The same, and blocks freed from now on go to the driver, too.")
        .def(
            "bin_number", [](const Pool&, std::size_t size) { return gpu::pool_bin(size); },
            py::arg("size"), "The bin that serves allocations of so many bytes.")
        .def(
            "alloc_size",
            [](const Pool&, unsigned bin) {
                if (bin > gpu::pool_bin(~std::size_t{0}))
                    throw py::value_error(fmt::format("bin must be at most {}, got {}",
                                                      gpu::pool_bin(~std::size_t{0}), bin));
                return gpu::pool_block_bytes(bin);
            },
            py::arg("bin"), "Bytes of a bin's blocks: at most 1/16 more than was asked for.");
}

/// For quick launches.
bool read_block(PyObject* value, std::byte* to, PlainLaunch& launch) {
    auto* const memory = bound_object<PooledDevice>(value);
    if (!memory || memory->is_free() || !launch.reaches(memory->context())) return false;
    const CUdeviceptr address = memory->address();
    std::memcpy(to, &address, sizeof address);
    launch.uses(&memory->block());
    return true;
}

void bind_device_pool(py::module_& m) {
    py::class_<PooledDevice> block{
        m, "PooledDeviceAllocation",
        "A block of a DeviceMemoryPool; stands for device memory wherever a\n"
        "DeviceAllocation does. int() is its address, len() the bytes asked for."};
    add_pointer_type(block, &read_block);
    block
        .def("free", &PooledDevice::free,
             "Back to the pool now. Raises LogicError the second time.")
        .def(
            "record_stream",
            [](PooledDevice& a, const PyStream* stream) { a.block().end_use(stream_of(stream)); },
            py::arg("stream"),
            "Work that other libraries issued to `stream` uses the block: it gets no next owner "
            "before\n"
            "that is done. Kernels and copies of lathe.cuda say so themselves.")
        .def(
            "as_buffer",
            [](const PooledDevice& a, std::size_t size, std::size_t offset) {
                return py::memoryview::from_memory(reinterpret_cast<void*>(a.address() + offset),
                                                   static_cast<py::ssize_t>(size));
            },
            py::arg("size"), py::arg("offset") = 0,
            "A memoryview of the address; for memory that the host can reach, too.")
        .def_property_readonly("nbytes", &PooledDevice::bytes, "Bytes asked for; 0 once freed.")
        .def("__len__", &PooledDevice::bytes)
        .def("__bool__", [](const PooledDevice& a) { return !a.is_free(); })
        .def("__int__", &PooledDevice::address)
        .def("__index__", &PooledDevice::address)
        .def("__repr__", [](const PooledDevice& a) {
            return a.is_free() ? std::string{"<PooledDeviceAllocation, freed>"}
                               : fmt::format("<PooledDeviceAllocation of {} bytes at {:#x}>",
                                             a.bytes(), a.address());
        });
    py::class_<DevicePool, std::shared_ptr<DevicePool>> pool{
        m, "DeviceMemoryPool",
        "Keeps freed blocks of the current context's device memory for later allocations. Any "
        "thread\n"
        "may allocate and free."};
    pool.def(py::init([] { return gpu::make_device_pool(); }))
        .def(
            "allocate",
            [](const std::shared_ptr<DevicePool>& p, std::size_t size) {
                return PooledDevice{take(p, size)};
            },
            py::arg("size"),
            "A block of at least `size` bytes, contents undefined. Where memory is short, garbage "
            "is\n"
            "collected and then all held blocks freed before MemoryError is raised.");
    bind_pool(pool);
}

void bind_host_pool(py::module_& m) {
    py::class_<PooledHost>(m, "PooledHostAllocation", py::buffer_protocol(),
                           "A block of a PageLockedMemoryPool: the `base` of its arrays.")
        .def_buffer([](PooledHost& p) {
            return py::buffer_info{p.data(), 1, py::format_descriptor<std::uint8_t>::format(),
                                   static_cast<py::ssize_t>(p.bytes())};
        })
        .def("free", &PooledHost::free,
             "Back to the pool now: arrays over it must not be used any more. Raises LogicError "
             "the\n"
             "second time.")
        .def("get_device_pointer", &PooledHost::device_address,
             "Its address on the device; of allocators with host_alloc_flags.DEVICEMAP.")
        .def("__len__", &PooledHost::bytes);
    py::class_<PinnedPool, std::shared_ptr<PinnedPool>> pool{
        m, "PageLockedMemoryPool",
        "Keeps freed blocks of page-locked memory for later allocations."};
    pool.def(py::init([](unsigned flags) {
                 return gpu::make_pinned_pool(
                     {.mapped = (flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0,
                      .portable = (flags & CU_MEMHOSTALLOC_PORTABLE) != 0,
                      .write_combined = (flags & CU_MEMHOSTALLOC_WRITECOMBINED) != 0});
             }),
             py::arg("flags") = 0)
        .def(
            "allocate_bytes",
            [](const std::shared_ptr<PinnedPool>& p, std::size_t size, bool mapped) {
                return PooledHost{take(p, size), mapped};
            },
            py::arg("size"), py::arg("mapped") = false);
    bind_pool(pool);
}

} // namespace

void bind_memory_pool(py::module_& m) {
    bind_device_pool(m);
    bind_host_pool(m);
}

} // namespace lathe::bind
