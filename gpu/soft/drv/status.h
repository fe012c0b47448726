// SPDX-License-Identifier: MIT
// How the driver's inside reports failure: an exception with a code, made a CUresult at the entry.
#pragma once

#include "gpu/soft/drv/cuda_abi.h"

#include <string>

namespace lathe::soft {

struct Failure {
    CUresult code;
    std::string text;
};

/// Throws Failure. `text` is what latheSoftGetLastErrorText says.
[[noreturn]] void fail(CUresult code, std::string text = {});

inline void require(bool condition, CUresult code, const char* text = "") {
    if (!condition) fail(code, text);
}
/// An argument that must not be null.
inline void require_pointer(const void* p) { require(p != nullptr, CUDA_ERROR_INVALID_VALUE); }

/// The calling thread's text of the last failure.
std::string& last_error_text();

} // namespace lathe::soft
