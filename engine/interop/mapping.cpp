// SPDX-License-Identifier: MIT
#include "engine/interop/mapping.h"

#include "engine/core/error.h"
#include "engine/core/process.h"
#include "engine/interop/interop_counters.h"

#include <fmt/core.h>

#include <exception>

namespace lathe {

Mapping::Mapping(std::span<SharedObject* const> objects, gpu::StreamView stream) : stream_{stream} {
    for (const SharedObject* object : objects)
        if (object->is_mapped())
            throw Error{"a shared object is mapped already: unmap it, or make one Mapping of all "
                        "objects of the frame"};
    std::vector<CUgraphicsResource> resources;
    for (const SharedObject* object : objects)
        if (object->resource()) resources.push_back(object->resource());
    if (!resources.empty()) resources_ = gpu::GraphicsMapping{resources, stream};
    std::size_t index = 0;
    for (SharedObject* object : objects) {
        if (object->resource()) object->begin(resources_, index++);
        else object->begin_copy(stream);
    }
    // From here on nothing throws: an object is mapped only with a Mapping that unmaps it.
    objects_.assign(objects.begin(), objects.end());
    for (SharedObject* object : objects_) object->mapped_ = true;
    detail::count_map();
}

Mapping::Mapping(std::initializer_list<SharedObject*> objects, gpu::StreamView stream)
    : Mapping{std::span{objects.begin(), objects.size()}, stream} {}

Mapping::Mapping(Mapping&& other) noexcept
    : objects_{std::exchange(other.objects_, {})}, resources_{std::move(other.resources_)},
      stream_{other.stream_} {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    Mapping old{std::move(*this)};
    objects_ = std::exchange(other.objects_, {});
    resources_ = std::move(other.resources_);
    stream_ = other.stream_;
    return *this;
}

Mapping::~Mapping() {
    if (objects_.empty() || process_is_exiting()) return;
    try {
        unmap();
    } catch (...) { gpu::detail::defer_error(stream_, std::current_exception()); }
}

void Mapping::unmap() {
    // Emptied first: what fails here is not tried again.
    const std::vector<SharedObject*> objects = std::exchange(objects_, {});
    if (objects.empty()) return;
    for (SharedObject* object : objects) object->mapped_ = false;
    resources_.unmap();
    for (SharedObject* object : objects)
        if (!object->resource()) object->end_copy(stream_);
}

SharedObject& Mapping::at(std::size_t index) const {
    if (index >= objects_.size())
        throw Error{fmt::format("object {} of a mapping of {}", index, objects_.size())};
    return *objects_[index];
}

CUdeviceptr Mapping::address(std::size_t index) const {
    const CUdeviceptr address = at(index).mapped_address();
    if (!address) throw Error{"a shared texture has no address; use array() or surface()"};
    return address;
}

std::size_t Mapping::bytes(std::size_t index) const { return at(index).mapped_bytes(); }

const gpu::CudaArray& Mapping::array(std::size_t index) const {
    const gpu::CudaArray* array = at(index).mapped_array();
    if (!array) throw Error{"a shared buffer has no CUDA array; use address() or span()"};
    return *array;
}

const gpu::SurfaceObject& Mapping::surface(std::size_t index) const {
    const gpu::SurfaceObject* surface = at(index).mapped_surface();
    if (!surface) throw Error{"a shared buffer has no surface; use address() or span()"};
    return *surface;
}

const gpu::TextureObject& Mapping::texture(std::size_t index) const {
    const gpu::TextureObject* texture = at(index).mapped_texture();
    if (!texture) throw Error{"a shared buffer has no texture object; use address() or span()"};
    return *texture;
}

} // namespace lathe
