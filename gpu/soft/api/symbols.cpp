// SPDX-License-Identifier: MIT
// Defines every symbol of the driver library as a weak function that answers "not supported". The
// functions of the other files are strong and take their places, so what is implemented is written
// nowhere but where it is implemented. cuda.h must not be seen here: it declares the same names.
#include "gpu/soft/api/symbols.h"

#include <atomic>

extern "C" {
#define LATHE_CU_PROC(name, version, per_thread, symbol)                                           \
    __attribute__((weak, visibility("default"))) int symbol(void) {                                \
        static constinit std::atomic<bool> called{false};                                          \
        return lathe::soft::unsupported(#symbol, !called.exchange(true));                          \
    }
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
}

namespace lathe::soft {

std::span<const Proc> procs() {
    static const Proc all[] = {
#define LATHE_CU_PROC(name, version, per_thread, symbol)                                           \
    {name, version, per_thread, reinterpret_cast<void*>(&symbol)},
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
    };
    return all;
}

} // namespace lathe::soft
