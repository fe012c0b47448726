// SPDX-License-Identifier: MIT
// The texture that kernels and GL share, as Python sees it: a shape and a dtype over a
// SharedTexture.
#pragma once

#include "engine/interop/frame_map.h"
#include "engine/interop/shared_texture.h"
#include "python/bind/interop/shape.h"

#include <cuda.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace lathe::bind {

/// The memory of one texture, and its CUDA side while a pool holds it.
class TextureStorage final : public FrameObject {
public:
    TextureStorage(std::shared_ptr<FrameMap> map, int width, int height, gl::Format format,
                   gl::Filter filter);
    ~TextureStorage() override;

    SharedTexture& shared() { return *shared_; }
    // Valid while mapped.
    gpu::CudaArray& array() { return array_; }
    CUsurfObject surface() const { return surface_; }
    CUtexObject sampler() const { return sampler_; }

private:
    SharedObject& object() override { return *shared_; }
    void on_map(const Mapping& mapping, std::size_t index) override;

    std::unique_ptr<SharedTexture> shared_;
    gpu::CudaArray array_; ///< borrowed
    CUsurfObject surface_{};
    CUtexObject sampler_{};
};

class Texture {
public:
    /// Throws ValueError for what is no (height, width) or (height, width, channels) of one, two or
    /// four channels, TypeError for elements that a texture cannot have.
    Texture(std::shared_ptr<FrameMap> map, std::vector<py::ssize_t> shape, DType dtype,
            bool smooth);

    const std::vector<py::ssize_t>& shape() const { return shape_; }
    DType dtype() const { return dtype_; }
    bool smooth() const { return smooth_; }
    std::size_t count() const { return count_; }
    std::size_t bytes() const { return count_ * item_bytes(dtype_); }
    std::shared_ptr<const void> storage() const { return storage_; }
    FrameMap& map() const { return *storage_->map(); }
    /// The GL texture, for use while CUDA does not have it.
    const gl::Texture& gl_texture() const;
    // Map it where it is not mapped; valid until the frame is drawn.
    CUsurfObject surface() const { return held().surface(); }
    CUtexObject sampler() const { return held().sampler(); }

    /// Block until kernels that write it are done.
    py::array get(const py::object& out) const;
    void set(const py::object& value);
    std::string repr() const;

private:
    TextureStorage& held() const;

    std::shared_ptr<TextureStorage> storage_;
    std::vector<py::ssize_t> shape_;
    DType dtype_;
    bool smooth_;
    std::size_t count_ = 0;
};

void bind_texture(py::module_& m);

} // namespace lathe::bind
