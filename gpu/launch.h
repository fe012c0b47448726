// SPDX-License-Identifier: MIT
// Launching a kernel from C++: launch(kernel, {grid, block, 0, stream}, buffer, n, 0.5f).
// Arguments are packed by type and checked against the kernel's parameters by count and size.
#pragma once

#include "engine/core/api.h"
#include "gpu/memory.h"
#include "gpu/module.h"
#include "gpu/stream.h"
#include "gpu/texture.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

namespace lathe::gpu {

struct LATHE_API Dim3 {
    unsigned x = 1;
    unsigned y = 1;
    unsigned z = 1;

    constexpr std::size_t total() const noexcept { return std::size_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

/// The least grid whose blocks cover `elements` in each dimension.
constexpr Dim3 blocks_for(Dim3 elements, Dim3 block) noexcept {
    return {(elements.x + block.x - 1) / block.x, (elements.y + block.y - 1) / block.y,
            (elements.z + block.z - 1) / block.z};
}

/// Threads of a block where the launch's author does not care: for one, two or three axes.
constexpr Dim3 usual_block(std::size_t axes) noexcept {
    return axes == 1 ? Dim3{256} : axes == 2 ? Dim3{16, 16} : Dim3{8, 8, 4};
}

struct LaunchConfig {
    Dim3 grid;                    ///< blocks
    Dim3 block;                   ///< threads of a block
    std::size_t shared_bytes = 0; ///< dynamic shared memory of a block
    StreamView stream{};
    bool cooperative = false; ///< all blocks run at once, so that the grid can synchronise
    /// Blocks that run at once and reach each other's shared memory; each dimension divides the
    /// grid's. Compute capability 9.0.
    std::optional<Dim3> cluster{};
};

namespace detail {

// What crosses to the device for each kind of argument.
template <class T> CUdeviceptr to_argument(const DeviceSpan<T>& span) { return span.address(); }
inline CUdeviceptr to_argument(const DeviceBuffer& buffer) { return buffer.address(); }
inline CUtexObject to_argument(const TextureObject& texture) { return texture.get(); }
inline CUsurfObject to_argument(const SurfaceObject& surface) { return surface.get(); }
inline CUdeviceptr to_argument(std::nullptr_t) { return 0; }
template <class T> const T& to_argument(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "a kernel argument is copied byte by byte");
    return value;
}

/// Throws gpu::Error ("cuLaunchKernel failed: invalid argument - ...") unless the sizes are those
/// of the kernel's parameters.
LATHE_API void check_arguments(const Kernel& kernel, std::span<const std::size_t> argument_bytes);

template <class Launch, class... Values>
void launch_values(const Kernel& kernel, const Launch& launch, const Values&... values) {
    constexpr std::array<std::size_t, sizeof...(Values)> sizes{sizeof(Values)...};
    check_arguments(kernel, sizes);
    std::array<void*, sizeof...(Values) + 1> pointers{
        const_cast<void*>(static_cast<const void*>(&values))..., nullptr};
    launch(pointers.data());
}

} // namespace detail

/// Checks arguments as launch() does, and gives `launch` an array of pointers to them.
template <class Launch, class... Args>
void launch_by(const Kernel& kernel, const Launch& launch, const Args&... args) {
    detail::launch_values(kernel, launch, detail::to_argument(args)...);
}

/// Launches asynchronously on config.stream; argument values are copied before it returns, memory
/// behind pointers must live until the stream has passed the launch. Buffers and spans pass their
/// address, texture and surface objects their handle, other types their bytes.
/// Throws gpu::Error where count or size of the arguments do not fit, or the driver refuses the
/// configuration (the message names kernel, grid, block and limits). (cuLaunchKernel, or
/// cuLaunchKernelEx for cooperative launches and clusters)
template <class... Args>
void launch(const Kernel& kernel, const LaunchConfig& config, const Args&... args) {
    launch_by(kernel, [&](void** arguments) { kernel.launch(config, arguments); }, args...);
}

} // namespace lathe::gpu
