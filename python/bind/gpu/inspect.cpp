// SPDX-License-Identifier: MIT
// Numbers and findings of gpu/inspect, as they are: lathe/inspection makes a report of them.
#include "python/bind/gpu/inspect.h"
#include "gpu/driver/fault.h"
#include "gpu/inspect/hazards.h"
#include "gpu/inspect/launch_times.h"
#include "gpu/inspect/line_counts.h"
#include "gpu/inspect/roofline.h"
#include "python/bind/bind.h"

#include <chrono>
#include <pybind11/stl.h>

namespace lathe::bind {

py::dict to_dict(const gpu::LineCounts& line) {
    py::dict row;
    row["kernel"] = line.kernel;
    row["file"] = line.file;
    row["line"] = line.line;
    row["inlined_at"] = line.inlined_at;
    row["by_threads"] = line.by_threads;
    row["executions"] = line.executions;
    row["lanes"] = line.lanes;
    row["branches"] = line.branches;
    row["divergent_branches"] = line.divergent_branches;
    row["taken_lanes"] = line.taken_lanes;
    row["not_taken_lanes"] = line.not_taken_lanes;
    row["global_accesses"] = line.global_accesses;
    row["sectors"] = line.sectors;
    row["ideal_sectors"] = line.ideal_sectors;
    row["shared_accesses"] = line.shared_accesses;
    row["bank_conflict_degree"] = line.bank_conflict_degree;
    row["atomics"] = line.atomics;
    row["atomics_serialised"] = line.atomics_serialised;
    row["barriers"] = line.barriers;
    row["barrier_ticks"] = line.barrier_ticks;
    row["instructions"] = line.instructions;
    row["thread_instructions"] = line.thread_instructions;
    row["flops"] = line.flops;
    row["double_flops"] = line.double_flops;
    return row;
}

namespace {

const char* name_of(gpu::Hazard hazard) {
    switch (hazard) {
    case gpu::Hazard::race_shared: return "race_shared";
    case gpu::Hazard::race_global: return "race_global";
    case gpu::Hazard::unwritten_shared: return "uninit_shared";
    case gpu::Hazard::unwritten_global: return "uninit_global";
    case gpu::Hazard::barrier_apart: return "barrier";
    }
    return "";
}

py::object to_dict(const gpu::HazardThread& thread) {
    if (thread.file.empty()) return py::none();
    py::dict row;
    row["file"] = thread.file;
    row["line"] = thread.line;
    row["block"] = thread.block;
    row["thread"] = thread.thread;
    row["access"] = thread.access;
    return row;
}

} // namespace

py::dict to_dict(const gpu::HazardFinding& finding) {
    py::dict row;
    row["kind"] = name_of(finding.hazard);
    row["kernel"] = finding.kernel;
    row["first"] = to_dict(finding.first);
    row["second"] = to_dict(finding.second);
    row["memory"] = finding.memory;
    row["offset"] = finding.offset;
    row["bytes"] = finding.bytes;
    row["message"] = finding.message;
    row["count"] = finding.count;
    return row;
}

namespace {

py::object last_fault() {
    const auto fault = gpu::last_fault();
    if (!fault) return py::none();
    py::dict row;
    row["code"] = static_cast<int>(fault->code);
    row["kernel"] = fault->kernel;
    row["block"] = fault->block;
    row["thread"] = fault->thread;
    row["file"] = fault->file;
    row["line"] = fault->line;
    row["message"] = fault->message;
    return row;
}

} // namespace

void bind_inspect(py::module_& m) {
    m.def(
        "can_inspect", [] { return gpu::can_inspect(); },
        "Whether the device counts what source lines do; opens the driver.");
    py::class_<gpu::CountingScope>(m, "CountingScope",
                                   "Launches count from here until it is deleted.")
        .def(py::init<>());
    m.def(
        "line_counts",
        [] {
            py::list rows;
            for (const gpu::LineCounts& line : gpu::line_counts()) rows.append(to_dict(line));
            return rows;
        },
        "Sums of all launches that counted, a dict for each kernel, file, line and inlining.");
    py::class_<gpu::TimingScope>(
        m, "TimingScope", "Launches are timed from here until it is deleted, where nobody counts.")
        .def(py::init<>());
    m.def(
        "launch_times",
        [] {
            py::list rows;
            for (const gpu::LaunchTime& sum : gpu::launch_times()) {
                py::dict row;
                row["kernel"] = sum.kernel;
                row["launches"] = sum.launches;
                row["seconds"] = std::chrono::duration<double>(sum.time).count();
                rows.append(row);
            }
            return rows;
        },
        "Sums of all launches that were timed, a dict for each kernel.");
    m.def(
        "device_peaks",
        [] {
            const gpu::DevicePeaks peaks = [] {
                const py::gil_scoped_release others_run;
                return gpu::device_peaks();
            }();
            py::dict row;
            row["flops"] = peaks.flops;
            row["double_flops"] = peaks.double_flops;
            row["bandwidth"] = peaks.bandwidth;
            row["cache_bandwidth"] = peaks.cache_bandwidth;
            return row;
        },
        "Of the current device, measured once in a process, in operations and bytes a second.");
    py::class_<gpu::HazardScope>(m, "HazardScope",
                                 "Launches are looked at for hazards until it is deleted.")
        .def(py::init<std::uint32_t>(), py::arg("hazards") = gpu::kAllHazards);
    m.def(
        "hazard_findings",
        [] {
            py::list rows;
            for (const auto& finding : gpu::hazard_findings()) rows.append(to_dict(finding));
            return rows;
        },
        "All findings so far, a dict for each kind, kernel and pair of lines.");
    m.def("last_fault", &last_fault, "The last launch that failed as a dict; None if none did.");
}

} // namespace lathe::bind
