// SPDX-License-Identifier: MIT
// What the driver knows of an address: the allocation around it, and its attributes.
#pragma once

#include "engine/core/api.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace lathe::gpu {

struct AddressRange {
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
};

/// The allocation that `pointer` lies in, in the current context. Throws gpu::Error where it lies
/// in none. (cuMemGetAddressRange)
LATHE_API AddressRange address_range(CUdeviceptr pointer);

/// One attribute as a number: those of less than 8 bytes are widened, handles are addresses. Throws
/// gpu::Error where the driver does not know the address or the attribute. (cuPointerGetAttribute)
LATHE_API std::uint64_t pointer_attribute(CUdeviceptr pointer, CUpointer_attribute which);

} // namespace lathe::gpu
