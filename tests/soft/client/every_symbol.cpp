// SPDX-License-Identifier: MIT
// A program's part that uses every symbol of the driver library: it loads where all resolve.
extern "C" {
#define LATHE_CU_PROC(name, version, per_thread, symbol) int symbol(void);
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC

__attribute__((visibility("default"))) int (*lathe_test_every_symbol[])(void) = {
#define LATHE_CU_PROC(name, version, per_thread, symbol) &symbol,
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
    nullptr};
}
