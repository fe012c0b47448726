// SPDX-License-Identifier: MIT
// Variants for programs built with per-thread default streams: the same functions, with stream 0
// meaning the calling thread's own.
#include "gpu/soft/api/entry.h"

using namespace lathe::soft;

extern "C" {
#define LATHE_CU_PER_THREAD(symbol, function, parameters, arguments)                               \
    CUresult function parameters;                                                                  \
    __attribute__((visibility("default"))) CUresult symbol parameters {                            \
        PerThreadDefaultStream scope;                                                              \
        return function arguments;                                                                 \
    }
#include "gpu/soft/api/per_thread.inc"
#undef LATHE_CU_PER_THREAD
}
