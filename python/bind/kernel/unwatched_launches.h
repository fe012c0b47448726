// SPDX-License-Identifier: MIT
// Launches that belong to no App, on the legacy default stream: nobody waits for them.
#pragma once

#include "gpu/array/array.h"

namespace lathe::bind {

/// There is one now.
void note_unwatched_launch() noexcept;
/// Throws their error, once they are done or, with `wait`, after waiting for them.
void look_after_launches(bool wait);
/// Before the host copies an array: waits for the kernels that may write it, so that Ctrl+C ends
/// the wait. A copy alone would wait where no signal reaches.
void wait_for_kernels(const gpu::Array& array);

} // namespace lathe::bind
