// SPDX-License-Identifier: MIT
// How the driver's inside reports failure: an exception with a code, made a CUresult at the entry.
#pragma once

#include "gpu/soft/drv/cuda_abi.h"

#include <cstdint>
#include <string>
#include <type_traits>

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
/// False for null, and for what null with an offset or a small number would be.
inline bool is_pointer(const void* p) { return reinterpret_cast<std::uintptr_t>(p) >= 4096; }
/// An argument that must not be null.
inline void require_pointer(const void* p) { require(is_pointer(p), CUDA_ERROR_INVALID_VALUE); }
/// Writes a result that the caller need not want.
template <class T> void give(T* to, std::type_identity_t<T> value) {
    if (!to) return;
    require_pointer(to);
    *to = value;
}

/// The calling thread's text of the last failure.
std::string& last_error_text();

} // namespace lathe::soft
