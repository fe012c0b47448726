// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"

#include "engine/core/log.h"
#include "engine/core/process.h"

#include <atomic>

namespace lathe::gpu {
namespace {

// Set by the first sticky error that was thrown or logged: from then on every release fails with
// the same code, and saying so again helps nobody.
std::atomic<bool> sticky_reported{false};

std::string driver_text(CUresult code) {
    const DriverApi* open = detail::open_driver.load(std::memory_order_acquire);
    const char* text = nullptr;
    if (open && open->cuGetErrorString(code, &text) == CUDA_SUCCESS && text) return text;
    return fmt::format("error {}", static_cast<int>(code));
}

std::string message_of(std::string_view routine, CUresult code, std::string_view detail) {
    const std::string text = driver_text(code);
    return detail.empty() ? fmt::format("{} failed: {}", routine, text)
                          : fmt::format("{} failed: {} - {}", routine, text, detail);
}

} // namespace

Error::Error(std::string_view routine, CUresult code, std::string_view detail,
             std::source_location where)
    : lathe::Error{message_of(routine, code, detail), where}, routine_{routine}, code_{code} {
    if (sticky()) sticky_reported = true;
}

bool Error::is_sticky(CUresult code) noexcept {
    switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ECC_UNCORRECTABLE: return true;
    default: return false;
    }
}

namespace detail {

void throw_error(std::string_view call, CUresult code, const std::string& text,
                 std::source_location where) {
    throw Error{routine_of(call), code, text, where};
}

void log_failure(std::string_view call, CUresult code) noexcept {
    if (code == CUDA_SUCCESS || code == CUDA_ERROR_DEINITIALIZED) return;
    if (Error::is_sticky(code) && sticky_reported.exchange(true)) return;
    log::error("{}", message_of(routine_of(call), code, {}));
}

} // namespace detail

bool driver_is_usable() noexcept {
    return !process_is_exiting() && detail::open_driver.load(std::memory_order_acquire);
}

} // namespace lathe::gpu
