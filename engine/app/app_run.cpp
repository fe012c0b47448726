// SPDX-License-Identifier: MIT
// A program's loop, its sliders and arrays.
#include "engine/app/app_parts.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/memory.h"

#include <fmt/format.h>

#include <exception>

namespace lathe {

StepLoop& App::steps() { return p_->steps; }

int App::run(const std::function<void(const Step&)>& call, std::optional<std::uint64_t> frames) {
    StepLoop& loop = steps();
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
    return 0;
}

void App::restore_arrays() {
    for (Parts::OwnDrawing& own : p_->own_drawings) own.failed = false;
    for (KeptArray& kept : p_->arrays) {
        const std::size_t bytes = kept.array.bytes();
        if (bytes == 0) continue;
        if (kept.values.empty()) gpu::fill_units(kept.array.address(), 0, 1, bytes);
        else gpu::copy_to_device(kept.array.address(), kept.values.data(), bytes);
    }
}

double App::slider_number(std::string_view name) {
    const ParameterValue& value = p_->parameters.get(name);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return double(*integer);
    if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
    throw Error{fmt::format("slider {} is a vector: take it from parameters()", name)};
}

void App::on_reset(std::function<void()> call) { steps().hooks.on_start = std::move(call); }

gpu::Array App::array(DType dtype, const gpu::Extents& shape) {
    return array(dtype, shape, std::span<const std::byte>{});
}

gpu::Array App::array(DType dtype, const gpu::Extents& shape, std::span<const std::byte> values) {
    gpu::Array made = make_shared_array(frame_map(), dtype, shape);
    if (!values.empty() && values.size() != made.bytes())
        throw gpu::ShapeError{
            fmt::format("{} bytes of values for an array of {}", values.size(), made.bytes())};
    if (!values.empty()) gpu::copy_to_device(made.address(), values.data(), values.size());
    p_->arrays.push_back({made, {values.begin(), values.end()}});
    return made;
}

} // namespace lathe
