// SPDX-License-Identifier: MIT
#pragma once

#include "gpu/stream.h"

namespace lathe::bind {

using PyStream = gpu::Stream;

/// None in Python is the legacy default stream.
gpu::StreamView stream_of(const PyStream* stream);

} // namespace lathe::bind
