// SPDX-License-Identifier: MIT
// Device-side malloc. Its books are kept outside of device memory, where kernels cannot harm them.
// What was freed is given out again late, so that its use after that is found.
#pragma once

#include "gpu/soft/rt/access.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace lathe::soft {

struct ThreadContext;

/// CU_LIMIT_MALLOC_HEAP_SIZE; takes effect for allocations to come. Never below 1 MiB.
void set_heap_capacity(std::size_t bytes);
/// 16-byte aligned; null where the heap is full. For a thread, which finds the memory sooner.
void* heap_allocate(std::size_t bytes, ThreadContext* thread = nullptr);
bool heap_release(void* p); ///< false where p is no live allocation

/// The allocations around p without a gap, which may be touched; room 0 where p lies in none.
MemoryRange heap_range_of(std::uintptr_t p);
/// "8 bytes into a 64-byte allocation of the device heap at 0x... that was freed"; empty where it
/// lies `inside` of none, or behind none.
std::string describe_heap_address(std::uintptr_t p, bool inside);

} // namespace lathe::soft
