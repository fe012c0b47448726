// SPDX-License-Identifier: MIT
// PTX as rows to be read beside its source. Any PTX will do, of any version: the text is taken
// apart by lines and not parsed (gpu/ptx/parser.h does that).
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/code_row.h"

#include <string_view>
#include <vector>

namespace lathe::gpu {

/// The functions and variables of a module, in their order. Line information becomes the rows'
/// lines; it, comments, debug sections and the module's head are left out. An instruction that
/// stands on several lines is one row.
LATHE_API std::vector<CodeRow> ptx_rows(std::string_view ptx);

} // namespace lathe::gpu
