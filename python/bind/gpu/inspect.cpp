// SPDX-License-Identifier: MIT
// Numbers and findings of gpu/inspect, as they are: lathe/inspection makes a report of them.
#include "gpu/inspect/line_counts.h"
#include "python/bind/bind.h"

#include <pybind11/stl.h>

namespace lathe::bind {

namespace {

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
}

} // namespace lathe::bind
