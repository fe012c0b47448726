// SPDX-License-Identifier: MIT
// Allocation and freeing of what device pointers point to. Device pointers are host pointers.
#pragma once

#include "gpu/soft/drv/context.h"
#include "gpu/soft/rt/registry.h"

namespace lathe::soft {

/// Opens arena memory and registers it; fails with CUDA_ERROR_OUT_OF_MEMORY.
void* allocate(const Context& context, std::size_t bytes, Allocation::Kind kind, unsigned flags = 0,
               std::string name = {});
/// CUDA_ERROR_OUT_OF_MEMORY, and what there is.
[[noreturn]] void fail_out_of_memory(std::size_t bytes);
/// Frees what allocate and Pool::allocate made; nothing may use it any more.
void release(std::uintptr_t begin);

/// The allocation that begins at p and is of one of the kinds; fails with
/// CUDA_ERROR_INVALID_VALUE.
Allocation allocation_at(std::uintptr_t p, std::initializer_list<Allocation::Kind> kinds);

/// Fails with CUDA_ERROR_INVALID_VALUE where [p, p + bytes) is not inside of one allocation.
void require_device_range(CUdeviceptr p, std::size_t bytes);

/// True for memory that the device may read and write while the host goes on.
bool is_pinned(const void* p, std::size_t bytes);

} // namespace lathe::soft
