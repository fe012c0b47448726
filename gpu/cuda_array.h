// SPDX-License-Identifier: MIT
// CUDA arrays: opaque storage in one, two or three dimensions that textures and surfaces read and
// write, and copies between them, host memory and linear device memory.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <cstddef>

namespace lathe::gpu {

struct CudaArrayConfig {
    std::size_t width = 0;  ///< elements
    std::size_t height = 0; ///< rows; 0 for one dimension
    std::size_t depth = 0;  ///< slices; 0 for one or two dimensions
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 1;          ///< 1, 2 or 4
    bool surface_load_store = true; ///< a SurfaceObject may be made of it
    bool layered = false;           ///< depth counts layers
    bool cubemap = false;           ///< six faces (`depth`), or with `layered` a multiple of six
    bool texture_gather = false;    ///< tex2Dgather may read it; two dimensions only
};

/// Bytes of one channel of this format; 0 for formats that are not plain numbers.
LATHE_API std::size_t format_bytes(CUarray_format format) noexcept;

namespace detail {
LATHE_API CUDA_ARRAY3D_DESCRIPTOR descriptor_of(const CudaArrayConfig& config);

struct LATHE_API CudaArrayTraits {
    using Type = InContext<CUarray>;
    static constexpr Type null{};
    static void destroy(Type array) noexcept;
};
} // namespace detail

class LATHE_API CudaArray {
public:
    CudaArray() = default; ///< empty
    /// (cuArray3DCreate, in the current context)
    explicit CudaArray(const CudaArrayConfig& config);
    /// Borrows; asks the driver for its shape. `context`: the one it lives in, where that is known.
    static CudaArray wrap(CUarray array, const Context& context = {});

    CUarray get() const noexcept { return handle_.get().value; }
    bool owned() const noexcept { return handle_.owned(); }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUarray release() noexcept { return handle_.release().value; }

    const CudaArrayConfig& config() const noexcept { return config_; }
    std::size_t element_bytes() const noexcept;
    std::size_t row_bytes() const noexcept { return config_.width * element_bytes(); }
    std::size_t rows() const noexcept;   ///< 1 where the array has no height
    std::size_t slices() const noexcept; ///< or layers; 1 where the array has no depth
    /// Of the whole array, without padding: what the copies below read or write.
    std::size_t bytes() const noexcept;
    /// Throw gpu::Error with `routine` where the array's context has ended, or is not the calling
    /// thread's; of borrowed arrays the context is not known.
    void require_alive(const char* routine) const;
    void require_current(const char* routine) const;

    // Copies of the whole array. `pitch_bytes` is the distance between rows on the other side, 0
    // for rows without gaps; slices follow each other. Without a stream: done on return. With one:
    // ordered on it, and host memory must live until the stream has passed the copy. (cuMemcpy3D)

    void copy_from_host(const void* from, std::size_t pitch_bytes = 0);
    void copy_from_host(const void* from, std::size_t pitch_bytes, StreamView stream);
    void copy_to_host(void* to, std::size_t pitch_bytes = 0) const;
    void copy_to_host(void* to, std::size_t pitch_bytes, StreamView stream) const;
    void copy_from_device(CUdeviceptr from, std::size_t pitch_bytes, StreamView stream);
    void copy_to_device(CUdeviceptr to, std::size_t pitch_bytes, StreamView stream) const;
    /// Both arrays must have the same shape, format and channels.
    void copy_from(const CudaArray& from, StreamView stream);

    // Copies of a part of an array of one row, from byte `at_bytes` on; gpu::Error with the figures
    // where it has more rows or fewer bytes. Done on return. (cuMemcpyHtoA and its like)

    void copy_part_from_host(std::size_t at_bytes, const void* from, std::size_t bytes);
    void copy_part_to_host(std::size_t at_bytes, void* to, std::size_t bytes) const;
    void copy_part_from_device(std::size_t at_bytes, CUdeviceptr from, std::size_t bytes);
    void copy_part_to_device(std::size_t at_bytes, CUdeviceptr to, std::size_t bytes) const;
    void copy_part_from(std::size_t at_bytes, const CudaArray& from, std::size_t from_at_bytes,
                        std::size_t bytes);

private:
    void check_part(const char* routine, std::size_t at_bytes, std::size_t bytes) const;
    CUDA_MEMCPY3D whole(std::size_t pitch_bytes) const noexcept;

    Handle<detail::CudaArrayTraits> handle_;
    CudaArrayConfig config_;
};

} // namespace lathe::gpu
