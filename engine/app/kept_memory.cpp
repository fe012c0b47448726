// SPDX-License-Identifier: MIT
#include "engine/app/kept_memory.h"

#include "gpu/array/elementwise.h"
#include "gpu/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lathe {

void KeptMemory::Item::keep(const FirstContents& first) {
    const std::size_t size = std::visit([](const auto& m) { return m.bytes(); }, memory);
    if (!first.bytes.empty() && first.bytes.size() != size)
        throw gpu::ShapeError{
            fmt::format("{} bytes of values for an array of {}", first.bytes.size(), size)};
    bytes.assign(first.bytes.begin(), first.bytes.end());
    array.reset();
    if (first.array) array = gpu::copy(*first.array);
}

void KeptMemory::Item::restore() {
    if (Texture* const texture = std::get_if<Texture>(&memory))
        return bytes.empty() ? texture->fill_with_zeros() : texture->copy_from_host(bytes.data());
    gpu::Array& to = std::get<gpu::Array>(memory);
    if (to.bytes() == 0) return;
    if (array) gpu::assign(to, *array);
    else if (bytes.empty()) gpu::fill_units(to.address(), 0, 1, to.bytes());
    else gpu::copy_to_device(to.address(), bytes.data(), bytes.size());
}

const KeptMemory::Memory& KeptMemory::find_or_make(std::string_view name,
                                                   const FirstContents& first,
                                                   const std::function<bool(const Memory&)>& fits,
                                                   const std::function<Memory()>& make) {
    const std::string known = name.empty() ? fmt::format("#{}", unnamed_++) : std::string{name};
    const auto found = std::find_if(items_.begin(), items_.end(),
                                    [&](const Item& item) { return item.name == known; });
    if (found != items_.end()) {
        if (found->is_claimed && !found->may_be_asked_again)
            throw std::invalid_argument{fmt::format("there is an array named '{}' already", known)};
        if (fits(found->memory)) {
            found->keep(first);
            found->is_claimed = true;
            found->may_be_asked_again = false;
            return found->memory;
        }
        items_.erase(found);
    }
    // A loop may make an array in each step. One without a name that nobody else has is gone.
    std::erase_if(items_, [](const Item& item) {
        return item.is_claimed && item.name[0] == '#' &&
               std::visit([](const auto& m) { return m.owner().use_count(); }, item.memory) == 1;
    });
    Item made{known, make()};
    made.keep(first);
    if (!made.bytes.empty() || made.array) made.restore(); // new memory is zero
    items_.push_back(std::move(made));
    return items_.back().memory;
}

void KeptMemory::begin_reload() {
    std::erase_if(items_, [](const Item& item) { return !item.is_claimed; });
    for (Item& item : items_) item.is_claimed = false;
    unnamed_ = 0;
}

void KeptMemory::begin_part() {
    for (Item& item : items_) item.may_be_asked_again = true;
}

std::vector<KeptMemory::Named> KeptMemory::all() const {
    std::vector<Named> found;
    for (const Item& item : items_)
        if (item.is_claimed) found.push_back({item.name, &item.memory});
    return found;
}

void KeptMemory::restore() {
    for (Item& item : items_) item.restore();
}

} // namespace lathe
