// SPDX-License-Identifier: MIT
#include "engine/app/state_copy.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/graphics_memory.h"
#include "gpu/array/operations.h"
#include "gpu/array/reduction.h"
#include "gpu/memory.h"

#include <array>
#include <cstdint>

namespace lathe {

namespace {

gpu::Array copy_of(const Texture& texture, gpu::Array to) {
    texture.copy_to_device(to.address());
    return to;
}

gpu::Array copy_of(const KeptMemory::Memory& memory, StateMemory& into) {
    if (const auto* texture = std::get_if<Texture>(&memory))
        return copy_of(*texture, into.empty(texture->dtype(), texture->shape()));
    const gpu::Array& array = std::get<gpu::Array>(memory);
    gpu::Array made = into.empty(array.type(), array.shape());
    const gpu::StreamView stream =
        array.graphics() ? array.graphics()->stream() : gpu::StreamView::legacy();
    if (array.bytes() > 0)
        gpu::copy_on_device(made.address(), array.address(), array.bytes(), stream);
    return made;
}

bool fits(const KeptMemory::Memory& memory, const gpu::Array& copy) {
    if (const auto* array = std::get_if<gpu::Array>(&memory))
        return array->type() == copy.type() && array->shape() == copy.shape();
    const Texture& texture = std::get<Texture>(memory);
    return gpu::ElementType{texture.dtype()} == copy.type() && texture.shape() == copy.shape();
}

/// The same memory as words of four bytes, or of one where the size is no multiple.
gpu::Array as_words(const gpu::Array& array) {
    const DType word = array.bytes() % 4 == 0 ? DType::uint32 : DType::uint8;
    const auto count = std::int64_t(array.bytes() / gpu::ElementType{word}.bytes);
    return array.view(word, gpu::compact({count}, gpu::ElementType{word}.bytes));
}

bool have_same_bits(const gpu::Array& a, const gpu::Array& b) {
    if (a.bytes() == 0) return true;
    const gpu::Array words = as_words(a), others = as_words(b);
    const std::array types{gpu::InputType{words.dtype("==")}, gpu::InputType{others.dtype("==")}};
    const std::array<gpu::Input, 2> inputs{words, others};
    const auto differ = gpu::run(gpu::resolve(gpu::operation("not_equal"), types), inputs);
    const gpu::Array any = gpu::reduce(gpu::Reduction::any, differ[0]);
    bool found = false;
    gpu::copy_to_host(&found, any.address(), sizeof found);
    return !found;
}

const MemoryCopy* find(const std::vector<MemoryCopy>& copies, const KeptMemory::Named& memory) {
    for (const MemoryCopy& copy : copies)
        if (copy.name == memory.name && fits(*memory.memory, copy.elements)) return &copy;
    return nullptr;
}

} // namespace

std::vector<MemoryCopy> copy_memories(const KeptMemory& memory, StateMemory& into) {
    std::vector<MemoryCopy> copies;
    for (const KeptMemory::Named& each : memory.all())
        copies.push_back({std::string{each.name}, copy_of(*each.memory, into)});
    return copies;
}

void put_back(KeptMemory& memory, const std::vector<MemoryCopy>& copies) {
    for (const KeptMemory::Named& each : memory.all()) {
        const MemoryCopy* const copy = find(copies, each);
        if (!copy) continue;
        if (const auto* texture = std::get_if<Texture>(each.memory)) {
            texture->copy_from_device(copy->elements.address());
        } else {
            gpu::Array to = std::get<gpu::Array>(*each.memory);
            if (to.bytes() > 0) gpu::assign(to, copy->elements);
        }
    }
}

bool is_same(const KeptMemory& memory, const std::vector<MemoryCopy>& copies) {
    for (const KeptMemory::Named& each : memory.all()) {
        const MemoryCopy* const copy = find(copies, each);
        if (!copy) continue;
        const auto* texture = std::get_if<Texture>(each.memory);
        const gpu::Array now =
            texture ? copy_of(*texture, gpu::Array::empty(texture->dtype(), texture->shape()))
                    : std::get<gpu::Array>(*each.memory);
        if (!have_same_bits(now, copy->elements)) return false;
    }
    return true;
}

} // namespace lathe
