// SPDX-License-Identifier: MIT
#include "python/bind/kernel/warp_tracer.h"

#include "engine/core/memory_model.h"
#include "engine/live/build.h"
#include "python/bind/gil.h"

namespace lathe::bind {

namespace py = pybind11;

namespace {

const char* word_of(gpu::WarpEvent event) {
    switch (event) {
    case gpu::WarpEvent::line: return "line";
    case gpu::WarpEvent::read: return "read";
    case gpu::WarpEvent::write: return "write";
    case gpu::WarpEvent::atomic: return "atomic";
    case gpu::WarpEvent::barrier: return "barrier";
    }
    return "";
}

py::dict to_dict(const gpu::WarpStep& step) {
    py::dict row;
    row["event"] = word_of(step.event);
    row["function"] = step.function;
    row["file"] = step.file;
    row["line"] = step.line;
    row["mask"] = step.lanes;
    if (!step.is_access()) return row;
    const bool is_shared = step.space == gpu::WarpSpace::shared;
    py::dict addresses;
    for_lanes(step.lanes,
              [&](unsigned lane) { addresses[py::int_(lane)] = py::int_(step.addresses[lane]); });
    row["memory"] = is_shared ? "shared" : "global";
    row["bytes"] = step.bytes;
    row["addresses"] = addresses;
    if (is_shared) row["turns"] = step.turns();
    else row["sectors"] = step.sectors(), row["ideal_sectors"] = step.ideal_sectors();
    return row;
}

} // namespace

WarpTracer::WarpTracer(KernelOrigin& origin, gpu::Dim3 block, gpu::Dim3 thread)
    : block_{block}, thread_{thread} {
    const std::string name = origin.name();
    const KernelSource source = known_source(origin, "no warp can be followed");
    source_ = source.text;
    gpu::Context::ensure_current();
    const GilRelease release;
    kernel_.emplace(request_of(source, name), name);
}

void WarpTracer::launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                        const gpu::Dim3&, const gpu::LaunchAttributes& more, void** arguments) {
    kernel_->begin(block_, gpu::warp_of(thread_, config.block), original);
    gpu::launch_untyped(kernel_->kernel(), config, more, arguments);
    trace_ = kernel_->finish(original);
}

py::object WarpTracer::steps() const {
    if (!trace_) return py::none();
    py::list rows;
    for (const gpu::WarpStep& step : trace_->steps) rows.append(to_dict(step));
    return rows;
}

} // namespace lathe::bind
