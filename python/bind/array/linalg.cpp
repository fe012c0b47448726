// SPDX-License-Identifier: MIT
// Products of matrices, and the host's view of arrays where the device's memory is the host's, for
// lathe.linalg. What multiplies is gpu/libraries/matmul.h, or NumPy (lathe/linalg/host.py).
#include "python/bind/array/linalg.h"
#include "gpu/inspect/hazards.h"
#include "gpu/libraries/batched.h"
#include "gpu/libraries/cublas.h"
#include "gpu/libraries/cusolver.h"
#include "gpu/libraries/host_memory.h"
#include "gpu/libraries/library.h"
#include "gpu/libraries/matmul.h"
#include "gpu/libraries/spectra.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"

#include <pybind11/numpy.h>
#include <pybind11/stl/filesystem.h>

#include <optional>
#include <string>
#include <vector>

namespace lathe::bind {

namespace {

py::object host_matmul(py::handle a, py::handle b, py::handle out, py::handle dtype,
                       py::handle stream) {
    static const py::object* const function =
        new py::object{py::module_::import("lathe.array.extensions")
                           .attr("provided")("linalg")
                           .attr("host")
                           .attr("matmul")};
    return (*function)(a, b, out, dtype, stream);
}

py::object library_matmul(const py::object& a, const py::object& b, const py::object& out,
                          const py::object& dtype, const PyStream* stream) {
    const gpu::StreamView on = stream_of(stream);
    const auto* const like = reinterpret_cast<const GpuArray*>(a.ptr());
    const gpu::Array &left = array_of(a), &right = array_of(b);
    gpu::Array target;
    gpu::MatmulOptions options;
    if (!out.is_none()) {
        target = array_of(out);
        options.out = &target;
    }
    if (!dtype.is_none()) {
        options.dtype = element_type(to_dtype(dtype)).dtype;
        if (!options.dtype) throw py::type_error("matmul is not for structures");
    }
    const gpu::Allocate allocate = [like](gpu::ElementType type, const gpu::Layout& layout) {
        return empty_like(like, type, layout);
    };
    options.allocate = &allocate;
    StreamUse use{on, true, {a, b, out}};
    gpu::Array made = gpu::matmul(left, right, options, on);
    if (!out.is_none()) return out;
    py::object result = wrap_array(std::move(made), like);
    use.add(result);
    return result;
}

py::object matmul(const py::object& a, const py::object& b, const py::object& out,
                  const py::object& dtype, const py::object& stream) {
    const gpu::Array &left = array_of(a), &right = array_of(b);
    // NumPy has no BLAS for integers: the kernel for them is faster on every device.
    const auto is_for_blas = [&] {
        const std::optional<DType> wanted =
            dtype.is_none() ? gpu::promote(left.dtype("matmul"), right.dtype("matmul"))
                            : element_type(to_dtype(dtype)).dtype;
        return wanted && gpu::is_inexact(*wanted);
    };
    if (is_for_blas() && gpu::host_does_the_work("LATHE_CUBLAS"))
        return host_matmul(a, b, out, dtype, stream);
    return library_matmul(a, b, out, dtype,
                          stream.is_none() ? nullptr : stream.cast<const PyStream*>());
}

/// Views for NumPy, valid until other work on them is issued; kept alive by their arrays.
py::list host_views(const py::tuple& arrays, const PyStream* stream) {
    const gpu::StreamView on = stream_of(stream);
    { // Orders blocks of the pool behind their earlier owners, too.
        const StreamUse use{on, true, arrays};
        const GilRelease release;
        gpu::wait_for_host_work(on);
    }
    py::list views;
    for (const py::handle each : arrays) {
        const gpu::Array& array = array_of(each);
        const std::vector<py::ssize_t> shape(array.shape().begin(), array.shape().end()),
            strides(array.strides().begin(), array.strides().end());
        const gpu::Reach reach = gpu::reach_of(array.layout(), array.type().bytes);
        gpu::note_host_write(array.address() + static_cast<std::uint64_t>(reach.begin),
                             static_cast<std::size_t>(reach.end - reach.begin));
        views.append(py::array{
            py::dtype::from_args(py::reinterpret_borrow<py::object>(self_of(each.ptr()).dtype)),
            shape, strides, reinterpret_cast<const void*>(array.address()), each});
    }
    return views;
}

} // namespace

PyObject* multiply_matrices(PyObject* a, PyObject* b) {
    if (!is_gpu_array(a) || !is_gpu_array(b)) Py_RETURN_NOTIMPLEMENTED;
    try {
        return matmul(py::reinterpret_borrow<py::object>(a), py::reinterpret_borrow<py::object>(b),
                      py::none(), py::none(), py::none())
            .release()
            .ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

PyObject* multiply_matrices_in_place(PyObject* a, PyObject* b) {
    if (!is_gpu_array(a) || !is_gpu_array(b)) Py_RETURN_NOTIMPLEMENTED;
    try {
        const auto left = py::reinterpret_borrow<py::object>(a);
        return matmul(left, py::reinterpret_borrow<py::object>(b), left, py::none(), py::none())
            .release()
            .ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

void bind_linalg(py::module_& m) {
    m.def("matmul", &matmul, py::arg("a"), py::arg("b"), py::arg("out") = py::none(),
          py::arg("dtype") = py::none(), py::arg("stream") = py::none(),
          "NumPy's matmul of two arrays, by cuBLAS, or by NumPy where the device's memory is the "
          "host's. Asynchronous on `stream` with cuBLAS.");
    m.def(
        "product_shape",
        [](const py::object& a, const py::object& b) {
            return to_tuple(gpu::product_shape(array_of(a).layout(), array_of(b).layout()).result);
        },
        py::arg("a"), py::arg("b"), "Of matmul's result; ValueError where they do not fit.");
    m.def("host_views", &host_views, py::arg("arrays"), py::arg("stream") = nullptr,
          "NumPy's arrays over the memory of arrays of the device, when the stream's work is done. "
          "Only where host_does_the_work.");
    m.def("host_does_the_work", &gpu::host_does_the_work, py::arg("library"),
          "Whether the device's memory is the host's and the variable names no library.");
    // In place: gpu/libraries/cusolver.h says how the matrices lie. Without Python's lock, since
    // the libraries may wait for the stream, and it for a function of Python's.
    const py::call_guard<GilRelease> unlocked;
    m.def(
        "factor_lu",
        [](const py::object& a, const py::object& pivots, const py::object& info) {
            gpu::factor_lu(array_of(a), array_of(pivots), array_of(info));
        },
        py::arg("a"), py::arg("pivots"), py::arg("info"), unlocked);
    m.def(
        "solve_by_lu",
        [](const py::object& lu, const py::object& pivots, const py::object& b,
           const py::object& info) {
            gpu::solve_by_lu(array_of(lu), array_of(pivots), array_of(b), array_of(info));
        },
        py::arg("lu"), py::arg("pivots"), py::arg("b"), py::arg("info"), unlocked);
    m.def(
        "factor_cholesky",
        [](const py::object& a, const py::object& info) {
            gpu::factor_cholesky(array_of(a), array_of(info));
        },
        py::arg("a"), py::arg("info"), unlocked);
    m.def(
        "factor_many_lu",
        [](const py::object& a, const py::object& pivots, const py::object& info) {
            gpu::factor_many_lu(array_of(a), array_of(pivots), array_of(info));
        },
        py::arg("a"), py::arg("pivots"), py::arg("info"), unlocked);
    m.def(
        "solve_many_by_lu",
        [](const py::object& lu, const py::object& pivots, const py::object& b) {
            gpu::solve_many_by_lu(array_of(lu), array_of(pivots), array_of(b));
        },
        py::arg("lu"), py::arg("pivots"), py::arg("b"), unlocked);
    m.def(
        "factor_many_cholesky",
        [](const py::object& a, const py::object& info) {
            gpu::factor_many_cholesky(array_of(a), array_of(info));
        },
        py::arg("a"), py::arg("info"), unlocked);
    m.def(
        "eigen_of_many_hermitian",
        [](const py::object& a, const py::object& values, const py::object& info, bool lower,
           bool vectors) {
            return gpu::eigen_of_many_hermitian(array_of(a), array_of(values), array_of(info),
                                                lower, vectors);
        },
        py::arg("a"), py::arg("values"), py::arg("info"), py::arg("lower"), py::arg("vectors"),
        unlocked);
    m.def(
        "factor_qr",
        [](const py::object& a, const py::object& tau, const py::object& info) {
            gpu::factor_qr(array_of(a), array_of(tau), array_of(info));
        },
        py::arg("a"), py::arg("tau"), py::arg("info"), unlocked);
    m.def(
        "expand_q",
        [](const py::object& a, const py::object& tau, const py::object& info) {
            gpu::expand_q(array_of(a), array_of(tau), array_of(info));
        },
        py::arg("a"), py::arg("tau"), py::arg("info"), unlocked);
    m.def(
        "eigen_of_hermitian",
        [](const py::object& a, const py::object& values, const py::object& info, bool lower,
           bool vectors) {
            gpu::eigen_of_hermitian(array_of(a), array_of(values), array_of(info), lower, vectors);
        },
        py::arg("a"), py::arg("values"), py::arg("info"), py::arg("lower"), py::arg("vectors"),
        unlocked);
    m.def(
        "singular_values",
        [](const py::object& a, const py::object& values, const py::object& u, const py::object& vh,
           const py::object& info) {
            gpu::singular_values(array_of(a), array_of(values),
                                 u.is_none() ? nullptr : &array_of(u),
                                 vh.is_none() ? nullptr : &array_of(vh), array_of(info));
        },
        py::arg("a"), py::arg("values"), py::arg("u"), py::arg("vh"), py::arg("info"), unlocked);
    m.def(
        "singular_values_by_jacobi",
        [](const py::object& a, const py::object& values, const py::object& u, const py::object& v,
           const py::object& info, bool vectors) {
            gpu::singular_values_by_jacobi(array_of(a), array_of(values), array_of(u), array_of(v),
                                           array_of(info), vectors);
        },
        py::arg("a"), py::arg("values"), py::arg("u"), py::arg("v"), py::arg("info"),
        py::arg("vectors"), unlocked);
    m.def(
        "eigen_of_any",
        [](const py::object& a, const py::object& values, const py::object& vectors,
           const py::object& info) {
            return gpu::eigen_of_any(array_of(a), array_of(values),
                                     vectors.is_none() ? nullptr : &array_of(vectors),
                                     array_of(info));
        },
        py::arg("a"), py::arg("values"), py::arg("vectors"), py::arg("info"), unlocked);
    m.def("allow_tf32", &gpu::allow_tf32, py::arg("allowed"));
    m.def("is_tf32_allowed", &gpu::is_tf32_allowed);
}

} // namespace lathe::bind
