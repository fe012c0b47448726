// SPDX-License-Identifier: MIT
// Who has the device's memory.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lathe {

class App;

struct MemoryUse {
    std::string owner; ///< the array or texture by its name, or what holds it
    std::size_t bytes = 0;
};

/// Of the device that `app` computes on, with its contexts current: first each array and texture of
/// the program, then copies that are drawn, the history, arrays of no App, what the pool of arrays
/// holds for later, and last the rest: code, contexts, OpenGL's pictures and other programs. Asks
/// the driver. What nobody has is left out.
LATHE_API std::vector<MemoryUse> memory_use(App& app);

} // namespace lathe
