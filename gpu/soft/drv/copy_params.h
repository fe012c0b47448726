// SPDX-License-Identifier: MIT
// The structures with which the driver API describes copies, and what they say.
#pragma once

#include "gpu/soft/drv/copy.h"

namespace lathe::soft {

struct CopyParts {
    CopyEnd to, from;
    CopyShape shape;
};

/// Not checked yet. Fail with CUDA_ERROR_INVALID_VALUE where a memory type is unknown, as for
/// arrays that are none.
CopyParts parts_of(const CUDA_MEMCPY2D& c);
CopyParts parts_of(const CUDA_MEMCPY3D& c);

/// The copy as a node of a graph has it.
CUDA_MEMCPY3D params_of(const CopyEnd& to, const CopyEnd& from, const CopyShape& shape);

} // namespace lathe::soft
