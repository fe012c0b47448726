// SPDX-License-Identifier: MIT
// Host memory that was there before, page-locked for the device: copies run at full speed, and
// asynchronously. The memory stays its owner's.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"

#include <cuda.h>

#include <cstddef>

namespace lathe::gpu {

namespace detail {
struct LATHE_API RegisteredMemoryTraits {
    using Type = InContext<void*>;
    static constexpr Type null{};
    static void destroy(Type memory) noexcept;
};
} // namespace detail

struct RegisterConfig {
    bool mapped = false;    ///< device_address() is available
    bool portable = false;  ///< page-locked for every context
    bool read_only = false; ///< the device only reads it; pages that cannot be written need it
};

class LATHE_API RegisteredMemory {
public:
    RegisteredMemory() = default; ///< empty
    /// `data` must live until this object ends. Throws gpu::Error where any page of it is
    /// registered already, or for zero bytes. (cuMemHostRegister)
    RegisteredMemory(void* data, std::size_t bytes, const RegisterConfig& config = {});

    void* data() const noexcept { return handle_.get().value; }
    std::size_t bytes() const noexcept { return handle_ ? bytes_ : 0; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    /// Throws gpu::Error unless registered with `mapped`. (cuMemHostGetDevicePointer)
    CUdeviceptr device_address() const;
    /// What the destructor does, but throws gpu::Error where it fails or there is nothing.
    /// (cuMemHostUnregister)
    void unregister();

private:
    Handle<detail::RegisteredMemoryTraits> handle_;
    std::size_t bytes_ = 0;
};

} // namespace lathe::gpu
