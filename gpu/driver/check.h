// SPDX-License-Identifier: MIT
// Errors of driver calls. CU_TRY(cuMemAlloc(&p, bytes), "for {} points", n) calls through driver(),
// and on failure throws gpu::Error: "cuMemAlloc failed: out of memory - for 12 points".
#pragma once

#include "engine/core/api.h"
#include "engine/core/error.h"
#include "gpu/driver/api.h"
#include "gpu/driver/fault.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>

namespace lathe::gpu {

namespace detail {

/// "cuMemAlloc(&p, n)" → "cuMemAlloc".
constexpr std::string_view routine_of(std::string_view call) {
    return call.substr(0, call.find('('));
}

/// What the driver said, taken at once: its words last only until the next driver call.
struct LATHE_API Failure {
    Failure(std::string_view call, CUresult failed);

    std::string_view routine;
    CUresult code;
    std::string text;  ///< "out of memory"
    std::string words; ///< the device's own, where it has any
    std::shared_ptr<const Fault> fault;
};

} // namespace detail

/// A driver call that failed, worded as PyCUDA words it, and what the call was for.
class LATHE_API Error : public lathe::Error {
public:
    /// `detail` may be empty. Asks the driver for the code's text.
    Error(std::string_view routine, CUresult code, std::string_view detail = {},
          std::source_location where = std::source_location::current());

    const std::string& routine() const noexcept { return routine_; } ///< "cuMemAlloc"
    CUresult code() const noexcept { return code_; }
    /// The kernel, block, thread and line behind a sticky code; null where the device cannot say.
    const Fault* fault() const noexcept { return fault_.get(); }
    /// The context cannot be used any more: each later call fails with this code. A GPU loses its
    /// context to an illegal address, and with it the process; the software device goes on.
    bool context_lost() const noexcept { return context_lost_; }

    /// What CU_TRY throws.
    Error(const detail::Failure& failure, std::string_view detail, std::source_location where);

private:
    std::string routine_;
    CUresult code_;
    std::shared_ptr<const Fault> fault_;
    bool context_lost_ = false;
};

namespace detail {

inline std::string detail_text() { return {}; }
template <class... Args> std::string detail_text(fmt::format_string<Args...> f, Args&&... args) {
    return fmt::format(f, std::forward<Args>(args)...);
}

/// For destructors: logs a failure, once for a lost context; silent while the process ends.
LATHE_API void log_failure(std::string_view call, CUresult code) noexcept;

} // namespace detail

/// Whether a destructor may call the driver: it is open and the process is not ending.
LATHE_API bool driver_is_usable() noexcept;

} // namespace lathe::gpu

/// Calls a driver entry point; throws gpu::Error with an fmt-formatted detail where it fails.
/// The detail's arguments are evaluated on failure only.
#define CU_TRY(call, ...)                                                                          \
    do {                                                                                           \
        const CUresult lathe_code_ = ::lathe::gpu::driver().call;                                  \
        if (lathe_code_ != CUDA_SUCCESS) [[unlikely]] {                                            \
            const ::lathe::gpu::detail::Failure lathe_failure_{#call, lathe_code_};                \
            throw ::lathe::gpu::Error{lathe_failure_,                                              \
                                      ::lathe::gpu::detail::detail_text(__VA_ARGS__),              \
                                      std::source_location::current()};                            \
        }                                                                                          \
    } while (false)
