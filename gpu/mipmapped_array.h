// SPDX-License-Identifier: MIT
// A CUDA array in levels: each has half the size of the one before, rounded down.
#pragma once

#include "engine/core/api.h"
#include "gpu/cuda_array.h"

namespace lathe::gpu {

namespace detail {
struct LATHE_API MipmappedArrayTraits {
    using Type = InContext<CUmipmappedArray>;
    static constexpr Type null{};
    static void destroy(Type array) noexcept;
};
} // namespace detail

class LATHE_API MipmappedArray {
public:
    MipmappedArray() = default; ///< empty
    /// `config` is that of level 0. More levels than there are halves are clamped, as the driver
    /// does; 0 are all. (cuMipmappedArrayCreate)
    MipmappedArray(const CudaArrayConfig& config, unsigned levels);

    CUmipmappedArray get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    const CudaArrayConfig& config() const noexcept { return config_; }
    unsigned levels() const noexcept { return levels_; }
    const Context& context() const noexcept { return context_; }

    /// Borrowed: valid while this lives. Throws gpu::Error where there is no such level.
    /// (cuMipmappedArrayGetLevel)
    CudaArray level(unsigned index) const;

private:
    Handle<detail::MipmappedArrayTraits> handle_;
    Context context_;
    CudaArrayConfig config_;
    unsigned levels_ = 0;
};

} // namespace lathe::gpu
