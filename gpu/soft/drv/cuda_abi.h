// SPDX-License-Identifier: MIT
// cuda.h with its functions visible outside of the library: what we define of them is exported.
// Include it before anything else that might bring cuda.h in.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cudaProfiler.h>
#pragma GCC visibility pop
