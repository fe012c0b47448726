// SPDX-License-Identifier: MIT
// Environment variables, read in one way: one that is empty counts as one that is not set.
#pragma once

#include "engine/core/api.h"

namespace lathe {

/// The variable's value, or null. Valid until the environment changes, so use it at once: reading
/// while another thread calls setenv is a data race of the C library.
LATHE_API const char* environment(const char* name) noexcept;

} // namespace lathe
