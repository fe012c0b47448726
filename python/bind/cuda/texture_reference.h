// SPDX-License-Identifier: MIT
// Texture and surface references as Python holds them.
#pragma once

#include "gpu/texture_reference.h"
#include "python/bind/cuda/cuda_array.h"

#include <memory>

namespace lathe::bind {

/// State of its own where no module has it: then no kernel sees it.
class PyTextureReference {
public:
    explicit PyTextureReference(std::shared_ptr<gpu::TextureReference> reference)
        : reference_{std::move(reference)} {}

    gpu::TextureReference& get() const { return *reference_; }
    CudaArrayPointer array() const { return array_; }
    void set_array(CudaArrayPointer array);
    /// Returns the bytes between the address that is bound, a multiple of what the device asks
    /// for, and `pointer`.
    std::size_t set_address(const py::object& pointer, std::size_t bytes, bool allow_offset);
    void set_address_2d(const py::object& pointer, const py::object& descriptor, std::size_t pitch);

private:
    std::shared_ptr<gpu::TextureReference> reference_;
    CudaArrayPointer array_;
};

class PySurfaceReference {
public:
    explicit PySurfaceReference(std::shared_ptr<gpu::SurfaceReference> reference)
        : reference_{std::move(reference)} {}
    CudaArrayPointer array() const { return array_; }
    void set_array(CudaArrayPointer array, unsigned flags);

private:
    std::shared_ptr<gpu::SurfaceReference> reference_;
    CudaArrayPointer array_;
};

/// Throws TypeError unless each of `texrefs` is a TextureReference. Kernels see their references
/// anyway.
void check_texrefs(const py::object& texrefs);

} // namespace lathe::bind
