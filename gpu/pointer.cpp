// SPDX-License-Identifier: MIT
#include "gpu/pointer.h"

#include "gpu/context.h"
#include "gpu/driver/check.h"

namespace lathe::gpu {

AddressRange address_range(CUdeviceptr pointer) {
    Context::ensure_current();
    AddressRange range;
    CU_TRY(cuMemGetAddressRange(&range.begin, &range.bytes, pointer), "{:#x}", pointer);
    return range;
}

std::uint64_t pointer_attribute(CUdeviceptr pointer, CUpointer_attribute which) {
    Context::ensure_current();
    std::uint64_t value[2] = {}; // P2P_TOKENS, the largest, has 12 bytes
    CU_TRY(cuPointerGetAttribute(value, which, pointer), "attribute {} of {:#x}",
           static_cast<int>(which), pointer);
    return value[0];
}

} // namespace lathe::gpu
