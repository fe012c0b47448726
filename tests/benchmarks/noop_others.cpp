// SPDX-License-Identifier: MIT
// The entry points that noop_driver.cpp does not define, each under its versioned name.
#include <cuda.h>

#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name) // expands cuda.h's version macro first
#define CONCATENATED(a, b) a##b
#define NOOP(name) CONCATENATED(noop_, name)
#define LATHE_CU(name)                                                                             \
    extern "C" CUresult NOOP(name)() __asm__(SYMBOL_OF(name));                                     \
    extern "C" __attribute__((weak)) CUresult NOOP(name)() { return CUDA_SUCCESS; }
#define LATHE_CU_OPTIONAL(name) LATHE_CU(name)
#define LATHE_CU_AS(name, symbol, ...)                                                             \
    extern "C" CUresult CONCATENATED(noop_as_, name)() __asm__(symbol);                            \
    extern "C" __attribute__((weak)) CUresult CONCATENATED(noop_as_, name)() {                     \
        return CUDA_SUCCESS;                                                                       \
    }
#include "gpu/driver/functions.inc"
