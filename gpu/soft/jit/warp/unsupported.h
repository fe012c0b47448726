// SPDX-License-Identifier: MIT
// What is thrown where a kernel cannot run by warps, or is faster without; the scalar mode takes
// over.
#pragma once

#include "engine/core/error.h"

namespace lathe::soft::jit::warp {

class Unsupported : public Error {
public:
    using Error::Error;
};

} // namespace lathe::soft::jit::warp
