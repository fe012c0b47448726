// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"

#include "engine/core/log.h"
#include "engine/core/process.h"

#include <atomic>

namespace lathe::gpu {
namespace {

// Set by the first error that ended its context: from then on every release fails with the same
// code, and saying so again helps nobody.
std::atomic<bool> lost_reported{false};

std::string text_of(CUresult code) {
    const DriverApi* open = detail::open_driver.load(std::memory_order_acquire);
    const char* text = nullptr;
    if (open && open->cuGetErrorString(code, &text) == CUDA_SUCCESS && text) return text;
    return fmt::format("error {}", static_cast<int>(code));
}

bool comes_from_a_kernel(CUresult code) noexcept {
    switch (code) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC: return true;
    default: return false;
    }
}

// Whether the current context answers everything with a kernel's error from now on.
bool context_is_lost() noexcept {
    const DriverApi* open = detail::open_driver.load(std::memory_order_acquire);
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    return open && comes_from_a_kernel(open->cuMemGetInfo(&free_bytes, &total_bytes));
}

std::string message_of(const detail::Failure& failure, std::string_view detail) {
    std::string message = fmt::format("{} failed: {}", failure.routine, failure.text);
    if (!detail.empty()) message += fmt::format(" - {}", detail);
    if (failure.fault) message += fmt::format(" - {}", to_string(*failure.fault));
    else if (!failure.words.empty() && detail.find(failure.words) == detail.npos)
        message += fmt::format(" - {}", failure.words);
    return message;
}

} // namespace

detail::Failure::Failure(std::string_view call, CUresult failed)
    : routine{routine_of(call)}, code{failed} {
    words = last_error_text(); // before any other call
    if (comes_from_a_kernel(code)) fault = last_fault();
    if (fault && fault->code != code) fault = nullptr; // of an earlier failure
    text = text_of(code);
}

Error::Error(std::string_view routine, CUresult code, std::string_view detail,
             std::source_location where)
    : Error{detail::Failure{routine, code}, detail, where} {}

Error::Error(const detail::Failure& failure, std::string_view detail, std::source_location where)
    : lathe::Error{message_of(failure, detail), where}, routine_{failure.routine},
      code_{failure.code}, fault_{failure.fault},
      context_lost_{comes_from_a_kernel(code_) && context_is_lost()} {
    if (context_lost_) lost_reported = true;
}

namespace detail {

void log_failure(std::string_view call, CUresult code) noexcept {
    if (code == CUDA_SUCCESS || code == CUDA_ERROR_DEINITIALIZED) return;
    if (comes_from_a_kernel(code) && lost_reported.exchange(context_is_lost())) return;
    try {
        log::error("{} failed: {}", routine_of(call), text_of(code));
    } catch (...) {
        // no memory for the message: nothing better to do in a destructor
    }
}

} // namespace detail

bool driver_is_usable() noexcept {
    return !process_is_exiting() && detail::open_driver.load(std::memory_order_acquire);
}

} // namespace lathe::gpu
