// SPDX-License-Identifier: MIT
// Memory of a graphics API that arrays lie in: the device has it while it is mapped, and it has an
// address only then. engine/interop implements it for OpenGL's buffers.
#pragma once

#include "engine/core/api.h"
#include "gpu/stream.h"

#include <cuda.h>

namespace lathe::gpu {

class LATHE_API GraphicsMemory {
public:
    GraphicsMemory() = default;
    GraphicsMemory(const GraphicsMemory&) = delete;
    GraphicsMemory& operator=(const GraphicsMemory&) = delete;
    virtual ~GraphicsMemory() = default;

    /// Maps it where it is not mapped; on the thread of the graphics context. Valid until the
    /// memory is handed back, which no function that takes arrays does. Throws gpu::Error.
    virtual CUdeviceptr address() = 0;
    /// The same where that maps nothing; 0 while the graphics API has it.
    virtual CUdeviceptr mapped_address() noexcept = 0;
    /// The stream that mapping and unmapping are ordered on: a blocking one, which takes turns with
    /// the legacy default stream.
    virtual StreamView stream() const noexcept = 0;
    /// Blocks until the work of stream() is done; throws its fault.
    virtual void wait() = 0;
};

} // namespace lathe::gpu
