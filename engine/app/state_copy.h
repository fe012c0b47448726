// SPDX-License-Identifier: MIT
// The state of a program before a step: its clock, and copies of its arrays and textures on the
// device.
#pragma once

#include "engine/app/kept_memory.h"
#include "engine/app/state_memory.h"
#include "engine/app/step_loop.h"
#include "gpu/array/array.h"

#include <memory>
#include <string>
#include <vector>

namespace lathe {

/// A C-ordered array of the elements of an array or a texture.
struct MemoryCopy {
    std::string name;
    gpu::Array elements;
};

struct StateCopy {
    StepClock clock;
    std::vector<MemoryCopy> memories;
    std::shared_ptr<const void> values; ///< of the host, see History::Values
};

/// On the App's stream, into memory of `into`. Throws gpu::Error.
std::vector<MemoryCopy> copy_memories(const KeptMemory& memory, StateMemory& into);
/// What is of the same name, type and size; the rest stays as it is.
void put_back(KeptMemory& memory, const std::vector<MemoryCopy>& copies);
/// Whether that would change nothing, bit for bit. Waits for the device.
bool is_same(const KeptMemory& memory, const std::vector<MemoryCopy>& copies);

} // namespace lathe
