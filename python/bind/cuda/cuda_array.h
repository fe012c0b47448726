// SPDX-License-Identifier: MIT
// CUDA arrays as Python holds them: made from a descriptor, a level of a mipmapped array,
// or one of a mapped texture of OpenGL.
#pragma once

#include "gpu/cuda_array.h"
#include "gpu/mipmapped_array.h"

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>

namespace lathe::bind {

namespace py = pybind11;

class PyMipmappedArray {
public:
    PyMipmappedArray(const gpu::CudaArrayConfig& config, unsigned levels)
        : array_{config, levels} {}

    /// Both throw gpu::Error where it was freed.
    const gpu::MipmappedArray& get() const;
    void free();

private:
    gpu::MipmappedArray array_;
};

class PyCudaArray {
public:
    /// `require` throws gpu::Error where what a borrowed array lies in is gone, and keeps it alive:
    /// a level's mipmapped array, the mapping of a texture of OpenGL.
    explicit PyCudaArray(gpu::CudaArray array, std::function<void()> require = {})
        : array_{std::move(array)}, require_{std::move(require)} {}

    /// Both throw gpu::Error where it was freed.
    gpu::CudaArray& get();
    void free();
    const gpu::CudaArrayConfig& config() const { return array_.config(); }

private:
    gpu::CudaArray array_;
    std::function<void()> require_;
};

using CudaArrayPointer = std::shared_ptr<PyCudaArray>;
using MipmappedArrayPointer = std::shared_ptr<PyMipmappedArray>;

/// From an ArrayDescriptor or ArrayDescriptor3D. Throws TypeError or ValueError that names the
/// attribute.
gpu::CudaArrayConfig config_from(const py::object& descriptor);

} // namespace lathe::bind
