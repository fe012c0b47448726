// SPDX-License-Identifier: MIT
#include "python/bind/interop/texture.h"

#include "python/bind/interop/host_copy.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace lathe::bind {

namespace {

std::optional<gl::Format> format_of(DType dtype, py::ssize_t channels) {
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
        throw py::type_error(fmt::format(
            "a texture of {}: uint8, float16, float32, int32 and uint32 can be", name_of(dtype)));
    }
    return {};
}

} // namespace

TextureStorage::TextureStorage(std::shared_ptr<FrameMap> map, int width, int height,
                               gl::Format format, gl::Filter filter)
    : FrameObject{std::move(map)} {
    this->map()->before_making();
    shared_ = std::make_unique<SharedTexture>(width, height, format, filter);
}

TextureStorage::~TextureStorage() { map()->release(std::move(shared_)); }

void TextureStorage::on_map(const Mapping& mapping, std::size_t index) {
    array_ = gpu::CudaArray::wrap(mapping.array(index).get());
    surface_ = mapping.surface(index).get();
    sampler_ = mapping.texture(index).get();
}

Texture::Texture(std::shared_ptr<FrameMap> map, std::vector<py::ssize_t> shape, DType dtype,
                 bool smooth)
    : shape_{std::move(shape)}, dtype_{dtype}, smooth_{smooth},
      count_{count_of(shape_, item_bytes(dtype))} {
    const py::ssize_t channels = shape_.size() == 3 ? shape_[2] : 1;
    if ((shape_.size() != 2 && shape_.size() != 3) || count_ == 0)
        throw py::value_error(
            fmt::format("a texture is (height, width) or (height, width, channels), got {}",
                        shape_text(shape_)));
    const auto format = format_of(dtype, channels);
    if (!format)
        throw py::value_error(fmt::format("a texture of {} has {} channels, got {}", name_of(dtype),
                                          dtype == DType::float16 ? "1 or 4"
                                          : item_bytes(dtype) == 4 && dtype != DType::float32
                                              ? "1"
                                              : "1, 2 or 4",
                                          channels));
    if (smooth && (dtype == DType::int32 || dtype == DType::uint32))
        throw py::value_error(
            fmt::format("smooth=True, but between {} nothing is interpolated", name_of(dtype)));
    storage_ =
        std::make_shared<TextureStorage>(std::move(map), int(shape_[1]), int(shape_[0]), *format,
                                         smooth ? gl::Filter::linear : gl::Filter::nearest);
}

TextureStorage& Texture::held() const {
    map().hold(*storage_);
    return *storage_;
}

const gl::Texture& Texture::gl_texture() const {
    return std::as_const(storage_->shared()).texture();
}

py::array Texture::get(const py::object& out) const {
    py::array result = host_result(out, shape_, dtype_);
    void* to = result.mutable_data();
    TextureStorage& held = this->held();
    py::gil_scoped_release release;
    map().wait();
    held.array().copy_to_host(to);
    return result;
}

void Texture::set(const py::object& value) {
    const py::array host = host_values(value, shape_, dtype_);
    const void* from = host.data();
    TextureStorage& held = this->held();
    py::gil_scoped_release release;
    map().wait();
    held.array().copy_from_host(from);
}

std::string Texture::repr() const {
    return fmt::format("lathe.Texture(shape={}, dtype={})", shape_text(shape_), name_of(dtype_));
}

} // namespace lathe::bind
