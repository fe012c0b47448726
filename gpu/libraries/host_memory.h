// SPDX-License-Identifier: MIT
// Whether the host's own libraries do the work: where the device's memory is the host's, NumPy can
// read and write arrays themselves, and no library of NVIDIA's would find a GPU.
#pragma once

#include "engine/core/api.h"
#include "gpu/stream.h"

namespace lathe::gpu {

/// True where the driver says so (DeviceTraits::host_memory) and the variable `library`
/// (LATHE_CUBLAS, …) names no file that shall be used all the same.
LATHE_API bool host_does_the_work(const char* library);

/// Before the host touches arrays: waits until all work issued on the stream so far is done, and
/// what the stream orders itself against. Throws gpu::Error; during a capture, too.
LATHE_API void wait_for_host_work(StreamView stream);

} // namespace lathe::gpu
