// SPDX-License-Identifier: MIT
#include "python/bind/kernel/thread_tracer.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "gpu/inspect/trace_condition.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/traced_values.h"

#include <utility>

namespace lathe::bind {

namespace py = pybind11;

std::shared_ptr<Traced> traced(KernelOrigin& origin) {
    const std::string name = origin.name();
    const KernelSource source = known_source(origin, "no thread can be followed");
    gpu::Context::ensure_current();
    const GilRelease release;
    return std::make_shared<Traced>(
        Traced{gpu::TracedKernel{request_of(source, name), name}, source.text});
}

void ThreadTracer::launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                          const gpu::Dim3&, const gpu::LaunchAttributes& more, void** arguments) {
    gpu::TracedKernel& kernel = of_->kernel;
    kernel.begin(block_, thread_, config.block, original);
    gpu::launch_untyped(kernel.kernel(), config, more, arguments);
    gpu::ThreadTrace trace = kernel.finish(original);
    is_cut_ = trace.is_cut;
    lines_ = gpu::lines_of(std::move(trace.steps));
    lanes_ = gpu::LaneLines{std::move(trace.warp)};
    of_.reset();
}

py::object ThreadTracer::steps() const {
    if (!lines_) return py::none();
    return to_python(*lines_);
}

std::vector<std::size_t> ThreadTracer::find(const std::string& condition, int line,
                                            const std::string& file) const {
    if (!lines_) return {};
    const gpu::TraceCondition asked{condition};
    asked.check_names(*lines_);
    return gpu::lines_that_meet(*lines_, line, file, asked);
}

std::uint32_t ThreadTracer::active(std::size_t step) const {
    return lines_ ? lanes_.active(lines_->at(step)) : 0;
}

py::object ThreadTracer::lane(unsigned lane, std::size_t step) const {
    auto found = lines_ ? lanes_.at(lane, lines_->at(step)) : std::nullopt;
    if (!found) return py::none();
    return to_python({std::move(*found)})[0];
}

py::list ThreadTracer::threads() const {
    py::list all;
    const gpu::TracedWarp* const warp = lanes_.warp();
    for (unsigned lane = 0; warp && lane < 32; ++lane) {
        if (!(warp->place().lanes() >> lane & 1)) break;
        const gpu::Dim3 thread = warp->place().thread(lane);
        all.append(py::make_tuple(thread.x, thread.y, thread.z));
    }
    return all;
}

} // namespace lathe::bind
