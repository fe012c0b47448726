// SPDX-License-Identifier: MIT
// A program's loop, its sliders and arrays.
#include "engine/app/app_parts.h"
#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

namespace lathe {

StepLoop& App::steps() { return p_->steps; }
EventHandlers& App::events() { return p_->events; }

void App::take_drop(const DropEvent& drop) {
    for (const auto& file : drop.files)
        log::warning("{} was dropped: the program has no function for it (on_drop)", file.string());
}

int App::run(const std::function<void(const Step&)>& call, std::optional<std::uint64_t> frames) {
    StepLoop& loop = steps();
    const int unwritten = loop.unwritten();
    try {
        loop.start(frames);
        while (loop.next()) {
            try {
                call(loop.step());
            } catch (const std::exception&) { loop.fail(std::current_exception()); }
        }
    } catch (const std::exception& error) {
        log::error("{}", error.what());
        return 1;
    }
    return loop.unwritten() == unwritten ? 0 : 1;
}

std::vector<std::pair<std::string, std::variant<gpu::Array, Texture>>> App::memories() const {
    std::vector<std::pair<std::string, std::variant<gpu::Array, Texture>>> all;
    for (const KeptMemory::Named& each : p_->memory.all())
        all.emplace_back(each.name, *each.memory);
    return all;
}

void App::restore_arrays() {
    for (Parts::OwnDrawing& own : p_->own_drawings) own.failed = false;
    p_->memory.restore();
}

void App::begin_reload() {
    p_->memory.begin_reload();
    p_->events.clear();
    p_->plots.begin_reload();
    p_->bindings.forget_programs();
    for (AppSlot& slot : p_->slots) slot.is_claimed = false;
    p_->unnamed_sources = 0;
}

void App::begin_part() {
    p_->memory.begin_part();
    for (AppSlot& slot : p_->slots) slot.is_claimed = false;
    p_->awake_at = std::chrono::steady_clock::now();
}

double App::slider_number(std::string_view name) {
    const ParameterValue& value = p_->parameters.get(name);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return double(*integer);
    if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
    throw Error{fmt::format("slider {} is a vector: take it from parameters()", name)};
}

void App::on_reset(std::function<void()> call) { steps().hooks.on_start = std::move(call); }

gpu::Array App::array(gpu::ElementType type, const gpu::Extents& shape, const FirstContents& first,
                      std::string_view name) {
    const auto fits = [&](const KeptMemory::Memory& old) {
        const auto* array = std::get_if<gpu::Array>(&old);
        return array && array->type() == type && array->shape() == shape;
    };
    return std::get<gpu::Array>(p_->memory.find_or_make(
        name, first, fits, [&] { return make_shared_array(frame_map(), type, shape); }));
}

gpu::Array App::scratch_array(gpu::ElementType type, const gpu::Extents& shape) {
    return make_shared_array(frame_map(), type, shape);
}

Texture App::texture(DType dtype, const gpu::Extents& shape, bool is_smooth,
                     std::span<const std::byte> values, std::string_view name) {
    const auto fits = [&](const KeptMemory::Memory& old) {
        const auto* texture = std::get_if<Texture>(&old);
        return texture && texture->dtype() == dtype && texture->shape() == shape &&
               texture->is_smooth() == is_smooth;
    };
    return std::get<Texture>(
        p_->memory.find_or_make(name, {.bytes = values}, fits, [&]() -> KeptMemory::Memory {
            return Texture{frame_map(), dtype, shape, is_smooth};
        }));
}

} // namespace lathe
