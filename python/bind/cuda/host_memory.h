// SPDX-License-Identifier: MIT
// Memory of NumPy arrays: page-locked, managed, aligned.
#pragma once

#include "python/bind/cuda/pointer.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace lathe::bind {

/// Page-locked host memory; at least a byte of it.
class PagelockedMemory {
public:
    /// `flags` are CU_MEMHOSTALLOC_*.
    PagelockedMemory(std::size_t bytes, unsigned flags);

    /// The three throw gpu::Error where it was freed.
    void* data() const;
    CUdeviceptr device_address() const;
    void free();
    std::size_t bytes() const { return bytes_; }
    unsigned flags() const { return flags_; }
    bool is_mapped() const { return (flags_ & CU_MEMHOSTALLOC_DEVICEMAP) != 0; }

private:
    gpu::PinnedBuffer buffer_;
    std::size_t bytes_;
    unsigned flags_;
};

class AlignedMemory {
public:
    /// Throws ValueError unless the alignment is a power of two.
    AlignedMemory(std::size_t bytes, std::size_t alignment);

    /// Both throw gpu::Error where it was freed.
    void* data() const;
    void free();
    std::size_t bytes() const { return bytes_; }

private:
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, Free> data_;
    std::size_t bytes_;
};

/// Memory that host and device both address; at least a byte of it.
class ManagedMemory : public DeviceAllocation {
public:
    explicit ManagedMemory(std::size_t bytes)
        : DeviceAllocation{gpu::DeviceBuffer::managed(std::max(bytes, std::size_t{1}))}, size_{bytes} {}
    std::size_t size() const { return size_; }

private:
    std::size_t size_;
};

/// Where a kernel finds a NumPy array: nothing unless it lies, whole or in part, in managed or
/// mapped memory of this kind.
std::optional<DevicePointer> pointer_of_array(py::handle array);

} // namespace lathe::bind
