// SPDX-License-Identifier: MIT
// Signals of kernel code become reports. The handler accepts a fault only where a worker of ours
// runs on a kernel's stack, or where a guarded copy runs; all others go to the handler before it.
#pragma once

#include <cstddef>

namespace lathe::soft {

/// Installs the handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL once per process.
void install_fault_handler();
/// Gives the calling thread an alternate signal stack; workers need one, kernel stacks being small.
void install_signal_stack();

/// Runs f(argument) on the calling thread; false where it touched memory that it may not. Not
/// nested. f must own nothing that needs a destructor.
bool run_guarded(void (*f)(void*), void* argument);

/// memcpy, memmove semantics; false where an address of either side cannot be touched (the copy
/// may then have been made in part).
bool guarded_copy(void* to, const void* from, std::size_t bytes);
/// Fills `count` elements of 1, 2 or 4 bytes; false as guarded_copy.
bool guarded_fill(void* to, unsigned value, std::size_t element_bytes, std::size_t count);

} // namespace lathe::soft
