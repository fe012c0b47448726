// SPDX-License-Identifier: MIT
#include "engine/interop/shared_array.h"

#include "engine/interop/shared_buffer.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

namespace lathe {

namespace {

class BufferOfFrames final : public FrameObject, public gpu::GraphicsMemory {
public:
    BufferOfFrames(std::shared_ptr<FrameMap> map, std::unique_ptr<SharedBuffer> buffer)
        : FrameObject{std::move(map)}, buffer_{std::move(buffer)} {}
    ~BufferOfFrames() override { map()->release(std::move(buffer_)); }

    CUdeviceptr address() override {
        map()->hold(*this);
        return address_;
    }
    CUdeviceptr mapped_address() noexcept override {
        if (!buffer_->is_mapped()) return 0;
        note_use();
        return address_;
    }
    gpu::StreamView stream() const noexcept override { return map()->stream(); }
    void wait() override { map()->wait(); }

    const gl::Buffer& gl_buffer() const { return std::as_const(*buffer_).buffer(); }

private:
    SharedObject& object() override { return *buffer_; }
    void on_map(const Mapping& mapping, std::size_t index) override {
        address_ = mapping.address(index);
    }

    std::unique_ptr<SharedBuffer> buffer_;
    CUdeviceptr address_ = 0; ///< while mapped
};

} // namespace

gpu::Array make_shared_array(const std::shared_ptr<FrameMap>& map, gpu::ElementType type,
                             const gpu::Extents& shape) {
    const std::size_t bytes = gpu::bytes_of(shape, type.bytes); // refuses what strides cannot count
    const gpu::Layout layout = gpu::compact(shape, type.bytes);
    if (bytes == 0) return gpu::Array::empty(type, layout);
    map->before_making();
    auto memory = std::make_shared<BufferOfFrames>(map, std::make_unique<SharedBuffer>(bytes));
    return gpu::Array::over(std::move(memory), type, layout, map->cuda());
}

std::optional<PlaceInGl> place_in_gl(const gpu::Array& array, const FrameMap& map) {
    const auto* memory = dynamic_cast<const BufferOfFrames*>(array.graphics());
    if (!memory || memory->map().get() != &map || !array.is_c_contiguous()) return {};
    return PlaceInGl{&memory->gl_buffer(), array.graphics_offset()};
}

} // namespace lathe
