// SPDX-License-Identifier: MIT
#include "python/bind/ui/inspected.h"

#include "engine/app/app.h"
#include "engine/live/inspector.h"
#include "engine/live/kernel_slot.h"
#include "python/bind/gpu/inspect.h"

#include <pybind11/stl.h>

namespace lathe::bind {

namespace py = pybind11;

namespace {

py::dict row_of(const LineCosts& costs, const KernelSlot& slot) {
    gpu::LineCounts counts = costs.counts;
    counts.kernel = slot.kernel_names().size() == 1 ? slot.kernel_names().front() : "";
    counts.file = slot.name();
    counts.line = costs.line;
    py::dict row = to_dict(counts);
    row["share"] = costs.share;
    return row;
}

/// Its threads stand in lines of the present text.
py::dict row_of(const LineFinding& finding) {
    gpu::HazardFinding what = finding.what;
    if (finding.first > 0) what.first.line = finding.first;
    if (finding.second > 0) what.second.line = finding.second;
    return to_dict(what);
}

} // namespace

py::list inspected(App& app) {
    py::list all;
    for (const KernelSlot* slot : app.kernels()) {
        const SlotInspection* const known = app.inspector().of(*slot);
        if (!known) continue;
        py::dict row;
        py::list lines, findings;
        for (const LineCosts& line : known->lines) lines.append(row_of(line, *slot));
        for (const LineFinding& finding : known->findings) findings.append(row_of(finding));
        row["name"] = slot->name();
        row["text"] = slot->source();
        row["lines"] = lines;
        row["findings"] = findings;
        all.append(row);
    }
    return all;
}

} // namespace lathe::bind
