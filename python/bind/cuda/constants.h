// SPDX-License-Identifier: MIT
// The constants of lathe.cuda.constants, as the bound classes need them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace lathe::bind {

/// A class of constants, such as "func_cache".
pybind11::object constants(const char* name);

/// The number behind `owner.name`: WARP_SIZE of `constants` for device.warp_size. Throws
/// AttributeError, "a Device has no attribute ...".
int constant_of_attribute(const char* constants, const char* owner, const std::string& name);

} // namespace lathe::bind
