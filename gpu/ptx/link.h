// SPDX-License-Identifier: MIT
// Several modules to one, as device code of separate files is linked: what one declares extern and
// another defines becomes the same thing, names of a module's own stay its own.
#pragma once

#include "engine/core/api.h"
#include "gpu/ptx/ast.h"

#include <span>
#include <string>
#include <vector>

namespace lathe::ptx {

struct LinkInput {
    std::string name; ///< for messages
    Module module;
};

struct LATHE_API LinkResult {
    Module module;
    std::vector<std::string> errors; ///< one sentence each; empty where the modules fit together
    std::vector<std::string> undefined_functions, undefined_variables; ///< still extern; no errors

    bool ok() const { return errors.empty(); }
};

/// Links in the order given. Of weak definitions the first counts, unless there is a strong one;
/// two strong ones are an error, as are declarations of another shape than the definition. Kernels
/// and visible names keep their names, others get a suffix where they clash. Version and target are
/// the highest ones. Line information stays; sections (DWARF) are left out.
LATHE_API LinkResult link(std::span<const LinkInput> inputs);

} // namespace lathe::ptx
