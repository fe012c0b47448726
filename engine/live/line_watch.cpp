// SPDX-License-Identifier: MIT
#include "engine/live/line_watch.h"

#include "engine/core/error.h"
#include "engine/live/kernel_slot.h"
#include "engine/live/line_map.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lathe {

struct LineWatch::Code {
    std::string name; ///< of the kernel
    gpu::LineValuesKernel kernel;
    std::optional<gpu::LineExpression> shown, mark;
    std::string problem; ///< of an expression
};

namespace {

template <class T> std::vector<T> to_host(CUdeviceptr from, std::size_t count) {
    std::vector<T> copy(count);
    gpu::copy_to_host(copy.data(), from, count * sizeof(T));
    return copy;
}

std::vector<double> to_host(gpu::DeviceSpan<const double> from) {
    return to_host<double>(from.address(), from.size());
}

gpu::LineQuestion question_of(const WatchedLine& line) {
    std::vector<std::string> names = gpu::names_in(line.shown);
    for (std::string& name : gpu::names_in(line.mark)) names.push_back(std::move(name));
    return {line.line, {}, std::move(names), line.visit};
}

/// The kernel that is named; else that in which the line stands; else the source's own, which may
/// call what has the line.
std::pair<std::string, gpu::LineValuesKernel>
kernel_of(const KernelSource& source, const std::string& own, const WatchedLine& line) {
    const std::string name = line.kernel.empty() ? own : line.kernel;
    gpu::LineValuesKernel kernel{request_of(source, name), name, question_of(line)};
    const std::string home = kernel.home();
    if (!line.kernel.empty() || home.empty() || home == name) return {name, std::move(kernel)};
    return {home, gpu::LineValuesKernel{request_of(source, home), home, question_of(line)}};
}

void add_expression(std::optional<gpu::LineExpression>& to, const std::string& text,
                    const std::vector<gpu::LineValues::Variable>& variables, std::string& problem) {
    if (text.empty()) return;
    try {
        to.emplace(text, variables);
    } catch (const Error& error) { problem = error.what(); }
}

} // namespace

std::pair<gpu::Dim3, gpu::Dim3> LinePicture::thread_at(std::size_t number) const {
    const auto x = unsigned(number % threads.x), y = unsigned(number / threads.x % threads.y),
               z = unsigned(number / threads.x / threads.y);
    return {{x / block.x, y / block.y, z / block.z}, {x % block.x, y % block.y, z % block.z}};
}

LineWatch::LineWatch(gpu::Device device, Executor compile_on)
    : device_{device}, compile_on_{std::move(compile_on)} {}
LineWatch::~LineWatch() = default;

void LineWatch::watch(WatchedLine line) {
    forget();
    line_ = std::move(line);
    text_ = line_.slot->source();
    compile();
}

void LineWatch::forget() {
    state_ = State::off;
    compile_.reset();
    text_.clear();
    problem_.clear();
    kernel_.clear();
    known_.clear();
    picture_ = {};
    is_stopped_ = false;
}

void LineWatch::fail(std::string problem) {
    state_ = State::failed;
    compile_.reset();
    problem_ = std::move(problem);
}

void LineWatch::compile() {
    const auto running = line_.slot->loaded();
    if (!running) return fail(fmt::format("{} has no version that runs", line_.slot->name()));
    if (!line_.kernel.empty() && !running->kernels.contains(line_.kernel))
        return fail(fmt::format("{} has no kernel '{}'", line_.slot->name(), line_.kernel));
    // A line that was changed itself is taken to be where it was.
    line_.line = LineMap{text_, running->source.text}(line_.line).value_or(line_.line);
    text_ = running->source.text;
    line_now_ = {};
    state_ = State::compiling;
    compile_ = make_beside<std::shared_ptr<Code>>(
        device_, compile_on_, running->source,
        [own = running->entry(), line = line_](const KernelSource& source) {
            auto [name, kernel] = kernel_of(source, own, line);
            auto code = std::make_shared<Code>(Code{name, std::move(kernel), {}, {}, {}});
            add_expression(code->shown, line.shown, code->kernel.variables(), code->problem);
            add_expression(code->mark, line.mark, code->kernel.variables(), code->problem);
            return code;
        });
}

LineWatch::State LineWatch::state() {
    if (state_ != State::compiling || !compile_->is_done) return state_;
    if (!compile_->made) {
        fail(std::move(compile_->problem));
        return state_;
    }
    const Code& code = **compile_->made;
    problem_ = code.problem;
    kernel_ = code.name;
    known_ = code.kernel.known();
    next_ = {};
    return state_ = State::watching;
}

int LineWatch::line_now() {
    if (!is_on()) return 0;
    if (line_.slot->source() == text_) return line_.line;
    const std::uint64_t version = line_.slot->text_version();
    if (line_now_.first != version)
        line_now_ = {version, LineMap{text_, line_.slot->source()}(line_.line).value_or(0)};
    return line_now_.second;
}

bool LineWatch::wants(const KernelSlot& slot, std::string_view kernel) {
    if (&slot != line_.slot || is_stopped_ || state() != State::watching || kernel != kernel_)
        return false;
    if (!line_.stops && Clock::now() < next_) return false;
    const auto running = slot.loaded();
    if (running && running->source.text == compile_->source.text) return true;
    compile(); // it was edited meanwhile
    return false;
}

void LineWatch::launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                       void** arguments) {
    const auto began = Clock::now();
    const auto running = line_.slot->loaded(); // kept loaded
    gpu::LineValuesKernel& kernel = (*compile_->made)->kernel;
    try {
        kernel.begin(config, running->module);
        gpu::launch_untyped(kernel.kernel(), config, more, arguments);
        picture_.block = config.block;
        take(kernel.finish(running->module));
    } catch (const gpu::Error& error) {
        fail(error.what());
        throw;
    }
    ++results_;
    const auto ended = Clock::now();
    next_ = ended + (ended - began);
    if (!line_.stops || picture_.marked.empty()) return;
    is_stopped_ = true;
    if (on_mark) on_mark();
}

void LineWatch::take(const gpu::LineValues& values) {
    Code& code = **compile_->made;
    const std::size_t threads = values.threads.total();
    picture_.threads = values.threads;
    picture_.visits = to_host<std::uint32_t>(values.visits, threads);
    if (code.shown) {
        picture_.shown = to_host(code.shown->compute(values));
    } else {
        picture_.shown.assign(picture_.visits.begin(), picture_.visits.end());
    }
    picture_.marked.clear();
    if (!code.mark) return;
    const std::vector<double> marks = to_host(code.mark->compute(values));
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i] != 0 && !std::isnan(marks[i])) picture_.marked.push_back(i);
}

} // namespace lathe
