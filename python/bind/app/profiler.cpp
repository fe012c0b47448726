// SPDX-License-Identifier: MIT
#include "engine/app/profiler.h"

#include "engine/core/zone.h"
#include "python/bind/bind.h"
#include "python/bind/gil.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

using ZoneRow = std::tuple<std::string_view, std::string_view, int, double, double>;
using BlocksRow =
    std::tuple<std::string_view, unsigned, std::uint64_t, std::uint64_t, double, double>;
using FrameRow = std::tuple<std::uint64_t, double, double, std::vector<ZoneRow>,
                            std::vector<BlocksRow>, std::size_t>;

double milliseconds(std::chrono::nanoseconds time) { return double(time.count()) * 1e-6; }

std::vector<FrameRow> rows_of(Profiler& profiler) {
    profiler.finish();
    std::vector<FrameRow> rows;
    for (const ProfiledFrame& frame : profiler.frames()) {
        std::vector<ZoneRow> zones;
        zones.reserve(frame.zones.size());
        for (const ProfiledZone& zone : frame.zones)
            zones.emplace_back(zone.name, kLaneNames[std::size_t(zone.lane)], zone.depth,
                               milliseconds(zone.begin), milliseconds(zone.time));
        std::vector<BlocksRow> blocks;
        blocks.reserve(frame.blocks.size());
        for (const ProfiledBlocks& each : frame.blocks)
            blocks.emplace_back(each.kernel, each.worker, each.first, each.count,
                                milliseconds(each.begin), milliseconds(each.time));
        rows.emplace_back(frame.index, milliseconds(frame.begin), milliseconds(frame.time),
                          std::move(zones), std::move(blocks), frame.left_out);
    }
    return rows;
}

/// A zone of the thread that enters it, with the work of a stream.
class OpenZone {
public:
    OpenZone(std::string name, std::uintptr_t stream)
        : name_{std::move(name)}, stream_{reinterpret_cast<void*>(stream)} {}
    void enter() {
        if (ZoneSink* const sink = ZoneSink::current())
            ids_.emplace_back(sink, sink->begin_zone(name_, ZoneWork::cuda, stream_));
        else ids_.emplace_back(nullptr, 0);
    }
    void exit() {
        if (ids_.empty()) return;
        const auto [sink, id] = ids_.back();
        ids_.pop_back();
        if (sink && sink == ZoneSink::current()) sink->end_zone(id);
    }

private:
    std::string name_;
    void* stream_;
    std::vector<std::pair<ZoneSink*, std::uint64_t>> ids_; ///< it may be entered again
};

} // namespace

void bind_profiler(py::module_& m) {
    py::class_<OpenZone>(m, "OpenZone", "A zone while it is entered.")
        .def(py::init<std::string, std::uintptr_t>(), py::arg("name"), py::arg("stream"))
        .def("__enter__", &OpenZone::enter)
        .def("__exit__", [](OpenZone& zone, const py::args&) { zone.exit(); });
    py::class_<Profiler>(m, "Profiler", "What frames spend their time on, while somebody wants it.")
        .def("want", &Profiler::want)
        .def("unwant", &Profiler::unwant)
        .def_property_readonly("is_on", &Profiler::is_on)
        .def("rows", &rows_of,
             "Frames: (index, begin, ms, zones, blocks, left out); zones: (name, lane, depth, "
             "begin, ms); blocks: (kernel, worker, first, count, begin, ms).")
        .def(
            "sums",
            [](Profiler& profiler, std::size_t frames) {
                profiler.finish();
                std::vector<std::tuple<std::string_view, std::string_view, std::uint64_t, double>>
                    rows;
                for (const ZoneSum& sum : sum_zones(profiler.frames(), frames))
                    rows.emplace_back(sum.name, kLaneNames[std::size_t(sum.lane)], sum.calls,
                                      milliseconds(sum.time));
                return rows;
            },
            py::arg("frames"), "(name, lane, calls, ms) over the last frames.")
        .def("clear", &Profiler::clear)
        .def(
            "save",
            [](Profiler& profiler, const std::filesystem::path& file) {
                profiler.finish();
                save_chrome_trace(profiler.frames(), file);
            },
            py::arg("file"), py::call_guard<WithoutGil>());
}

} // namespace lathe::bind
