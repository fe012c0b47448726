// SPDX-License-Identifier: MIT
// Scans, sorting, selection and histograms of GPUArrays, for lathe.array.sorting.
#include "gpu/array/histogram.h"
#include "gpu/array/scan.h"
#include "gpu/array/select.h"
#include "gpu/array/sort.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace lathe::bind {

namespace {

/// Results of one call, noted as used on its stream.
class Results {
public:
    Results(const PyStream* stream, std::initializer_list<py::handle> inputs)
        : stream_{stream_of(stream)}, use_{stream_, true, inputs} {}

    gpu::StreamView stream() const { return stream_; }
    py::object wrap(gpu::Array array) {
        py::object made = wrap_array(std::move(array));
        use_.add(made);
        return made;
    }
    py::object wrap_if(bool wanted, const gpu::Array& array) {
        return wanted ? wrap(array) : py::object{py::none()};
    }

private:
    gpu::StreamView stream_;
    StreamUse use_;
};

/// Waits without the GIL, where `function` waits for the device.
template <class Function> auto waiting(const Function& function) {
    const py::gil_scoped_release released;
    return function();
}

const gpu::Array* array_or_null(const py::object& object) {
    return object.is_none() ? nullptr : &array_of(object);
}

py::object accumulated(const std::string& name, const py::object& array, std::int64_t axis,
                       const py::object& dtype, const PyStream* stream) {
    std::optional<DType> wanted;
    if (!dtype.is_none()) {
        wanted = element_type(to_dtype(dtype)).dtype;
        if (!wanted) throw py::type_error("a scan gives numbers, not structures");
    }
    Results results{stream, {array}};
    return results.wrap(
        gpu::accumulate(gpu::operation(name), array_of(array), axis, wanted, results.stream()));
}

py::tuple unique(const py::object& array, bool index, bool inverse, bool counts,
                 const PyStream* stream) {
    Results results{stream, {array}};
    const gpu::Array& of = array_of(array);
    const gpu::UniqueArray made =
        waiting([&] { return gpu::unique(of, {index, inverse, counts}, results.stream()); });
    return py::make_tuple(results.wrap(made.values), results.wrap_if(index, made.indices),
                          results.wrap_if(inverse, made.inverse),
                          results.wrap_if(counts, made.counts));
}

py::list nonzero(const py::object& array, const PyStream* stream) {
    Results results{stream, {array}};
    const gpu::Array& of = array_of(array);
    py::list made;
    for (const gpu::Array& each : waiting([&] { return gpu::nonzero(of, results.stream()); }))
        made.append(results.wrap(each));
    return made;
}

py::object searched(const py::object& sorted, const py::object& values, bool right,
                    const py::object& sorter, const PyStream* stream) {
    Results results{stream, {sorted, values, sorter}};
    return results.wrap(gpu::searchsorted(array_of(sorted), array_of(values),
                                          right ? gpu::Side::right : gpu::Side::left,
                                          array_or_null(sorter), results.stream()));
}

py::tuple range_of(const py::object& array, const PyStream* stream) {
    const StreamUse use{stream_of(stream), true, {array}};
    const gpu::Array& of = array_of(array);
    const auto both = [&](const auto& range) {
        const auto [least, greatest] = waiting([&] { return range(of, stream_of(stream)); });
        return py::make_tuple(least, greatest);
    };
    switch (gpu::kind_of(of.dtype("range"))) {
    case gpu::Kind::boolean:
    case gpu::Kind::signed_integer: return both(gpu::integer_range);
    case gpu::Kind::unsigned_integer: return both(gpu::unsigned_range);
    default: return both(gpu::real_range);
    }
}

py::object counted(const py::object& numbers, std::int64_t bins, const py::object& weights,
                   const PyStream* stream) {
    Results results{stream, {numbers, weights}};
    return results.wrap(
        gpu::bincount(array_of(numbers), bins, array_or_null(weights), results.stream()));
}

py::object binned(const py::object& array, const py::object& edges, bool even,
                  const py::object& weights, const PyStream* stream) {
    Results results{stream, {array, edges, weights}};
    return results.wrap(gpu::histogram(array_of(array), array_of(edges), even,
                                       array_or_null(weights), results.stream()));
}

} // namespace

void bind_array_sorting(py::module_& m) {
    const auto stream = py::arg("stream") = nullptr;
    m.def("accumulate_array", &accumulated, py::arg("name"), py::arg("array"), py::arg("axis"),
          py::arg("dtype") = py::none(), stream);
    m.def(
        "scan_shape",
        [](std::size_t value_bytes, unsigned vector) {
            const gpu::ScanShape shape = gpu::scan_shape(value_bytes, vector);
            return std::pair{shape.threads, shape.rows};
        },
        py::arg("value_bytes"), py::arg("vector"));
    m.def(
        "scan_memory",
        [](std::int64_t length, std::int64_t tile, std::size_t value_bytes) {
            const gpu::ScanMemory memory = gpu::scan_memory(1, length, tile, value_bytes);
            return std::tuple{memory.bytes, memory.tiles, memory.groups};
        },
        py::arg("length"), py::arg("tile"), py::arg("value_bytes"));
    m.def(
        "sort_array",
        [](const py::object& array, std::int64_t axis, const PyStream* on) {
            Results results{on, {array}};
            return results.wrap(gpu::sort(array_of(array), axis, results.stream()));
        },
        py::arg("array"), py::arg("axis"), stream);
    m.def(
        "argsort_array",
        [](const py::object& array, std::int64_t axis, const PyStream* on) {
            Results results{on, {array}};
            return results.wrap(gpu::argsort(array_of(array), axis, results.stream()));
        },
        py::arg("array"), py::arg("axis"), stream);
    m.def(
        "compress_array",
        [](const py::object& mask, const py::object& array, const PyStream* on) {
            Results results{on, {mask, array}};
            const gpu::Array &where = array_of(mask), &from = array_of(array);
            return results.wrap(
                waiting([&] { return gpu::compress(where, from, results.stream()); }));
        },
        py::arg("mask"), py::arg("array"), stream);
    m.def(
        "flat_nonzero",
        [](const py::object& array, const PyStream* on) {
            Results results{on, {array}};
            const gpu::Array& of = array_of(array);
            return results.wrap(waiting([&] { return gpu::flat_nonzero(of, results.stream()); }));
        },
        py::arg("array"), stream);
    m.def("nonzero_array", &nonzero, py::arg("array"), stream);
    m.def("unique_array", &unique, py::arg("array"), py::arg("index"), py::arg("inverse"),
          py::arg("counts"), stream);
    m.def("search_array", &searched, py::arg("sorted"), py::arg("values"), py::arg("right"),
          py::arg("sorter") = py::none(), stream);
    m.def("array_range", &range_of, py::arg("array"), stream);
    m.def("count_array", &counted, py::arg("numbers"), py::arg("bins"),
          py::arg("weights") = py::none(), stream);
    m.def("bin_array", &binned, py::arg("array"), py::arg("edges"), py::arg("even"),
          py::arg("weights") = py::none(), stream);
}

} // namespace lathe::bind
