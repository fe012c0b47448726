// SPDX-License-Identifier: MIT
#include "engine/core/environment.h"

#include <cstdlib>

namespace lathe {

const char* environment(const char* name) noexcept {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

} // namespace lathe
