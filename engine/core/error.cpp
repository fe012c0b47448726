// SPDX-License-Identifier: MIT
#include "engine/core/error.h"

#include <fmt/core.h>

namespace lathe {

std::string to_string(const std::source_location& where) {
    return fmt::format("{}:{} ({})", where.file_name(), where.line(), where.function_name());
}

} // namespace lathe
