// SPDX-License-Identifier: MIT
// Types of a kernel's variables as NumPy has them.
#pragma once

#include "gpu/ptx/dwarf.h"

#include <pybind11/pybind11.h>

#include <cstddef>

namespace lathe::bind {

/// What numpy.dtype() takes for so many bytes of a type.
pybind11::object dtype_of(const ptx::ParameterType& type, std::size_t bytes);

} // namespace lathe::bind
