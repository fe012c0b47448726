// SPDX-License-Identifier: MIT
// The frame of every driver entry point: initialisation and context checked, exceptions made
// codes, nothing thrown into the caller.
#pragma once

#include "gpu/soft/drv/context.h"

#include <exception>
#include <new>

namespace lathe::soft {

bool initialised();

/// The code of the exception in flight; its text becomes the thread's last error text.
CUresult code_of_current_exception() noexcept;

/// Runs f() -> void or CUresult after cuInit.
template <class F> CUresult entry(F&& f) noexcept {
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    try {
        if (!last_error_text().empty()) last_error_text().clear();
        if constexpr (std::is_void_v<decltype(f())>) {
            f();
            return CUDA_SUCCESS;
        } else {
            return f();
        }
    } catch (...) { return code_of_current_exception(); }
}

/// Runs f(Context&) in the calling thread's current context.
template <class F> CUresult in_context(F&& f) noexcept {
    return entry([&] {
        auto context = current_context();
        if (!context) fail(CUDA_ERROR_INVALID_CONTEXT, "no current context");
        return f(*context);
    });
}

/// There is one device, number 0.
inline void require_device(CUdevice device) { require(device == 0, CUDA_ERROR_INVALID_DEVICE); }

} // namespace lathe::soft
