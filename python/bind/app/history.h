// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

namespace lathe {

class History;

namespace bind {

/// Values of Python's: `copy` gives them and their bytes, or None.
void set_history_values(History& history, const pybind11::function& copy,
                        const pybind11::function& put_back, const pybind11::function& is_same);

} // namespace bind
} // namespace lathe
