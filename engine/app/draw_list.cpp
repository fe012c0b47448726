// SPDX-License-Identifier: MIT
#include "engine/app/draw_list.h"

#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/operations.h"

#include <array>
#include <utility>

namespace lathe {

namespace {

/// As which OpenGL can draw elements.
DType drawn_as(DType dtype) {
    return item_bytes(dtype) > 4 || gpu::kind_of(dtype) == gpu::Kind::complex ? DType::float32
                                                                              : dtype;
}

} // namespace

void DrawnCopies::begin_step() {
    copies_.resize(used_);
    used_ = 0;
}

void DrawnCopies::clear() {
    copies_.clear();
    used_ = 0;
}

gpu::Array& DrawnCopies::memory(const std::shared_ptr<FrameMap>& map, DType dtype,
                                const gpu::Extents& shape) {
    const std::size_t at = used_++;
    if (at == copies_.size()) copies_.emplace_back();
    gpu::Array& copy = copies_[at];
    if (copy.shape() != shape || copy.type() != gpu::ElementType{dtype})
        copy = make_shared_array(map, dtype, shape);
    return copy;
}

gpu::Array DrawnCopies::of(const std::shared_ptr<FrameMap>& map, const gpu::Array& array) {
    const DType dtype = array.dtype("drawing"), drawn = drawn_as(dtype);
    if (dtype == drawn && place_in_gl(array, *map)) return array;
    gpu::Array& copy = memory(map, drawn, array.shape());
    if (gpu::kind_of(dtype) != gpu::Kind::complex) {
        gpu::assign(copy, array);
        return copy;
    }
    const gpu::Operation& absolute = gpu::operation("absolute");
    const std::array<gpu::Input, 1> inputs{array};
    const std::array<gpu::InputType, 1> types{gpu::InputType{dtype}};
    gpu::assign(copy, gpu::run(gpu::resolve(absolute, types), inputs)[0]);
    return copy;
}

void DrawList::begin_step() {
    end_step();
    begun_.emplace();
}

void DrawList::end_step() {
    if (begun_) shown_ = std::move(*std::exchange(begun_, std::nullopt));
}

void DrawList::drop_step() { begun_.reset(); }

void DrawList::clear() {
    shown_.clear();
    begun_.reset();
}

void DrawList::add(Drawn drawn) { (begun_ ? *begun_ : shown_).push_back(std::move(drawn)); }

} // namespace lathe
