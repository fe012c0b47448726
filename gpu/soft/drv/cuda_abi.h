// SPDX-License-Identifier: MIT
// cuda.h with its functions visible outside of the library: what we define of them is exported.
// Include it before anything else that might bring cuda.h in.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>

// The driver exports these too. Their header, cudaProfiler.h, is in the toolkit but in none of the
// wheels that the set-up installs.
extern "C" {
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
}
#pragma GCC visibility pop
