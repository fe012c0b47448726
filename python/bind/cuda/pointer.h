// SPDX-License-Identifier: MIT
// Python objects that stand for device memory: DeviceAllocation, subclasses of PointerHolderBase,
// integers, objects with `gpudata` and those with __cuda_array_interface__.
#pragma once

#include "gpu/memory.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>

namespace lathe::bind {

namespace py = pybind11;

/// Device memory that Python owns; freed with the object, by free(), or with its context.
class DeviceAllocation {
public:
    explicit DeviceAllocation(gpu::DeviceBuffer buffer) : buffer_{std::move(buffer)} {}

    /// Throws gpu::Error where it was freed.
    CUdeviceptr address() const;
    std::size_t bytes() const { return buffer_.bytes(); }
    /// Throws gpu::Error where it was freed before.
    void free();

private:
    gpu::DeviceBuffer buffer_;
};

/// To be derived from in Python; `get_pointer()` says the address.
class PointerHolder {
public:
    virtual ~PointerHolder() = default;
};

struct DevicePointer {
    CUdeviceptr address = 0;
    std::optional<std::size_t> bytes; ///< of what it points into, where that is known
};

/// Nothing where `value` is none of the above. Throws what the object itself throws.
std::optional<DevicePointer> find_device_pointer(py::handle value);

/// Throws TypeError: "memcpy_htod: dest must be ..., got ...".
DevicePointer device_pointer(py::handle value, const char* function, const char* argument);

/// Throws gpu::Error with `routine` where `bytes` are more than `pointer` is known to have.
void check_room(const DevicePointer& pointer, std::size_t bytes, const char* routine);

} // namespace lathe::bind
