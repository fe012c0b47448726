// SPDX-License-Identifier: MIT
#pragma once

#include "gpu/soft/rt/abi.h"

namespace lathe::soft {

extern "C" {
/// trap in code that asks where the barrier of its grid lies: as lathe_rt_trap, and where the
/// launch is not cooperative the report says what that means for grid.sync().
[[noreturn]] void lathe_rt_trap_of_grid_group(ThreadContext* t);
}

} // namespace lathe::soft
