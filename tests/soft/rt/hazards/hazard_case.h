// SPDX-License-Identifier: MIT
// Pairs of kernels: NAME has hazards, NAME_twin has none. All take (int* x, int* fresh): x holds
// zeros, nothing has written fresh; 8192 of each. Comments like /*A*/ mark the lines that findings
// must name.
#pragma once

#include "gpu/soft/soft_api.h"

#include <cuda.h>
#include <ostream>

namespace lathe::test {

/// A finding: its kind, and the marks of its lines in any order; one where it has one line.
struct ExpectedFinding {
    unsigned hazard;
    const char *first, *second = nullptr;
};

/// Exactly these are found, none else.
struct HazardCase {
    const char* name;
    unsigned blocks, threads, shared_bytes;
    ExpectedFinding findings[3];
};

/// A kernel that a fault ends at the line /*A*/; its twin runs. Both take (int* x, int n, int*
/// gone): x holds n zeros, and gone was freed.
struct FaultCase {
    const char* name;
    unsigned blocks, threads, shared_bytes;
    unsigned thread;  ///< that the report names
    const char* text; ///< a part of its message
    CUresult code = CUDA_ERROR_ILLEGAL_ADDRESS;
};
inline void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

} // namespace lathe::test
