// SPDX-License-Identifier: MIT
// What the driver knows of an address.
#include "gpu/context.h"
#include "gpu/pointer.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/constants.h"
#include "python/bind/cuda/pointer.h"

#include <cuda.h>

namespace lathe::bind {

namespace {

py::object attribute_of(const py::object& pointer, int which) {
    const auto at = device_pointer(pointer, "pointer_get_attribute", "ptr");
    const std::uint64_t value =
        gpu::pointer_attribute(at.address, static_cast<CUpointer_attribute>(which));
    switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        if (!value) return py::none();
        return py::cast(gpu::Context::wrap(reinterpret_cast<CUcontext>(value)));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return constants("memory_type")(value);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return py::bool_((value & 0xff) != 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return py::int_(static_cast<int>(value));
    default: return py::int_(value);
    }
}

} // namespace

void bind_query(py::module_& m) {
    m.def(
        "mem_get_address_range",
        [](const py::object& pointer) {
            const auto range =
                gpu::address_range(device_pointer(pointer, "mem_get_address_range", "ptr").address);
            return std::pair{range.begin, range.bytes};
        },
        py::arg("ptr"),
        "(address, bytes) of the allocation that `ptr` lies in. Raises LogicError where it lies "
        "in\n"
        "none. (cuMemGetAddressRange)");
    m.def(
        "pointer_get_attribute", &attribute_of, py::arg("ptr"), py::arg("attr"),
        "A pointer_attribute of an address: an int, a bool, a memory_type, or the Context. Raises\n"
        "LogicError where the driver does not know the address. (cuPointerGetAttribute)");
}

} // namespace lathe::bind
