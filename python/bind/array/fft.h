// SPDX-License-Identifier: MIT
// Fourier transforms of GPUArrays.
#pragma once

#include <pybind11/pybind11.h>

namespace lathe::bind {

void bind_fft(pybind11::module_& m); // gpu/libraries/cufft.h

} // namespace lathe::bind
