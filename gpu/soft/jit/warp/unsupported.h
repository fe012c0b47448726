// SPDX-License-Identifier: MIT
// What the widener throws where it cannot run a kernel by warps; the scalar mode takes over.
#pragma once

#include "engine/core/error.h"

namespace lathe::soft::jit::warp {

class Unsupported : public Error {
public:
    using Error::Error;
};

} // namespace lathe::soft::jit::warp
