// SPDX-License-Identifier: MIT
// Where memory that host and device both address should be: hints of DeviceBuffer::managed()
// memory.
#pragma once

#include "engine/core/api.h"
#include "gpu/device.h"
#include "gpu/memory.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <optional>

namespace lathe::gpu {

// All take managed memory; `to` is a device, or nothing for the host.

/// Moves the pages in the stream's order, so that first touches find them there.
/// (cuMemPrefetchAsync)
LATHE_API void prefetch(DeviceSpan<std::byte> memory, std::optional<Device> to, StreamView stream);

/// Says how the memory will be used. `of` is not looked at for CU_MEM_ADVISE_*_READ_MOSTLY and for
/// CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION. (cuMemAdvise)
LATHE_API void advise(DeviceSpan<std::byte> memory, CUmem_advise advice, std::optional<Device> of);

/// From the stream's place on, who may touch the whole allocation: CU_MEM_ATTACH_GLOBAL, _HOST or
/// _SINGLE, which is this stream alone. Throws gpu::Error for other flags. (cuStreamAttachMemAsync)
LATHE_API void attach(DeviceSpan<std::byte> memory, unsigned flags, StreamView stream);

} // namespace lathe::gpu
