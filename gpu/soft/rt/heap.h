// SPDX-License-Identifier: MIT
// Device-side malloc. Its books are kept outside of device memory, where kernels cannot harm them.
#pragma once

#include <cstddef>

namespace lathe::soft {

/// CU_LIMIT_MALLOC_HEAP_SIZE; takes effect for allocations to come. Never below 1 MiB.
void set_heap_capacity(std::size_t bytes);
void* heap_allocate(std::size_t bytes); ///< 16-byte aligned; null where the heap is full
bool heap_release(void* p);             ///< false where p is no live allocation

} // namespace lathe::soft
