// SPDX-License-Identifier: MIT
#include "python/bind/interop/array.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/context.h"
#include "gpu/memory.h"
#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace lathe::bind {

// -- element types and shapes ------------------------------------------------------------------

DType dtype_from(const py::object& object) {
    const auto dtype = py::dtype::from_args(object);
    const auto name = dtype.attr("name").cast<std::string>();
    const auto found = dtype_from_name(name);
    if (!found || !dtype.attr("isnative").cast<bool>())
        throw py::type_error(fmt::format(
            "dtype {} cannot live on the device; known are bool, int8 to int64, uint8 to uint64, "
            "float16 to float64, complex64 and complex128",
            py::repr(dtype).cast<std::string>()));
    return *found;
}

py::dtype numpy_dtype(DType dtype) { return py::dtype(std::string{typestr_of(dtype)}); }

std::string shape_text(const std::vector<py::ssize_t>& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

namespace {

std::size_t count_of(const std::vector<py::ssize_t>& shape, std::size_t item) {
    std::size_t count = 1;
    for (const py::ssize_t n : shape) {
        if (n < 0) throw py::value_error("negative dimension in shape " + shape_text(shape));
        if (n > 0 && count > std::size_t(std::numeric_limits<py::ssize_t>::max()) / item / std::size_t(n))
            throw py::value_error("shape " + shape_text(shape) + " is larger than any memory");
        count *= std::size_t(n);
    }
    return count;
}

std::vector<py::ssize_t> shape_from(const py::object& object) {
    if (py::isinstance<py::int_>(object)) return {object.cast<py::ssize_t>()};
    return object.cast<std::vector<py::ssize_t>>();
}

} // namespace

// -- storage -----------------------------------------------------------------------------------

Storage::Storage(std::shared_ptr<Engine> engine, std::size_t bytes) : engine_{std::move(engine)} {
    if (engine_) {
        engine_->make_current();
        engine_->wait_to_register();
        shared_ = std::make_unique<SharedBuffer>(bytes);
        return;
    }
    gpu::Context::ensure_current();
    own_ = gpu::DeviceBuffer{bytes};
    address_ = own_.address();
    gpu::fill_units(address_, 0, 1, bytes);
}

Storage::~Storage() {
    if (!engine_) return;
    try {
        // Garbage is collected at any time: also in the frame of another App.
        const gl::RestoreContext here{engine_->studio.window().context()};
        engine_->wait_to_register();
        shared_.reset();
    } catch (const std::exception& error) {
        log::error("an array could not be released in order: {}", error.what());
    }
}

CUdeviceptr address_of(const std::shared_ptr<Storage>& storage) {
    Engine* engine = storage->engine_.get();
    return engine ? engine->pool.address(storage, engine->stream()) : storage->address_;
}

// -- array -------------------------------------------------------------------------------------

Array::Array(std::shared_ptr<Engine> engine, std::vector<py::ssize_t> shape, DType dtype)
    : shape_{std::move(shape)}, dtype_{dtype}, count_{count_of(shape_, item_bytes(dtype))} {
    if (count_) storage_ = std::make_shared<Storage>(std::move(engine), bytes());
}

Array Array::with(std::vector<py::ssize_t> shape, DType dtype, std::size_t offset) const {
    Array made;
    made.count_ = count_of(shape, item_bytes(dtype));
    made.shape_ = std::move(shape);
    made.dtype_ = dtype;
    made.offset_ = offset;
    made.storage_ = storage_;
    return made;
}

const gl::Buffer& Array::gl_buffer() const {
    if (auto e = engine()) e->unmap_all();
    return std::as_const(storage_->shared()).buffer();
}

CUdeviceptr Array::address() const { return count_ ? address_of(storage_) + offset_ : 0; }

gpu::StreamView Array::stream() const {
    const auto e = engine();
    return e ? e->stream() : gpu::StreamView::legacy();
}

void Array::wait() const {
    py::gil_scoped_release release;
    if (const auto e = engine()) return e->synchronize();
    const gpu::Context context = gpu::Context::ensure_current();
    const auto all = gpu::StreamView::legacy();
    while (!all.wait_for(std::chrono::milliseconds{50})) {
        try {
            raise_interrupt();
        } catch (...) {
            all.cancel();
            throw;
        }
    }
    context.synchronize();
}

py::array Array::get(const py::object& out) const {
    py::array result =
        out.is_none() ? py::array(numpy_dtype(dtype_), shape_) : py::cast<py::array>(out);
    const std::vector<py::ssize_t> shape(result.shape(), result.shape() + result.ndim());
    if (!out.is_none() && (!result.dtype().is(numpy_dtype(dtype_)) || shape != shape_ ||
                           !(result.flags() & py::array::c_style) || !result.writeable()))
        throw py::value_error(fmt::format("out must be a writable C-contiguous {} array of shape {}",
                                          name_of(dtype_), shape_text(shape_)));
    if (!count_) return result;
    const CUdeviceptr from = address();
    void* to = result.mutable_data();
    wait();
    {
        py::gil_scoped_release release;
        gpu::copy_to_host(to, from, bytes());
    }
    return result;
}

void Array::set(const py::object& value) {
    if (!count_) return;
    CUdeviceptr to = address();
    if (py::isinstance<Array>(value)) {
        const auto& other = value.cast<const Array&>();
        if (other.shape_ != shape_ || other.dtype_ != dtype_)
            throw py::value_error(fmt::format("cannot set {} from {}", repr(), other.repr()));
        const CUdeviceptr from = other.address();
        to = address();
        if (to != from) gpu::copy_on_device(to, from, bytes(), stream());
        return;
    }
    auto numpy = py::module_::import("numpy");
    py::object host = numpy.attr("asarray")(value, py::arg("dtype") = numpy_dtype(dtype_));
    host = numpy.attr("ascontiguousarray")(numpy.attr("broadcast_to")(host, shape_));
    const void* from = host.cast<py::array>().data();
    wait();
    py::gil_scoped_release release;
    gpu::copy_to_device(to, from, bytes());
}

void Array::fill(const py::object& value) {
    if (!count_) return;
    auto one = py::module_::import("numpy")
                   .attr("full")(1, value, py::arg("dtype") = numpy_dtype(dtype_))
                   .cast<py::array>();
    const std::size_t item = item_bytes(dtype_);
    const auto* raw = static_cast<const unsigned char*>(one.data());
    const std::size_t unit = item <= 4 ? item : 4;
    bool repeats = true; // elements of 8 and 16 bytes that repeat their first 4
    for (std::size_t i = unit; i < item; i += unit)
        repeats = repeats && std::memcmp(raw, raw + i, unit) == 0;
    if (!repeats) return set(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, raw, unit);
    gpu::fill_units(address(), bits, unit, bytes() / unit, stream());
}

py::array Array::host_view() const {
    if (!count_) return py::array(numpy_dtype(dtype_), shape_);
    std::byte* memory = nullptr;
    if (engine() && storage_->shared().mode() == InteropMode::zero_copy)
        memory = const_cast<gl::Buffer&>(gl_buffer()).mapped();
    if (!memory)
        throw lathe::Error{fmt::format("{} is not in host memory: host_view() needs an App's array on a "
                                "software GL; get() makes a copy anywhere",
                                repr())};
    wait();
    auto* keep = new std::shared_ptr<Storage>{storage_};
    py::capsule owner{keep, [](void* p) { delete static_cast<std::shared_ptr<Storage>*>(p); }};
    return py::array(numpy_dtype(dtype_), shape_, memory + offset_, owner);
}

// Leading integers, then at most one slice of step 1, then everything: what stays contiguous.
Array Array::part(const py::object& index) const {
    const py::tuple given = py::isinstance<py::tuple>(index) ? py::tuple(index) : py::make_tuple(index);
    const auto refuse = [&]() -> py::index_error {
        return py::index_error(fmt::format(
            "[{}] of {} is not one contiguous part; take .get()[...] for a copy",
            py::repr(index).cast<std::string>(), repr()));
    };
    if (given.size() > shape_.size()) throw refuse();
    std::vector<py::ssize_t> shape;
    std::size_t first = 0;
    std::size_t stride = count_;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
        const py::ssize_t n = shape_[axis];
        stride = n ? stride / std::size_t(n) : 0;
        if (axis >= given.size()) {
            shape.push_back(n);
            continue;
        }
        const py::object item = given[axis];
        if (py::isinstance<py::slice>(item)) {
            py::ssize_t start = 0, stop = 0, step = 0, length = 0;
            if (!item.cast<py::slice>().compute(n, &start, &stop, &step, &length))
                throw py::error_already_set();
            // Behind an axis that is kept, only whole ones stay in one piece.
            if (step != 1 || (!shape.empty() && length != n)) throw refuse();
            first += std::size_t(start) * stride;
            shape.push_back(length);
        } else if (PyIndex_Check(item.ptr()) && !py::isinstance<py::bool_>(item)) {
            if (!shape.empty()) throw refuse();
            py::ssize_t i = PyNumber_AsSsize_t(item.ptr(), PyExc_IndexError);
            if (i == -1 && PyErr_Occurred()) throw py::error_already_set();
            const py::ssize_t at = i < 0 ? i + n : i;
            if (at < 0 || at >= n)
                throw py::index_error(fmt::format("index {} is out of bounds for axis {} with size {}",
                                                  i, axis, n));
            first += std::size_t(at) * stride;
        } else {
            throw refuse();
        }
    }
    return with(std::move(shape), dtype_, offset_ + first * item_bytes(dtype_));
}

Array Array::reshape(std::vector<py::ssize_t> shape) const {
    std::size_t known = 1;
    py::ssize_t* open = nullptr;
    for (py::ssize_t& n : shape) {
        if (n == -1 && !open) open = &n;
        else known *= std::size_t(n);
    }
    if (open && known) *open = py::ssize_t(count_ / known);
    if (count_of(shape, item_bytes(dtype_)) != count_)
        throw py::value_error(fmt::format("cannot reshape {} to {}", repr(), shape_text(shape)));
    return with(std::move(shape), dtype_, offset_);
}

Array Array::view(DType dtype) const {
    std::vector<py::ssize_t> shape = shape_;
    const std::size_t item = item_bytes(dtype);
    const std::size_t row = (shape.empty() ? 1 : std::size_t(shape.back())) * item_bytes(dtype_);
    if (row % item || (shape.empty() && item != item_bytes(dtype_)))
        throw py::value_error(fmt::format("cannot view {} as {}", repr(), name_of(dtype)));
    if (!shape.empty()) shape.back() = py::ssize_t(row / item);
    return with(std::move(shape), dtype, offset_);
}

py::dict Array::cuda_array_interface() const {
    py::dict out;
    out["shape"] = py::tuple(py::cast(shape_));
    out["typestr"] = std::string{typestr_of(dtype_)};
    out["data"] = py::make_tuple(static_cast<std::uintptr_t>(address()), false);
    out["strides"] = py::none();
    out["version"] = 3;
    const auto e = engine(); // 1 names the legacy default stream
    out["stream"] = e ? reinterpret_cast<std::uintptr_t>(e->stream().get()) : std::uintptr_t{1};
    return out;
}

std::string Array::repr() const {
    return fmt::format("lathe.Array(shape={}, dtype={})", shape_text(shape_), name_of(dtype_));
}

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

    py::class_<Array>(m, "Array",
                      "An array in device memory; an App's arrays are drawn from the same memory.\n\n"
                      "C-contiguous. Kernels write it in the order of the App's stream. Passing it\n"
                      "to a kernel hands it to CUDA until the frame is drawn.")
        .def_property_readonly("shape", [](const Array& a) { return py::tuple(py::cast(a.shape())); },
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
        .def("reshape",
             [](const Array& a, const py::args& args) {
                 return a.reshape(args.size() == 1 ? shape_from(args[0]) : shape_from(args));
             },
             "The same memory in another shape; one size may be -1.")
        .def("view", [](const Array& a, const py::object& d) { return a.view(dtype_from(d)); },
             py::arg("dtype"), "The same bytes as another dtype; the last axis changes its size.")
        .def("__len__",
             [](const Array& a) {
                 if (a.shape().empty()) throw py::type_error("len() of an array without axes");
                 return a.shape()[0];
             })
        .def("__getitem__", &Array::part, py::arg("index"),
             "A contiguous part: leading integers, one slice of step 1. Shares memory.")
        .def("__setitem__",
             [](const Array& a, const py::object& index, const py::object& value) {
                 try {
                     a.part(index).set(value);
                     return;
                 } catch (const py::index_error&) { // not contiguous: through the host, where
                 }                                  // NumPy says what it thinks of the index
                 py::object host = a.get(py::none());
                 const bool on_device = py::isinstance<Array>(value);
                 host[index] = on_device ? py::object(value.cast<const Array&>().get(py::none())) : value;
                 Array whole = a;
                 whole.set(host);
             },
             py::arg("index"), py::arg("value"),
             "Sets a part; one that is not contiguous goes through a copy on the host.")
        .def("__array__",
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
