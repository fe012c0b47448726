// SPDX-License-Identifier: MIT
// What the functions of CUDA's device runtime share. Each takes its parameters packed as those of a
// kernel are, and returns a cudaError_t where it returns one. It runs on the stack of the thread
// that calls it, which is small.
#pragma once

#include "gpu/soft/drv/device_runtime.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/device_work.h"
#include "gpu/soft/rt/fault.h"

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace lathe::soft::device_runtime {

/// The numbers of cudaError_t that these functions return; they are those of CUresult mostly.
enum Error : std::int32_t {
    success = 0,
    invalid_value = 1,
    memory_allocation = 2,
    invalid_configuration = 9,
    invalid_pitch = 12,
    invalid_copy_direction = 21,
    invalid_device_function = 98,
    invalid_resource_handle = 400,
};

/// Packed parameters, read one after another.
class Parameters {
public:
    explicit Parameters(const std::uint8_t* bytes) : bytes_{bytes} {}
    template <class T> T take(std::size_t alignment = alignof(T)) {
        place_ = (place_ + alignment - 1) / alignment * alignment;
        T value;
        std::memcpy(&value, bytes_ + place_, sizeof value);
        place_ += sizeof value;
        return value;
    }

private:
    const std::uint8_t* bytes_;
    std::size_t place_ = 0;
};

using Triple = std::array<std::uint32_t, 3>;

inline Launch& launch_of(ThreadContext* t) { return t->block->runner->launch(); }

/// Returns an error, which stays the thread's last one until it asks for it.
void give(ThreadContext* t, std::uint8_t* returns, std::int32_t error);
/// The thread's last error.
std::int32_t error_of(const ThreadContext* t, bool clears);

/// Writes a result through a pointer of the kernel's.
template <class T> std::int32_t write(std::uint64_t to, const T& value) {
    return guarded_copy(reinterpret_cast<void*>(to), &value, sizeof value) ? success
                                                                           : invalid_value;
}

/// The stream of a handle; 0, 1 and 2 are the block's own. Null where it is none.
std::optional<DeviceWork::Stream> stream_of(ThreadContext* t, std::uint64_t handle);

/// The kernel of an address that device code has; null where it is none.
std::shared_ptr<DeviceKernel> kernel_of(std::uint64_t address);
/// Functions by their names behind __cudaCDP2.
struct Entry {
    std::string_view name;
    DeviceFunction function;
};
std::span<const Entry> launch_functions();
std::span<const Entry> kernel_functions();
std::span<const Entry> stream_functions();
std::span<const Entry> memory_functions();
std::span<const Entry> block_functions(); ///< copies and fills of two and three dimensions
std::span<const Entry> query_functions();

} // namespace lathe::soft::device_runtime
