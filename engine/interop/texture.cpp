// SPDX-License-Identifier: MIT
#include "engine/interop/texture.h"

#include "engine/interop/shared_texture.h"
#include "gpu/array/array.h"
#include "gpu/box_copy.h"
#include "gpu/cuda_array.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace lathe {

namespace {

std::optional<gl::Format> format_of(DType dtype, std::int64_t channels) {
    switch (dtype) {
    case DType::uint8:
        if (channels == 1) return gl::Format::r8;
        if (channels == 2) return gl::Format::rg8;
        if (channels == 4) return gl::Format::rgba8;
        break;
    case DType::float16:
        if (channels == 1) return gl::Format::r16f;
        if (channels == 4) return gl::Format::rgba16f;
        break;
    case DType::float32:
        if (channels == 1) return gl::Format::r32f;
        if (channels == 2) return gl::Format::rg32f;
        if (channels == 4) return gl::Format::rgba32f;
        break;
    case DType::int32:
        if (channels == 1) return gl::Format::r32i;
        break;
    case DType::uint32:
        if (channels == 1) return gl::Format::r32ui;
        break;
    default:
        throw gpu::TypeError{fmt::format(
            "a texture of {}: uint8, float16, float32, int32 and uint32 can be", name_of(dtype))};
    }
    return {};
}

const char* channels_of(DType dtype) {
    if (dtype == DType::float16) return "1 or 4";
    return dtype == DType::int32 || dtype == DType::uint32 ? "1" : "1, 2 or 4";
}

} // namespace

/// The memory, and its CUDA side while a frame map holds it.
class Texture::Storage final : public FrameObject {
public:
    Storage(std::shared_ptr<FrameMap> map, int width, int height, gl::Format format,
            gl::Filter filter)
        : FrameObject{std::move(map)} {
        this->map()->before_making();
        shared_ = std::make_unique<SharedTexture>(width, height, format, filter);
    }
    ~Storage() override { map()->release(std::move(shared_)); }

    const SharedTexture& shared() const { return *shared_; }
    // Valid while mapped.
    gpu::CudaArray& array() { return array_; }
    CUsurfObject surface() const { return surface_; }
    CUtexObject sampler() const { return sampler_; }

private:
    SharedObject& object() override { return *shared_; }
    void on_map(const Mapping& mapping, std::size_t index) override {
        array_ = gpu::CudaArray::wrap(mapping.array(index).get());
        surface_ = mapping.surface(index).get();
        sampler_ = mapping.texture(index).get();
    }

    std::unique_ptr<SharedTexture> shared_;
    gpu::CudaArray array_; ///< borrowed
    CUsurfObject surface_{};
    CUtexObject sampler_{};
};

Texture::Texture(std::shared_ptr<FrameMap> map, DType dtype, const gpu::Extents& shape,
                 bool is_smooth)
    : shape_{shape}, dtype_{dtype}, is_smooth_{is_smooth},
      size_{static_cast<std::size_t>(gpu::count_of(shape))} {
    const std::int64_t channels = shape.size() == 3 ? shape[2] : 1;
    if ((shape.size() != 2 && shape.size() != 3) || size_ == 0)
        throw gpu::ShapeError{
            fmt::format("a texture is (height, width) or (height, width, channels), got {}",
                        gpu::to_string(shape))};
    const auto format = format_of(dtype, channels);
    if (!format)
        throw gpu::ShapeError{fmt::format("a texture of {} has {} channels, got {}", name_of(dtype),
                                          channels_of(dtype), channels)};
    if (is_smooth && (dtype == DType::int32 || dtype == DType::uint32))
        throw gpu::ShapeError{
            fmt::format("smooth=True, but between {} nothing is interpolated", name_of(dtype))};
    const auto made = std::make_shared<Storage>(
        std::move(map), static_cast<int>(shape[1]), static_cast<int>(shape[0]), *format,
        is_smooth ? gl::Filter::linear : gl::Filter::nearest);
    storage_ = made.get();
    owner_ = made;
}

FrameMap& Texture::map() const { return *storage_->map(); }

Texture::Storage& Texture::held() const {
    map().hold(*storage_);
    return *storage_;
}

CUsurfObject Texture::surface() const { return held().surface(); }
CUtexObject Texture::sampler() const { return held().sampler(); }

void Texture::copy_to_host(void* to) const {
    Storage& memory = held();
    map().wait();
    memory.array().copy_to_host(to);
}

void Texture::copy_from_host(const void* from) {
    Storage& memory = held();
    map().wait();
    memory.array().copy_from_host(from);
}

void Texture::fill_with_zeros() {
    const std::vector<std::byte> zeros(bytes());
    copy_from_host(zeros.data());
}

void Texture::copy_rows(const gpu::CopySide& from, const gpu::CopySide& to) const {
    const auto rows = std::size_t(shape_[0]);
    gpu::copy_rows({.from = from, .to = to, .width_bytes = bytes() / rows, .height = rows},
                   map().stream());
}

void Texture::copy_to_device(CUdeviceptr to) const {
    copy_rows({.memory = CU_MEMORYTYPE_ARRAY, .array = &held().array()},
              {.memory = CU_MEMORYTYPE_DEVICE, .device = to});
}

void Texture::copy_from_device(CUdeviceptr from) const {
    copy_rows({.memory = CU_MEMORYTYPE_DEVICE, .device = from},
              {.memory = CU_MEMORYTYPE_ARRAY, .array = &held().array()});
}

const gl::Texture& Texture::gl_texture() const { return storage_->shared().texture(); }

} // namespace lathe
