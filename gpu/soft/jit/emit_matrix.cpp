// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/lowering.h"
namespace lathe::soft::jit { bool emit_matrix(FunctionLowering&, const Instruction&) { return false; } }
