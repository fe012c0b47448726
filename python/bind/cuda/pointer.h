// SPDX-License-Identifier: MIT
// Python objects that stand for device memory: DeviceAllocation, subclasses of PointerHolderBase,
// integers, objects with `gpudata` and those with __cuda_array_interface__.
#pragma once

#include "gpu/driver/check.h"
#include "gpu/memory.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <optional>

namespace lathe::bind {

namespace py = pybind11;

/// Throws gpu::Error: `what`, a class or one of its calls, has no memory any more.
[[noreturn]] void refuse_freed(const char* what);

/// Device memory that Python owns; freed with the object, by free(), or with its context.
class DeviceAllocation {
public:
    /// `everywhere`: every context may use it, as managed memory.
    explicit DeviceAllocation(gpu::DeviceBuffer buffer, bool everywhere = false)
        : buffer_{std::move(buffer)}, everywhere_{everywhere} {}
    DeviceAllocation(DeviceAllocation&&) = default;
    ~DeviceAllocation();

    /// False once it was freed.
    explicit operator bool() const { return static_cast<bool>(buffer_); }
    /// Throws gpu::Error where it was freed.
    CUdeviceptr address() const;
    std::size_t bytes() const { return buffer_.bytes(); }
    /// Throws gpu::Error where it was freed before.
    void free();
    void free_in_order(gpu::StreamView stream);
    /// The one context that may use it; empty where all may.
    gpu::Context context() const { return everywhere_ ? gpu::Context{} : buffer_.context(); }

private:
    gpu::DeviceBuffer buffer_;
    bool everywhere_;
};

/// f(), and once more after Python's garbage is gone where the device had not enough memory.
template <class F> auto retry_after_collecting(F f) {
    try {
        return f();
    } catch (const gpu::Error& error) {
        if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    }
    py::module_::import("gc").attr("collect")(); // what cycles hold
    return f();
}

/// To be derived from in Python; `get_pointer()` says the address.
class PointerHolder {
public:
    virtual ~PointerHolder() = default;
};

struct DevicePointer {
    CUdeviceptr address = 0;
    std::optional<std::size_t> bytes; ///< of what it points into, where that is known
    gpu::Context context{};           ///< that may use it; empty where that is not known
};

/// Nothing where `value` is none of the above. Throws what the object itself throws.
std::optional<DevicePointer> find_device_pointer(py::handle value);

/// Throws TypeError: "memcpy_htod: dest must be ..., got ...".
DevicePointer device_pointer(py::handle value, const char* function, const char* argument);

/// Throws gpu::Error with `routine` where the calling thread's context cannot use the memory.
void check_reach(const DevicePointer& pointer, const char* routine);

/// Throws gpu::Error with `routine` where `bytes` are more than `pointer` is known to have.
void check_room(const DevicePointer& pointer, std::size_t bytes, const char* routine);

} // namespace lathe::bind
