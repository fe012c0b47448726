// SPDX-License-Identifier: MIT
// Errors of driver calls. CU_TRY(cuMemAlloc(&p, bytes), "for {} points", n) calls through driver(),
// and on failure throws gpu::Error: "cuMemAlloc failed: out of memory - for 12 points".
#pragma once

#include "engine/core/error.h"
#include "gpu/driver/api.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lathe::gpu {

/// Where a kernel went wrong, on devices that know it (an illegal address on the software device).
struct Fault {
    std::string kernel;
    std::array<unsigned, 3> block{};
    std::array<unsigned, 3> thread{};
    std::string file; ///< as given to the compiler; empty where unknown
    int line = 0;     ///< from 1; 0 where unknown
    std::uint64_t address = 0;
    std::string message;
};

/// A driver call that failed, worded as PyCUDA words it, and what the call was for.
class Error : public lathe::Error {
public:
    /// `detail` may be empty. Asks the driver for the code's text.
    Error(std::string_view routine, CUresult code, std::string_view detail = {},
          std::source_location where = std::source_location::current());

    const std::string& routine() const noexcept { return routine_; } ///< "cuMemAlloc"
    CUresult code() const noexcept { return code_; }
    /// The kernel, block, thread and line behind a sticky code; null where the device cannot say.
    const Fault* fault() const noexcept { return fault_.get(); }
    /// The context cannot be used any more: each later call fails with the same code.
    bool sticky() const noexcept { return is_sticky(code_); }

    static bool is_sticky(CUresult code) noexcept;

private:
    std::string routine_;
    CUresult code_;
    std::shared_ptr<const Fault> fault_;
};

namespace detail {

/// "cuMemAlloc(&p, n)" → "cuMemAlloc".
constexpr std::string_view routine_of(std::string_view call) {
    return call.substr(0, call.find('('));
}

[[noreturn]] void throw_error(std::string_view call, CUresult code, const std::string& text,
                              std::source_location where);

inline std::string detail_text() { return {}; }
template <class... Args> std::string detail_text(fmt::format_string<Args...> f, Args&&... args) {
    return fmt::format(f, std::forward<Args>(args)...);
}

/// For destructors: logs a failure, once for a sticky error; silent while the process ends.
void log_failure(std::string_view call, CUresult code) noexcept;

} // namespace detail

/// Whether a destructor may call the driver: it is open and the process is not ending.
bool driver_is_usable() noexcept;

} // namespace lathe::gpu

/// Calls a driver entry point; throws gpu::Error with an fmt-formatted detail where it fails.
/// The detail's arguments are evaluated on failure only.
#define CU_TRY(call, ...)                                                                          \
    do {                                                                                           \
        const CUresult lathe_code_ = ::lathe::gpu::driver().call;                                  \
        if (lathe_code_ != CUDA_SUCCESS) [[unlikely]]                                              \
            ::lathe::gpu::detail::throw_error(#call, lathe_code_,                                  \
                                              ::lathe::gpu::detail::detail_text(__VA_ARGS__),      \
                                              std::source_location::current());                    \
    } while (false)
