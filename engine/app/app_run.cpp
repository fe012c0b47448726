// SPDX-License-Identifier: MIT
// An App's own loop: steps, what they draw, resets, errors, and what is left behind at the end.
#include "engine/app/app_parts.h"
#include "engine/app/recorder.h"
#include "engine/app/screenshot.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>

namespace lathe {

namespace {

constexpr std::uint64_t kFramesWithoutAWindow = 300;
constexpr float kStepWithoutAWindow = 1.0f / 60, kLongestStep = 0.1f;

/// Grows when a kernel changes: what failed may do better then.
std::uint64_t generations(App& app) {
    std::uint64_t sum = 0;
    for (const KernelSlot* slot : app.kernels()) sum += slot->generation();
    return sum;
}

} // namespace

void App::Parts::restore_arrays() {
    for (KeptArray& kept : arrays) {
        const std::size_t bytes = kept.array.bytes();
        if (bytes == 0) continue;
        if (kept.values.empty()) gpu::fill_units(kept.array.address(), 0, 1, bytes);
        else gpu::copy_to_device(kept.array.address(), kept.values.data(), bytes);
    }
}

/// False where a step failed: no more of this frame.
bool App::Parts::do_step(const std::function<void(const Step&)>& call, Step& step) {
    app->begin_step();
    try {
        call(step);
    } catch (const std::exception& error) {
        app->drop_step();
        if (window.headless()) throw;
        console.write(Console::Source::script, log::Level::error, error.what());
        return false;
    }
    ++step.index;
    step.time += step.dt;
    return true;
}

int App::run(const std::function<void(const Step&)>& call) {
    Parts& p = *p_;
    const bool headless = p.window.headless();
    const std::string name = p.config.title;
    std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
    if (p.config.frames || headless) limit = p.config.frames.value_or(kFramesWithoutAWindow);
    std::optional<Recorder> movie;
    Step step;
    std::uint64_t broken_at = 0; // generations of the kernels when a step failed
    bool is_broken = false, started = false;
    try {
        if (!p.config.out.empty()) movie.emplace(RecorderConfig{p.config.out / (name + ".mp4")});
        for (std::uint64_t frame = 0; frame < limit && begin_frame(); ++frame) {
            if (started && p.run_control.reset()) {
                p.restore_arrays();
                step = {};
                is_broken = started = false;
            }
            if (!started && p.reset_call) p.reset_call();
            started = true;
            step.dt = headless ? kStepWithoutAWindow
                               : std::min(float(p.loop.delta_seconds()), kLongestStep);
            is_broken = is_broken && broken_at == generations(*this);
            for (int k = 0; k < p.run_control.steps() && !is_broken; ++k)
                is_broken = !p.do_step(call, step);
            if (is_broken) broken_at = generations(*this);
            set_time(step.time);
            end_frame();
            if (frame == 0) p.parameters.check_assignments();
            try {
                if (movie) movie->add(p.scene);
            } catch (const Error& error) { // of another size, or a full disk: the program goes on
                log::error("the recording ends: {}", error.what());
                movie.reset();
            }
        }
        if (movie) movie->finish();
        if (!p.config.out.empty())
            save_png(p.config.out / (name + ".png"), screenshot(has_panels()));
    } catch (const std::exception& error) {
        log::error("{}", error.what());
        return 1;
    }
    return 0;
}

double App::slider_number(std::string_view name) {
    const ParameterValue& value = p_->parameters.get(name);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return double(*integer);
    if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
    throw Error{fmt::format("slider {} is a vector: take it from parameters()", name)};
}

void App::on_reset(std::function<void()> call) { p_->reset_call = std::move(call); }

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
