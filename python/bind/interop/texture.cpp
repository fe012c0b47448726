// SPDX-License-Identifier: MIT
#include "engine/interop/texture.h"

#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/interop/host_copy.h"

#include <fmt/format.h>

namespace lathe::bind {

namespace {

std::vector<py::ssize_t> shape_of(const Texture& t) { return {t.shape().begin(), t.shape().end()}; }

py::array get(const Texture& t, const py::object& out) {
    py::array result = host_result(out, shape_of(t), t.dtype());
    void* to = result.mutable_data();
    const py::gil_scoped_release release;
    t.copy_to_host(to);
    return result;
}

void set(Texture& t, const py::object& value) {
    const py::array host = host_values(value, shape_of(t), t.dtype());
    const void* from = host.data();
    const py::gil_scoped_release release;
    t.copy_from_host(from);
}

} // namespace

void bind_texture(py::module_& m) {
    py::class_<Texture>(
        m, "Texture",
        "A texture of an App, which kernels write and read and GL draws.\n\n"
        "A kernel's `cudaSurfaceObject_t` parameter takes it for reading and writing by\n"
        "surf2Dread and surf2Dwrite (x in bytes), a `cudaTextureObject_t` parameter for\n"
        "reading by tex2D (x and y in elements, clamped). Row 0 is the first of get().\n"
        "With smooth=True tex2D interpolates and uint8 elements are read as 0 to 1.")
        .def_property_readonly(
            "shape", [](const Texture& t) { return to_tuple(t.shape()); },
            "(height, width) or (height, width, channels).")
        .def_property_readonly("dtype", [](const Texture& t) { return numpy_dtype(t.dtype()); })
        .def_property_readonly("ndim", [](const Texture& t) { return t.shape().size(); })
        .def_property_readonly("size", &Texture::size, "Elements.")
        .def_property_readonly("nbytes", &Texture::bytes, "Bytes.")
        .def_property_readonly("smooth", &Texture::is_smooth,
                               "Whether kernels read it interpolated.")
        .def_property_readonly("surface", &Texture::surface,
                               "The CUsurfObject, valid until the frame is drawn.")
        .def_property_readonly("sampler", &Texture::sampler,
                               "The CUtexObject, valid until the frame is drawn.")
        .def("get", &get, py::arg("out") = py::none(),
             "A copy in host memory, or into `out`. Blocks until kernels that write it are done.")
        .def("set", &set, py::arg("value"),
             "Copies from what NumPy makes an array of (broadcast). Blocks.")
        .def("fill", &set, py::arg("value"), "Sets every element. Blocks.")
        .def(
            "__array__",
            [](const Texture& t, const py::object& dtype, const py::object& copy) -> py::object {
                if (copy.is(py::bool_(false)))
                    throw py::value_error("a texture becomes a NumPy array by a copy");
                py::object host = get(t, py::none());
                return dtype.is_none() ? host : host.attr("astype")(dtype, py::arg("copy") = false);
            },
            py::arg("dtype") = py::none(), py::arg("copy") = py::none(), "A copy in host memory.")
        .def("__len__", [](const Texture& t) { return t.shape()[0]; })
        .def("__repr__", [](const Texture& t) {
            return fmt::format("lathe.Texture(shape={}, dtype={})", gpu::to_string(t.shape()),
                               name_of(t.dtype()));
        });
}

} // namespace lathe::bind
