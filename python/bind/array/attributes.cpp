// SPDX-License-Identifier: MIT
// What an array says of itself, and the views that need no kernel.
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/kernel/argument_plan.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

namespace lathe::bind {

namespace {

/// A getter that may throw.
template <py::object (*get)(PyObject*)> PyObject* getter(PyObject* self, void*) {
    try {
        return get(self).release().ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

py::object shape(PyObject* self) { return to_tuple(self_of(self).array.shape()); }
py::object strides(PyObject* self) { return to_tuple(self_of(self).array.strides()); }
py::object dtype(PyObject* self) { return py::reinterpret_borrow<py::object>(self_of(self).dtype); }
py::object size(PyObject* self) { return py::int_(self_of(self).array.size()); }
py::object ndim(PyObject* self) { return py::int_(self_of(self).array.dimensions()); }
py::object nbytes(PyObject* self) { return py::int_(self_of(self).array.bytes()); }
py::object itemsize(PyObject* self) { return py::int_(self_of(self).array.type().bytes); }
py::object ptr(PyObject* self) { return py::int_(settled(self).address()); }

py::object base(PyObject* self) {
    PyObject* const of = self_of(self).base;
    return of ? py::reinterpret_borrow<py::object>(of) : py::none();
}

py::object allocator(PyObject* self) {
    if (PyObject* const of = self_of(self).allocator) return py::reinterpret_borrow<py::object>(of);
    return py::module_::import("lathe._lathe").attr("default_allocator")();
}

py::object gpudata(PyObject* object) {
    settled(object);
    GpuArray& self = self_of(object);
    if (self.memory) return py::reinterpret_borrow<py::object>(self.memory);
    if (self.array.size() == 0) return py::none();
    return py::cast(ArrayMemory{self.array});
}

py::object interface(PyObject* object) {
    settled(object);
    const GpuArray& self = self_of(object);
    py::dict made;
    const py::object of = py::reinterpret_borrow<py::object>(self.dtype);
    made["shape"] = to_tuple(self.array.shape());
    made["strides"] = to_tuple(self.array.strides());
    made["data"] = py::make_tuple(py::int_(self.array.address()), !self.array.writable());
    made["typestr"] = of.attr("str");
    if (!self.array.type().dtype) made["descr"] = of.attr("descr");
    made["version"] = 3;
    // On the legacy default stream, of which PyCUDA says None. But where the memory was mapped on
    // another one that takes turns with it, consumers must know.
    made["stream"] = self.array.graphics() ? py::object{py::int_(1)} : py::object{py::none()};
    return made;
}

py::object transposed(PyObject* object) {
    const gpu::Array& array = with_memory(object);
    return wrap_view(array.view(array.type(), gpu::reverse_axes(array.layout())), object);
}

/// The real or imaginary parts of complex elements, as a view.
py::object part(PyObject* object, std::size_t which) {
    const gpu::Array& array = with_memory(object);
    const DType parts = gpu::real_for(array.dtype(which ? "imag" : "real"));
    return wrap_view(
        array.view(parts, array.layout(), static_cast<std::int64_t>(which * item_bytes(parts))),
        object, dtype_object(parts));
}

bool is_complex(PyObject* object) {
    const auto of = self_of(object).array.type().dtype;
    return of && gpu::kind_of(*of) == gpu::Kind::complex;
}

py::object real(PyObject* object) {
    return is_complex(object) ? part(object, 0) : py::reinterpret_borrow<py::object>(object);
}

py::object imag(PyObject* object) {
    if (is_complex(object)) return part(object, 1);
    return py::module_::import("lathe.array.creation").attr("zeros_like")(py::handle{object});
}

PyGetSetDef attributes[] = {
    {"shape", &getter<shape>, nullptr, "Sizes of the axes, a tuple.", nullptr},
    {"strides", &getter<strides>, nullptr, "Bytes from one element to the next along each axis.",
     nullptr},
    {"dtype", &getter<dtype>, nullptr, "The elements' numpy.dtype.", nullptr},
    {"size", &getter<size>, nullptr, "The number of elements.", nullptr},
    {"mem_size", &getter<size>, nullptr, "The number of elements, as PyCUDA calls it.", nullptr},
    {"ndim", &getter<ndim>, nullptr, "The number of axes.", nullptr},
    {"nbytes", &getter<nbytes>, nullptr, "Bytes of all elements, without gaps between them.",
     nullptr},
    {"itemsize", &getter<itemsize>, nullptr, "Bytes of an element.", nullptr},
    {"ptr", &getter<ptr>, nullptr,
     "Address of the first element on the device; 0 without elements.", nullptr},
    {"base", &getter<base>, nullptr, "The array whose memory this one is a view of, or None.",
     nullptr},
    {"allocator", &getter<allocator>, nullptr,
     "What its memory came from, and that of results does.", nullptr},
    {"gpudata", &getter<gpudata>, nullptr,
     "The memory from the first element on, for kernels and copies; keeps it. None without "
     "elements.",
     nullptr},
    {"__cuda_array_interface__", &getter<interface>, nullptr,
     "The CUDA Array Interface, version 3.", nullptr},
    {"T", &getter<transposed>, nullptr, "The axes in reverse order, a view.", nullptr},
    {"real", &getter<real>, nullptr, "The real parts, a view; of real arrays the array itself.",
     nullptr},
    {"imag", &getter<imag>, nullptr, "The imaginary parts, a view; of real arrays zeros.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// --- Methods

/// A method with positional arguments that may throw.
template <py::object (*method)(PyObject*, const py::tuple&)>
PyObject* call(PyObject* self, PyObject* args) {
    try {
        return method(self, py::reinterpret_borrow<py::tuple>(args)).release().ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

/// _view(shape, strides, offset_bytes, dtype): checked by who calls.
py::object view(PyObject* object, const py::tuple& args) {
    const gpu::Array& array = with_memory(object);
    const py::object dtype = to_dtype(args[3]);
    const gpu::Layout layout{to_extents(args[0], "shape"), to_extents(args[1], "strides")};
    return wrap_view(array.view(element_type(dtype), layout, args[2].cast<std::int64_t>()), object,
                     dtype);
}

/// _reshape(shape, order): a view, or None where that needs a copy.
py::object reshaped(PyObject* object, const py::tuple& args) {
    const gpu::Array& array = with_memory(object);
    const gpu::Order order = args[1].cast<std::string>() == "F" ? gpu::Order::f : gpu::Order::c;
    const auto layout =
        gpu::reshape(array.layout(), to_extents(args[0], "shape"), array.type().bytes, order);
    return layout ? wrap_view(array.view(array.type(), *layout), object) : py::none();
}

/// _transpose(axes)
py::object transpose(PyObject* object, const py::tuple& args) {
    const gpu::Array& array = with_memory(object);
    const gpu::Extents axes = to_extents(args[0], "axes");
    return wrap_view(
        array.view(array.type(), gpu::transpose(array.layout(), {axes.begin(), axes.size()})),
        object);
}

/// _broadcast_to(shape): read-only, as NumPy's.
py::object broadcast(PyObject* object, const py::tuple& args) {
    const gpu::Array& array = with_memory(object);
    gpu::Array made =
        array.view(array.type(), gpu::broadcast_to(array.layout(), to_extents(args[0], "shape")));
    made.make_read_only();
    return wrap_view(std::move(made), object);
}

/// _contiguity(): C, F, dense, writable.
py::object contiguity(PyObject* object, const py::tuple&) {
    const gpu::Array& array = self_of(object).array;
    return py::make_tuple(array.is_c_contiguous(), array.is_f_contiguous(),
                          gpu::is_dense(array.layout(), array.type().bytes), array.writable());
}

/// _reach(): bytes that the elements touch, from the address on.
py::object reach(PyObject* object, const py::tuple&) {
    const gpu::Array& array = self_of(object).array;
    const gpu::Reach bytes = gpu::reach_of(array.layout(), array.type().bytes);
    return py::make_tuple(bytes.begin, bytes.end);
}

py::object shares_memory(PyObject* object, const py::tuple& args) {
    return py::bool_(settled(object).may_share_memory(array_of(args[0])));
}

PyMethodDef methods[] = {
    {"_view", &call<view>, METH_VARARGS, nullptr},
    {"_reshape", &call<reshaped>, METH_VARARGS, nullptr},
    {"_transpose", &call<transpose>, METH_VARARGS, nullptr},
    {"_broadcast_to", &call<broadcast>, METH_VARARGS, nullptr},
    {"_contiguity", &call<contiguity>, METH_VARARGS, nullptr},
    {"_reach", &call<reach>, METH_VARARGS, nullptr},
    {"_may_share_memory", &call<shares_memory>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

PyGetSetDef* array_attributes() { return attributes; }
PyMethodDef* array_methods() { return methods; }

namespace {

/// For quick launches: the address.
bool read_memory(PyObject* value, std::byte* to, PlainLaunch& launch) {
    const auto* memory = bound_object<ArrayMemory>(value);
    return memory && launch.reaches(memory->array.context()) &&
           write_address(memory->array, to, launch);
}

} // namespace

void bind_array_memory(py::module_& m) {
    py::class_<ArrayMemory> memory{m, "ArrayMemory",
                                   "The device memory of a GPUArray, from its first element on."};
    add_pointer_type(memory, &read_memory);
    memory.def("__int__", [](const ArrayMemory& self) { return self.array.address(); })
        .def("__index__", [](const ArrayMemory& self) { return self.array.address(); })
        .def("__add__",
             [](const ArrayMemory& self, std::int64_t bytes) {
                 return self.array.address() + static_cast<CUdeviceptr>(bytes);
             })
        .def("__repr__", [](const ArrayMemory& self) {
            return fmt::format("<ArrayMemory at {:#x}>", self.array.address());
        });
}

} // namespace lathe::bind
