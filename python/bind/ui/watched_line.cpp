// SPDX-License-Identifier: MIT
#include "python/bind/ui/watched_line.h"

#include "engine/app/app.h"

#include <cstdint>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

namespace {

template <class T> py::bytes bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

} // namespace

py::object watched_line(App& app) {
    LineWatch& watch = app.line_watch();
    const LineWatch::State state = watch.state();
    if (state == LineWatch::State::off) return py::none();
    py::dict out;
    out["kernel"] = watch.kernel();
    const int now = watch.line_now();
    out["line"] = now > 0 ? now : watch.line().line;
    out["is_ready"] = state != LineWatch::State::compiling;
    out["problem"] = watch.problem();
    py::dict known;
    for (const ptx::ParameterType& type : watch.known()) known[py::str(type.name)] = type.type_name;
    out["known"] = known;
    out["launches"] = watch.results();
    const LinePicture& picture = watch.picture();
    if (picture.threads.total() == 0) return out;
    const auto& [width, height, depth] = picture.threads;
    out["threads"] = py::make_tuple(depth, height, width);
    out["block"] = py::make_tuple(picture.block.x, picture.block.y, picture.block.z);
    out["shown"] = bytes_of(picture.shown);
    out["visits"] = bytes_of(picture.visits);
    out["marked"] =
        bytes_of(std::vector<std::uint64_t>(picture.marked.begin(), picture.marked.end()));
    return out;
}

} // namespace lathe::bind
