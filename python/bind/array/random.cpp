// SPDX-License-Identifier: MIT
// gpu::Generator for lathe.random and lathe.cuda.curandom, which check the parameters.
#include "gpu/array/random.h"

#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"

#include <pybind11/numpy.h>

#include <cstdint>
#include <span>

namespace lathe::bind {

namespace {

using gpu::Generator;

/// Fills `array` by a function of Generator's with these numbers.
template <auto fill, class... Numbers>
void filled(Generator& generator, const py::object& array, Numbers... numbers,
            const PyStream* stream) {
    gpu::Array& to = array_of(array);
    const StreamUse use{stream_of(stream), true, py::make_tuple(array)};
    (generator.*fill)(to, numbers..., stream_of(stream));
}

using Chances = py::array_t<double, py::array::c_style | py::array::forcecast>;

void chosen(Generator& generator, const py::object& array, const Chances& chances,
            const PyStream* stream) {
    gpu::Array& to = array_of(array);
    const StreamUse use{stream_of(stream), true, py::make_tuple(array)};
    generator.choice(to, {chances.data(), static_cast<std::size_t>(chances.size())},
                     stream_of(stream));
}

py::object ordered(Generator& generator, std::int64_t count, const PyStream* stream) {
    return wrap_array(generator.permutation(count, stream_of(stream)));
}

py::object taken(const py::object& array, const py::object& order, std::int64_t axis,
                 const PyStream* stream) {
    const StreamUse use{stream_of(stream), true, py::make_tuple(array, order)};
    return wrap_array(gpu::take_along(array_of(array), array_of(order), axis, stream_of(stream)),
                      reinterpret_cast<const GpuArray*>(array.ptr()));
}

} // namespace

void bind_random(py::module_& m) {
    const auto stream = py::arg("stream") = nullptr;
    const auto array = py::arg("array");
    py::class_<Generator>(m, "RandomGenerator")
        .def(py::init<std::uint64_t, std::uint32_t, std::uint64_t>(), py::arg("seed"),
             py::arg("sequence"), py::arg("position"))
        .def_property_readonly("seed", &Generator::seed)
        .def_property_readonly("sequence", &Generator::sequence)
        .def_property("position", &Generator::position, &Generator::set_position)
        .def("uniform", &filled<&Generator::uniform, double, double>, array, py::arg("low"),
             py::arg("high"), stream)
        .def("bits", &filled<&Generator::bits>, array, stream)
        .def("integers", &filled<&Generator::integers, std::uint64_t, std::uint64_t>, array,
             py::arg("low"), py::arg("last"), stream)
        .def("normal", &filled<&Generator::normal, double, double>, array, py::arg("mean"),
             py::arg("deviation"), stream)
        .def("log_normal", &filled<&Generator::log_normal, double, double>, array, py::arg("mean"),
             py::arg("deviation"), stream)
        .def("exponential", &filled<&Generator::exponential, double>, array, py::arg("scale"),
             stream)
        .def("poisson", &filled<&Generator::poisson, double>, array, py::arg("mean"), stream)
        .def("gamma", &filled<&Generator::gamma, double, double>, array, py::arg("shape"),
             py::arg("scale"), stream)
        .def("choice", &chosen, array, py::arg("chances"), stream)
        .def("permutation", &ordered, py::arg("count"), stream)
        .def("shuffle", &filled<&Generator::shuffle, std::int64_t>, array, py::arg("axis"), stream);
    m.def("take_along", &taken, array, py::arg("order"), py::arg("axis"), stream);
}

} // namespace lathe::bind
