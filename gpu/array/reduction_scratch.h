// SPDX-License-Identifier: MIT
// Memory in which blocks of one launch leave what a later block of it takes: states, and tickets
// that count who has come. Kernels leave tickets as they find them, 0, so that a launch needs no
// other before it.
#pragma once

#include "gpu/gpu.h"
#include "gpu/stream.h"

#include <cstddef>

namespace lathe::gpu {

struct Scratch {
    CUdeviceptr tickets = 0; ///< kMostTickets numbers of 32 bits
    CUdeviceptr states = 0;  ///< at a multiple of 256
};
constexpr std::size_t kMostTickets = 2048;

/// For one launch on `stream`, which the next one on the same stream may use as well. A stream that
/// captures gets memory of its own for each call, kept until the process ends, since a graph may
/// run beside its stream. Thread-safe. Throws gpu::Error (out of memory).
Scratch scratch_for(StreamView stream, std::size_t state_bytes);

} // namespace lathe::gpu
