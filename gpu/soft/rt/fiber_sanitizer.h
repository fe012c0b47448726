// SPDX-License-Identifier: MIT
// What AddressSanitizer and ThreadSanitizer must hear of stacks and of switches between them
// (tools/sanitize). In other builds every function here is empty. A function that ends in a jump,
// so never returns, carries no_sanitize("thread"): its entry would stay on the recorded call stack.
#pragma once

#include "gpu/soft/rt/fiber.h"

#if defined(LATHE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(LATHE_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif
#if defined(LATHE_ADDRESS_SANITIZER) || defined(LATHE_THREAD_SANITIZER)
#include <pthread.h>
#endif

namespace lathe::soft {

#if defined(LATHE_ADDRESS_SANITIZER) || defined(LATHE_THREAD_SANITIZER)
constexpr std::size_t kSmallestStack = std::size_t{256} << 10; ///< reports are written on it, too
#else
constexpr std::size_t kSmallestStack = std::size_t{64} << 10;
#endif

/// Tells of a new stack, or of one that was left in the middle and will be used from its top.
inline void begin_stack([[maybe_unused]] Stack& stack) {
#if defined(LATHE_THREAD_SANITIZER)
    if (stack.sanitizer) __tsan_destroy_fiber(stack.sanitizer);
    stack.sanitizer = __tsan_create_fiber(0);
#endif
}

/// Before the memory of a stack goes back to the system.
inline void end_stack([[maybe_unused]] Stack& stack) {
#if defined(LATHE_THREAD_SANITIZER)
    __tsan_destroy_fiber(stack.sanitizer);
#endif
}

/// Describes the calling OS thread's own stack, for switches back to it.
inline void note_own_stack([[maybe_unused]] Stack& own) {
#if defined(LATHE_ADDRESS_SANITIZER)
    pthread_attr_t attributes;
    void* low = nullptr;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &own.bytes);
        pthread_attr_destroy(&attributes);
    }
    own.low = static_cast<std::byte*>(low);
#elif defined(LATHE_THREAD_SANITIZER)
    own.sanitizer = __tsan_get_current_fiber();
#endif
}

/// Right before control leaves `from` (null: for good) for `to`.
__attribute__((no_sanitize("thread"))) inline void leaving([[maybe_unused]] Stack* from,
                                                           [[maybe_unused]] const Stack& to) {
#if defined(LATHE_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(from ? &from->sanitizer : nullptr, to.low, to.bytes);
#elif defined(LATHE_THREAD_SANITIZER)
    __tsan_switch_to_fiber(to.sanitizer, 0);
#endif
}

/// First of all after control came to `on` from another stack.
__attribute__((no_sanitize("thread"))) inline void arrived([[maybe_unused]] const Stack& on) {
#if defined(LATHE_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(on.sanitizer, nullptr, nullptr);
#endif
}

/// Nothing returns to the frames that are on the stack now.
inline void forget_frames([[maybe_unused]] const Stack& stack) {
#if defined(LATHE_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(stack.low, stack.bytes);
#endif
}

} // namespace lathe::soft
