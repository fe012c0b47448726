// SPDX-License-Identifier: MIT
#include "python/bind/cuda/ipc.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/gil.h"

#include <fmt/format.h>

#include <cstring>

namespace lathe::bind {

gpu::IpcHandle ipc_handle_from(py::handle value, const char* function) {
    if (!PyObject_CheckBuffer(value.ptr()))
        throw py::type_error(fmt::format("{}: the handle must be bytes or a bytearray, got {}",
                                         function, Py_TYPE(value.ptr())->tp_name));
    const auto bytes = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(value.ptr()));
    if (!bytes) throw py::error_already_set();
    const std::string_view text{bytes};
    gpu::IpcHandle handle;
    if (text.size() != handle.size())
        throw py::value_error(fmt::format("{}: the handle must have {} bytes, got {}", function,
                                          handle.size(), text.size()));
    std::memcpy(handle.data(), text.data(), handle.size());
    return handle;
}

namespace {

class PyIpcMemory : public PointerHolder {
public:
    PyIpcMemory(const gpu::IpcHandle& handle, unsigned flags) : memory_{handle, flags} {}
    ~PyIpcMemory() override {
        const WithoutGil release;
        memory_ = {};
    }
    CUdeviceptr address() const {
        if (!memory_)
            throw gpu::Error{"IPCMemoryHandle", CUDA_ERROR_INVALID_HANDLE, "it was closed"};
        return memory_.address();
    }
    void close() {
        (void)address();
        const WithoutGil release;
        memory_ = {};
    }

private:
    gpu::IpcMemory memory_;
};

} // namespace

void bind_ipc(py::module_& m) {
    py::class_<PyIpcMemory, PointerHolder>(
        m, "IPCMemoryHandle", "Another process's device memory; it must keep it as long.")
        .def(py::init([](const py::object& handle, unsigned flags) {
                 return std::make_unique<PyIpcMemory>(ipc_handle_from(handle, "IPCMemoryHandle"),
                                                      flags);
             }),
             py::arg("ipc_handle"), py::arg("flags") = 1,
             "`ipc_handle`: what mem_get_ipc_handle gave there. `flags` are ipc_mem_flags. Raises "
             "LogicError\n"
             "for memory of this process. (cuIpcOpenMemHandle)")
        .def("get_pointer", &PyIpcMemory::address)
        .def("close", &PyIpcMemory::close,
             "Raises LogicError the second time. (cuIpcCloseMemHandle)");
    m.def(
        "mem_get_ipc_handle",
        [](const py::object& memory) {
            const auto handle =
                gpu::ipc_handle(device_pointer(memory, "mem_get_ipc_handle", "devptr").address);
            return py::bytes{reinterpret_cast<const char*>(handle.data()), handle.size()};
        },
        py::arg("devptr"),
        "64 bytes for IPCMemoryHandle in another process. Raises LogicError where the device "
        "cannot\n"
        "share its memory. (cuIpcGetMemHandle)");
}

} // namespace lathe::bind
