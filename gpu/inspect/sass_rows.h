// SPDX-License-Identifier: MIT
// What `nvdisasm --print-code --print-line-info-inline` writes, as rows to be read beside the
// source. machine_code.h runs it.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/code_row.h"

#include <string_view>
#include <vector>

namespace lathe::gpu {

/// The functions of a CUBIN, in their order; directives are left out.
LATHE_API std::vector<CodeRow> sass_rows(std::string_view listing);

} // namespace lathe::gpu
