// SPDX-License-Identifier: MIT
// Names to link against, with the SONAME libcuda.so.1: no program runs with this one.
extern "C" {
#define LATHE_CU_PROC(name, version, per_thread, symbol)                                           \
    __attribute__((visibility("default"))) int symbol(void) { return 34; } // a stub library
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
}
