// SPDX-License-Identifier: MIT
// Names of C++ functions as the source spells them.
#pragma once

#include "engine/core/api.h"

#include <string>

namespace lathe {

/// "_Z4stepPfi" → "step", "_ZN3sim4stepEPf" → "sim::step", an instantiated template with its
/// arguments; names that are not mangled come back as they are.
LATHE_API std::string source_name(const std::string& lowered);

} // namespace lathe
