// SPDX-License-Identifier: MIT
#include "engine/plots/plots.h"

#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/plots/plots.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

template <class T> py::array_t<T> to_numpy(const std::vector<T>& values) {
    return py::array_t<T>(py::ssize_t(values.size()), values.data());
}

/// (rows, columns), or (rows,) for one column.
py::array_t<double> to_numpy(const PlotTable& table, std::size_t first) {
    const auto columns = py::ssize_t(table.columns.size() - first),
               rows = py::ssize_t(table.columns.front().size());
    py::array_t<double> made{std::vector<py::ssize_t>{rows, columns}};
    auto to = made.mutable_unchecked<2>();
    for (py::ssize_t column = 0; column < columns; ++column)
        for (py::ssize_t row = 0; row < rows; ++row)
            to(row, column) = table.columns[first + std::size_t(column)][std::size_t(row)];
    return made;
}

PlotTable table_of(Plot& plot) {
    const py::gil_scoped_release release;
    return plot.table();
}

void wait_for(Plot& plot) {
    const py::gil_scoped_release release;
    plot.wait();
}

/// Numbers of Python, and arrays.
void add(ValueLog& log, const py::sequence& values) {
    std::vector<LoggedValue> all;
    for (const py::handle value : values) {
        if (is_gpu_array(value.ptr())) all.emplace_back(array_of(value));
        else all.emplace_back(value.cast<double>());
    }
    const py::gil_scoped_release release;
    log.add(all);
}

using Range = std::optional<std::array<double, 2>>;

} // namespace

void bind_plots(py::module_& m) {
    py::class_<Plot, std::shared_ptr<Plot>>(m, "Plot", "What an App shows in its panel of plots.")
        .def_property_readonly("name", &Plot::name);
    py::class_<ValueLog, Plot, std::shared_ptr<ValueLog>>(m, "ValueLog",
                                                          "Curves of values that steps log.")
        .def("add", &add, py::arg("values"), "One number or array of one element for each curve.")
        .def("clear", &ValueLog::clear, py::call_guard<py::gil_scoped_release>())
        .def_property_readonly("curves", &ValueLog::curves)
        .def_property_readonly("unit", [](const ValueLog& log) { return log.config().unit; })
        .def(
            "rows",
            [](ValueLog& log) {
                const PlotTable table = table_of(log);
                const std::vector<std::int64_t> steps(table.columns[0].begin(),
                                                      table.columns[0].end());
                return py::make_tuple(to_numpy(steps), to_numpy(table.columns[1]),
                                      to_numpy(table, 2));
            },
            "Steps, times in seconds, and values (rows, curves). Waits.");
    py::class_<Histogram, Plot, std::shared_ptr<Histogram>>(m, "Histogram",
                                                            "Counts of an array's values.")
        .def(
            "counted",
            [](Histogram& plot) {
                wait_for(plot);
                const Histogram::Counts& now = plot.counts();
                const std::vector<std::int64_t> counts(now.counts.begin(), now.counts.end());
                return py::make_tuple(to_numpy(now.edges), to_numpy(counts), now.below, now.above,
                                      now.nan);
            },
            "Edges, counts, and how many were below, above and NaN. Waits.");
    py::class_<PhasePlot, Plot, std::shared_ptr<PhasePlot>>(m, "PhasePlot",
                                                            "One value against another.")
        .def(
            "points", [](PhasePlot& plot) { return to_numpy(table_of(plot), 0); },
            "(points, 2). Waits.");
    py::class_<HeatMap, Plot, std::shared_ptr<HeatMap>>(m, "HeatMap",
                                                        "An array of two axes as colours.")
        .def(
            "cells",
            [](HeatMap& plot) {
                wait_for(plot);
                const PlotCells& cells = plot.cells();
                return py::array_t<double>(
                    std::vector<py::ssize_t>{py::ssize_t(cells.rows), py::ssize_t(cells.columns)},
                    cells.values.data());
            },
            "(rows, columns). Waits.");
}

void bind_plots_of(py::class_<Studio, std::shared_ptr<Studio>>& c) {
    c.def(
        "log_values",
        [](Studio& e, const std::string& name, std::vector<std::string> curves, std::string unit,
           bool by_step, bool log_scale, std::size_t limit) {
            ValueLog& log = e.plots().log_values(
                name, {std::move(curves), std::move(unit), by_step, log_scale, limit});
            return e.plots().find(log);
        },
        py::arg("name"), py::arg("curves"), py::arg("unit"), py::arg("by_step"),
        py::arg("log_scale"), py::arg("limit"));
    c.def(
        "histogram",
        [](Studio& e, const std::string& name, const py::object& array, int bins, Range range,
           std::string unit, bool log_scale) {
            e.plots().histogram(name, array_of(array), {bins, range, std::move(unit), log_scale});
            return std::static_pointer_cast<Histogram>(e.plots().find(name));
        },
        py::arg("name"), py::arg("array"), py::arg("bins"), py::arg("range"), py::arg("unit"),
        py::arg("log_scale"));
    c.def(
        "phase_plot",
        [](Studio& e, const std::string& name, const py::object& x, const py::object& y,
           std::string x_label, std::string y_label, bool line, bool equal) {
            e.plots().phase_plot(name, array_of(x), array_of(y),
                                 {std::move(x_label), std::move(y_label), line, equal});
            return std::static_pointer_cast<PhasePlot>(e.plots().find(name));
        },
        py::arg("name"), py::arg("x"), py::arg("y"), py::arg("x_label"), py::arg("y_label"),
        py::arg("line"), py::arg("equal"));
    c.def(
        "phase_plot_of_logs",
        [](Studio& e, const std::string& name,
           const std::pair<std::shared_ptr<ValueLog>, std::size_t>& x,
           const std::pair<std::shared_ptr<ValueLog>, std::size_t>& y, std::string x_label,
           std::string y_label, bool equal) {
            e.plots().phase_plot(name, PhasePlot::LoggedCurve{x.first, x.second},
                                 PhasePlot::LoggedCurve{y.first, y.second},
                                 {std::move(x_label), std::move(y_label), true, equal});
            return std::static_pointer_cast<PhasePlot>(e.plots().find(name));
        },
        py::arg("name"), py::arg("x"), py::arg("y"), py::arg("x_label"), py::arg("y_label"),
        py::arg("equal"));
    c.def(
        "heat_map",
        [](Studio& e, const std::string& name, const py::object& array, std::string colormap,
           Range range, std::optional<std::array<double, 4>> extent, std::string x_label,
           std::string y_label, std::string unit, bool y_up) {
            e.plots().heat_map(name, array_of(array),
                               {std::move(colormap), range, extent, std::move(x_label),
                                std::move(y_label), std::move(unit), y_up});
            return std::static_pointer_cast<HeatMap>(e.plots().find(name));
        },
        py::arg("name"), py::arg("array"), py::arg("colormap"), py::arg("range"), py::arg("extent"),
        py::arg("x_label"), py::arg("y_label"), py::arg("unit"), py::arg("y_up"));
    c.def_property_readonly("plots", [](Studio& e) { return e.plots().all(); });
    c.def("save_plot", &Studio::save_plot, py::arg("plot"), py::arg("file"), py::arg("width"),
          py::arg("height"), py::call_guard<py::gil_scoped_release>());
}

} // namespace lathe::bind
