// SPDX-License-Identifier: MIT
#include "engine/interop/interop_counters.h"
#include "engine/interop/interop_mode.h"
#include "python/bind/bind.h"
#include "python/bind/interop/array.h"

namespace lathe::bind {

void bind_array(py::module_& m) {
    py::enum_<InteropMode>(m, "InteropMode", "How CUDA and GL share memory.")
        .value("zero_copy", InteropMode::zero_copy)
        .value("host_copy", InteropMode::host_copy)
        .value("device_only", InteropMode::device_only);
    m.def("interop_mode", &interop_mode, "The mode of this thread's GL and CUDA contexts.");
    m.def("interop_reason", &interop_reason, "Why it is so, in a sentence.");
    m.def(
        "bytes_copied", [] { return interop_stats().bytes_copied; },
        "Bytes that shared objects copied through the host since the start.");

    py::class_<Array>(
        m, "Array",
        "An array in device memory; an App's arrays are drawn from the same memory.\n\n"
        "C-contiguous. Kernels write it in the order of the App's stream. Passing it\n"
        "to a kernel hands it to CUDA until the frame is drawn.")
        .def_property_readonly(
            "shape", [](const Array& a) { return py::tuple(py::cast(a.shape())); },
            "Sizes, outermost first.")
        .def_property_readonly("dtype", [](const Array& a) { return numpy_dtype(a.dtype()); })
        .def_property_readonly("ndim", [](const Array& a) { return a.shape().size(); })
        .def_property_readonly("size", &Array::count, "Elements.")
        .def_property_readonly("nbytes", &Array::bytes, "Bytes.")
        .def_property_readonly("itemsize", [](const Array& a) { return item_bytes(a.dtype()); })
        .def_property_readonly("pointer", &Array::address,
                               "Device address; an App's array keeps it until the frame is drawn.")
        .def("get", &Array::get, py::arg("out") = py::none(),
             "A copy in host memory, or into `out`. Blocks until kernels that write it are done.")
        .def("set", &Array::set, py::arg("value"),
             "Copies from what NumPy makes an array of (broadcast), or from another Array.\n"
             "Blocks for host data; stream-ordered from an Array.")
        .def("fill", &Array::fill, py::arg("value"), "Sets every element; stream-ordered.")
        .def("host_view", &Array::host_view,
             "A NumPy array over the same memory, no copy, where GL and CUDA live in host memory.\n"
             "Blocks until kernels are done; do not write it while a kernel runs.\n"
             "Raises lathe.Error on a GPU.")
        .def(
            "reshape",
            [](const Array& a, const py::args& args) {
                return a.reshape(args.size() == 1 ? shape_from(args[0]) : shape_from(args));
            },
            "The same memory in another shape; one size may be -1.")
        .def(
            "view", [](const Array& a, const py::object& d) { return a.view(dtype_from(d)); },
            py::arg("dtype"), "The same bytes as another dtype; the last axis changes its size.")
        .def("__len__",
             [](const Array& a) {
                 if (a.shape().empty()) throw py::type_error("len() of an array without axes");
                 return a.shape()[0];
             })
        .def("__getitem__", &Array::part, py::arg("index"),
             "A contiguous part: leading integers, one slice of step 1. Shares memory.")
        .def(
            "__setitem__",
            [](const Array& a, const py::object& index, const py::object& value) {
                try {
                    a.part(index).set(value);
                    return;
                } catch (const py::index_error&) { // not contiguous: through the host, where
                } // NumPy says what it thinks of the index
                py::object host = a.get(py::none());
                const bool on_device = py::isinstance<Array>(value);
                host[index] =
                    on_device ? py::object(value.cast<const Array&>().get(py::none())) : value;
                Array whole = a;
                whole.set(host);
            },
            py::arg("index"), py::arg("value"),
            "Sets a part; one that is not contiguous goes through a copy on the host.")
        .def(
            "__array__",
            [](const Array& a, const py::object& dtype, const py::object& copy) -> py::object {
                if (copy.is(py::bool_(false)))
                    throw py::value_error("an array on the device becomes a NumPy array by a copy");
                py::object host = a.get(py::none());
                return dtype.is_none() ? host : host.attr("astype")(dtype, py::arg("copy") = false);
            },
            py::arg("dtype") = py::none(), py::arg("copy") = py::none(), "A copy in host memory.")
        .def_property_readonly("__cuda_array_interface__", &Array::cuda_array_interface,
                               "Version 3; the pointer is valid until the frame is drawn.")
        .def("__repr__", &Array::repr);

    m.def(
        "empty",
        [](const py::object& shape, const py::object& dtype) {
            return Array{nullptr, shape_from(shape), dtype_from(dtype)};
        },
        py::arg("shape"), py::arg("dtype"), "Zeroed device memory that no App draws.");
}

} // namespace lathe::bind
