// SPDX-License-Identifier: MIT
#include "engine/scene/taken.h"

#include "engine/core/error.h"

namespace lathe {

PlaceInGl find_in_gl(const gpu::Array& array, const FrameMap& map, DrawnMemory& memory) {
    const auto place = place_in_gl(array, map);
    if (!place) throw Error{"an array that is to be drawn lies outside of OpenGL's memory"};
    memory = {array.owner(), array.graphics(), place->offset_bytes};
    return *place;
}

ImageBuffer picture_of(const gpu::Array& array, const PlaceInGl& place) {
    const gpu::Extents& shape = array.shape();
    return {.buffer = place.buffer,
            .dtype = *array.type().dtype,
            .height = int(shape[0]),
            .width = int(shape[1]),
            .channels = shape.size() == 3 ? int(shape[2]) : 1,
            .offset = place.offset_bytes};
}

void Taken::find(const gpu::Array& array, DrawnMemory& memory, const gl::Buffer*& buffer,
                 std::size_t& offset) const {
    const PlaceInGl place = find_in_gl(array, *map, memory);
    buffer = place.buffer;
    offset = place.offset_bytes;
}

const gpu::Array& Taken::floats(const gpu::Array& array, DrawnMemory& memory,
                                const gl::Buffer*& buffer, std::size_t& offset) const {
    const gpu::Array& taken = copies.of(map, array, DType::float32);
    find(taken, memory, buffer, offset);
    return taken;
}

const gpu::Array& Taken::places(const gpu::Array& positions, DrawnMemory& memory,
                                const gl::Buffer*& buffer, std::size_t& offset) {
    if (!origin.of_float64()) return floats(positions, memory, buffer, offset);
    const gpu::Array& taken = copies.places(map, positions, origin.place);
    find(taken, memory, buffer, offset);
    origin.taken = taken;
    return taken;
}

} // namespace lathe
