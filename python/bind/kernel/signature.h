// SPDX-License-Identifier: MIT
// What a kernel declares, from its source.
#pragma once

#include "engine/live/kernel_slot.h"
#include "python/bind/kernel/arguments.h"

#include <optional>
#include <string>

namespace lathe::bind {

/// Names and types of the parameters of kernel `entry`; nothing where the debug information has
/// none. Compiles with -G (cached): tens of milliseconds.
std::optional<Signature> signature_from_source(const KernelSource& source,
                                               const std::string& entry);

} // namespace lathe::bind
