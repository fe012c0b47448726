// SPDX-License-Identifier: MIT
// Memory of NumPy arrays: page-locked, registered, managed, aligned.
#pragma once

#include "gpu/registered_memory.h"
#include "python/bind/cuda/pointer.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace lathe::bind {

/// Host memory that an array may lie in.
class HostPointer {
public:
    virtual ~HostPointer() = default;
    /// Throws gpu::Error where it was freed.
    virtual void* data() const = 0;
    virtual std::size_t bytes() const = 0;
    /// Throws gpu::Error where it was freed, or the device does not address it.
    virtual CUdeviceptr device_address() const = 0;
    virtual bool is_mapped() const { return false; }
};

/// Page-locked host memory; at least a byte of it.
class PagelockedMemory : public HostPointer {
public:
    /// `flags` are CU_MEMHOSTALLOC_*.
    PagelockedMemory(std::size_t bytes, unsigned flags);
    ~PagelockedMemory() override;

    void* data() const override;
    CUdeviceptr device_address() const override;
    /// Throws gpu::Error where it was freed.
    void free();
    std::size_t bytes() const override { return bytes_; }
    unsigned flags() const { return flags_; }
    bool is_mapped() const override { return (flags_ & CU_MEMHOSTALLOC_DEVICEMAP) != 0; }

private:
    gpu::PinnedBuffer buffer_;
    std::size_t bytes_;
    unsigned flags_;
};

class AlignedMemory : public HostPointer {
public:
    /// Throws ValueError unless the alignment is a power of two.
    AlignedMemory(std::size_t bytes, std::size_t alignment);

    void* data() const override;
    CUdeviceptr device_address() const override;
    /// Throws gpu::Error where it was freed.
    void free();
    std::size_t bytes() const override { return bytes_; }

private:
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };
    std::unique_ptr<void, Free> data_;
    std::size_t bytes_;
};

/// An array that was there before, page-locked; keeps it.
class RegisteredArray : public HostPointer {
public:
    /// `flags` are CU_MEMHOSTREGISTER_*. Throws ValueError for an array that is empty or has gaps,
    /// TypeError for what is no array, gpu::Error where memory of it is registered already.
    RegisteredArray(py::object array, unsigned flags);
    ~RegisteredArray() override;

    /// Also where it was unregistered: the memory is the array's.
    void* data() const override { return data_; }
    std::size_t bytes() const override { return bytes_; }
    CUdeviceptr device_address() const override;
    bool is_mapped() const override { return mapped_ && memory_; }
    /// Throws gpu::Error the second time.
    void unregister();
    const py::object& array() const { return array_; }
    bool is_writable() const { return writable_; }

private:
    py::object array_; // outlives the registration
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    bool mapped_ = false;
    bool writable_ = false;
    gpu::RegisteredMemory memory_;
};

/// Memory that host and device both address; at least a byte of it.
class ManagedMemory : public DeviceAllocation {
public:
    /// `flags`: CU_MEM_ATTACH_GLOBAL or _HOST.
    explicit ManagedMemory(std::size_t bytes, unsigned flags = CU_MEM_ATTACH_GLOBAL)
        : DeviceAllocation{gpu::DeviceBuffer::managed(std::max(bytes, std::size_t{1}), flags),
                           true},
          size_{bytes} {}
    std::size_t size() const { return size_; }

private:
    std::size_t size_;
};

/// Where a kernel finds a NumPy array: nothing unless it lies, whole or in part, in managed or
/// mapped memory of this kind.
std::optional<DevicePointer> pointer_of_array(py::handle array);

} // namespace lathe::bind
