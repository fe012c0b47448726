// SPDX-License-Identifier: MIT
#include "python/bind/array/gpu_array.h"

#include "gpu/driver/check.h"
#include "python/bind/array/recorder.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/argument_plan.h"

#include <pybind11/numpy.h>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <new>
#include <structmember.h>

namespace lathe::bind {

namespace {

PyTypeObject* base_type = nullptr;         // the one made here
PyTypeObject* array_class = nullptr;       // what users see
PyObject* default_allocator = nullptr;     // stands for the pool
std::array<PyObject*, 14> dtype_objects{}; // by DType
std::array<PyTypeObject*, 14> scalar_types{};
std::array<DType, 14> all_dtypes{};

PyObject* allocate(PyTypeObject* type) {
    PyObject* const made = type->tp_alloc(type, 0);
    if (!made) throw py::error_already_set();
    new (&self_of(made).array) gpu::Array{};
    return made;
}

/// Memory goes back to pools without Python's lock, and drivers may wait.
void deallocate(PyObject* object) {
    GpuArray& self = self_of(object);
    PyTypeObject* const type = Py_TYPE(object);
    if (self.weak_references) PyObject_ClearWeakRefs(object);
    if (self.recorder) self.recorder->forget(self);
    self.array.~Array();
    Py_XDECREF(self.dtype);
    Py_XDECREF(self.allocator);
    Py_XDECREF(self.memory);
    Py_XDECREF(self.base);
    type->tp_free(object);
    Py_DECREF(type);
}

struct Arguments {
    PyObject *shape = nullptr, *dtype = nullptr, *allocator = nullptr, *base = nullptr,
             *gpudata = nullptr, *strides = nullptr, *order = nullptr;
};

gpu::Order to_order(PyObject* value) {
    if (!value) return gpu::Order::c;
    const char* const text = PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
    if (text && (!std::strcmp(text, "C") || !std::strcmp(text, "A") || !std::strcmp(text, "K")))
        return gpu::Order::c;
    if (text && !std::strcmp(text, "F")) return gpu::Order::f;
    throw py::value_error(
        fmt::format("order must be 'C' or 'F', got {}", std::string{py::repr(value)}));
}

gpu::Array allocate_by(PyObject* allocator, gpu::ElementType type, const gpu::Layout& layout,
                       PyObject** memory) {
    const gpu::Reach reach = gpu::reach_of(layout, type.bytes);
    if (reach.end == reach.begin) return gpu::Array::empty(type, layout);
    const py::object block = py::handle{allocator}(py::int_(reach.end - reach.begin));
    const std::optional<DevicePointer> found = find_device_pointer(block);
    if (!found)
        throw py::type_error(fmt::format("an allocator must give device memory, got {}",
                                         Py_TYPE(block.ptr())->tp_name));
    if (memory) *memory = py::object{block}.release().ptr();
    return gpu::Array::over(found->address - static_cast<CUdeviceptr>(reach.begin), type, layout,
                            keep(block), gpu::Context::current());
}

void fill_in(PyObject* object, const Arguments& given) {
    GpuArray& self = self_of(object);
    py::object dtype = to_dtype(given.dtype);
    const gpu::ElementType type = element_type(dtype);
    const gpu::Extents shape = to_extents(given.shape, "shape");
    gpu::Layout layout = gpu::compact(shape, type.bytes, to_order(given.order));
    if (given.strides && given.strides != Py_None) {
        layout.strides = to_extents(given.strides, "strides");
        if (layout.strides.size() != shape.size())
            throw py::value_error(fmt::format("strides {} do not fit shape {}",
                                              gpu::to_string(layout.strides),
                                              gpu::to_string(shape)));
    }
    gpu::count_of(shape);
    self.dtype = dtype.release().ptr();
    if (given.allocator && given.allocator != Py_None && given.allocator != default_allocator)
        self.allocator = Py_NewRef(given.allocator);
    if (given.base && given.base != Py_None) self.base = Py_NewRef(given.base);
    if (given.gpudata && py::isinstance<ArrayMemory>(given.gpudata)) {
        const gpu::Array& memory = py::handle{given.gpudata}.cast<const ArrayMemory&>().array;
        self.array = memory.view(type, layout);
        self.memory = Py_NewRef(given.gpudata);
    } else if (given.gpudata && given.gpudata != Py_None) {
        const std::optional<DevicePointer> found = find_device_pointer(given.gpudata);
        if (!found)
            throw py::type_error(fmt::format("gpudata must be device memory, got {}",
                                             Py_TYPE(given.gpudata)->tp_name));
        py::object owner =
            given.base && given.base != Py_None
                ? py::object{py::make_tuple(py::handle{given.gpudata}, py::handle{given.base})}
                : py::reinterpret_borrow<py::object>(given.gpudata);
        self.array =
            gpu::Array::over(found->address, type, layout, keep(std::move(owner)), found->context);
        self.memory = Py_NewRef(given.gpudata);
    } else if (self.allocator) {
        self.array = allocate_by(self.allocator, type, layout, &self.memory);
    } else {
        self.array = gpu::Array::empty(type, layout);
    }
}

PyObject* make_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    static const char* names[] = {"shape",   "dtype",   "allocator", "base",
                                  "gpudata", "strides", "order",     nullptr};
    Arguments given;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOOOOO:GPUArray", const_cast<char**>(names),
                                     &given.shape, &given.dtype, &given.allocator, &given.base,
                                     &given.gpudata, &given.strides, &given.order))
        return nullptr;
    try {
        py::object made = py::reinterpret_steal<py::object>(allocate(type));
        fill_in(made.ptr(), given);
        return made.release().ptr();
    } catch (...) { return raise_in_python(std::current_exception()); }
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(GpuArray, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

void learn_dtypes() {
    const py::object numpy = py::module_::import("numpy");
    for (std::size_t k = 0; k < all_dtypes.size(); ++k) {
        const auto dtype = static_cast<DType>(k);
        all_dtypes[k] = dtype;
        py::object object = numpy.attr("dtype")(std::string{name_of(dtype)});
        scalar_types[k] =
            reinterpret_cast<PyTypeObject*>(py::object{object.attr("type")}.release().ptr());
        dtype_objects[k] = object.release().ptr();
    }
}

/// NumPy's arrays claim to be integers, but those with axes are sequences: np.array([5]) is the
/// shape (5,).
bool is_sequence_of_axes(py::handle value) {
    if (PyLong_Check(value.ptr()) || !PySequence_Check(value.ptr())) return false;
    const Py_ssize_t length = PySequence_Size(value.ptr());
    if (length < 0) PyErr_Clear(); // an array without axes
    return length >= 0;
}

/// For quick launches: the address of an array.
bool read_address(PyObject* value, std::byte* to, PlainLaunch& launch) {
    if (self_of(value).recorder) return false; // for those who may throw
    return write_address(self_of(value).array, to, launch);
}

} // namespace

bool write_address(const gpu::Array& array, std::byte* to, PlainLaunch& launch) noexcept {
    const CUdeviceptr address = array.present_address();
    if (array.graphics() && array.size() &&
        (address == 0 || !launch.reaches(array.context()) ||
         !launch.follows(array.graphics()->stream())))
        return false;
    std::memcpy(to, &address, sizeof address);
    launch.uses(array.block());
    return true;
}

bool is_gpu_array(PyObject* object) noexcept {
    return Py_TYPE(object) == array_class || PyObject_TypeCheck(object, base_type);
}

gpu::Array& array_of(py::handle object) {
    if (is_gpu_array(object.ptr())) return settled(object.ptr());
    throw py::type_error(
        fmt::format("expected a GPUArray, got {}", Py_TYPE(object.ptr())->tp_name));
}

py::object wrap_array(gpu::Array array, const GpuArray* like, py::handle dtype) {
    py::object made =
        py::reinterpret_steal<py::object>(allocate(like ? Py_TYPE(like) : array_class));
    GpuArray& self = self_of(made.ptr());
    const bool same = like && like->array.type() == array.type();
    if (!same && !dtype && !array.type().dtype) throw py::type_error("a structure needs its dtype");
    self.dtype = Py_NewRef(same    ? like->dtype
                           : dtype ? dtype.ptr()
                                   : dtype_object(*array.type().dtype));
    if (like) self.allocator = Py_XNewRef(like->allocator);
    self.array = std::move(array);
    return made;
}

py::object wrap_view(gpu::Array array, py::handle base, py::handle dtype) {
    const GpuArray& of = self_of(base.ptr());
    py::object made = py::reinterpret_steal<py::object>(allocate(Py_TYPE(base.ptr())));
    GpuArray& self = self_of(made.ptr());
    self.dtype = Py_NewRef(dtype ? dtype.ptr() : of.dtype);
    self.allocator = Py_XNewRef(of.allocator);
    self.base = Py_NewRef(of.base ? of.base : base.ptr());
    self.array = std::move(array);
    return made;
}

gpu::Array empty_like(const GpuArray* like, gpu::ElementType type, const gpu::Layout& layout) {
    if (!like || !like->allocator) return gpu::Array::empty(type, layout);
    return allocate_by(like->allocator, type, layout, nullptr);
}

gpu::ElementType element_type(py::handle dtype) {
    for (std::size_t k = 0; k < dtype_objects.size(); ++k)
        if (dtype.ptr() == dtype_objects[k]) return all_dtypes[k];
    const auto described = py::reinterpret_borrow<py::dtype>(dtype);
    const char kind = described.kind();
    const char byte_order = described.byteorder();
    const auto bytes = static_cast<std::size_t>(described.itemsize());
    if (byte_order == '>' || kind == 'O' || kind == 'M' || kind == 'm' || kind == 'U' ||
        kind == 'S' || bytes == 0)
        throw py::type_error(
            fmt::format("arrays on the device cannot have dtype {}", std::string{py::repr(dtype)}));
    if (kind == 'V') return gpu::ElementType::structure(bytes);
    const char letter = kind == 'b' ? 'b' : kind;
    const std::string text = fmt::format("{}{}{}", bytes == 1 ? "|" : "<", letter, bytes);
    if (const auto found = dtype_from_typestr(text)) return *found;
    throw py::type_error(
        fmt::format("arrays on the device cannot have dtype {}", std::string{py::repr(dtype)}));
}

PyObject* dtype_object(DType dtype) noexcept {
    return dtype_objects[static_cast<std::size_t>(dtype)];
}

py::object to_dtype(py::handle value) {
    if (!value) return py::reinterpret_borrow<py::object>(dtype_object(DType::float64));
    for (std::size_t k = 0; k < dtype_objects.size(); ++k)
        if (value.ptr() == dtype_objects[k] ||
            value.ptr() == reinterpret_cast<PyObject*>(scalar_types[k]))
            return py::reinterpret_borrow<py::object>(dtype_objects[k]);
    static PyObject* const numpy_dtype =
        py::object{py::module_::import("numpy").attr("dtype")}.release().ptr();
    py::object made = py::handle{numpy_dtype}(value);
    for (PyObject* each : dtype_objects) // int64 has two names in NumPy: one object stands for both
        if (made.equal(py::handle{each})) return py::reinterpret_borrow<py::object>(each);
    return made;
}

const DType* scalar_dtype(PyTypeObject* type) noexcept {
    for (std::size_t k = 0; k < scalar_types.size(); ++k)
        if (type == scalar_types[k]) return &all_dtypes[k];
    return nullptr;
}

gpu::Extents to_extents(py::handle value, const char* name) {
    const auto number = [&](py::handle each) {
        const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(each.ptr()));
        if (!index) throw py::error_already_set();
        const long long size = PyLong_AsLongLong(index.ptr());
        if (size == -1 && PyErr_Occurred()) throw py::error_already_set();
        return static_cast<std::int64_t>(size);
    };
    gpu::Extents extents;
    if (PyIndex_Check(value.ptr()) && !is_sequence_of_axes(value)) {
        extents.push_back(number(value));
        return extents;
    }
    const py::object fast = py::reinterpret_steal<py::object>(PySequence_Fast(value.ptr(), ""));
    if (!fast) {
        PyErr_Clear();
        throw py::type_error(fmt::format("{} must be an integer or a sequence of them, got {}",
                                         name, Py_TYPE(value.ptr())->tp_name));
    }
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(fast.ptr()); ++k)
        extents.push_back(number(PySequence_Fast_GET_ITEM(fast.ptr(), k)));
    return extents;
}

py::tuple to_tuple(const gpu::Extents& extents) {
    py::tuple made{extents.size()};
    for (std::size_t k = 0; k < extents.size(); ++k) made[k] = py::int_(extents[k]);
    return made;
}

std::shared_ptr<const void> keep(py::object owner) {
    return {owner.release().ptr(), [](PyObject* object) {
                if (!Py_IsInitialized()) return;
                const PyGILState_STATE state = PyGILState_Ensure();
                Py_DECREF(object);
                PyGILState_Release(state);
            }};
}

void bind_gpu_array(py::module_& m) {
    learn_dtypes();
    std::vector<PyType_Slot> slots{
        {Py_tp_new, reinterpret_cast<void*>(&make_new)},
        {Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
        {Py_tp_hash, reinterpret_cast<void*>(&PyObject_HashNotImplemented)},
        {Py_tp_members, members},
        {Py_tp_getset, array_attributes()},
        {Py_tp_methods, array_methods()},
    };
    add_operators(slots);
    add_subscripts(slots);
    slots.push_back({0, nullptr});
    PyType_Spec spec{"lathe._lathe.ArrayBase", static_cast<int>(sizeof(GpuArray)), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
    PyObject* const type = PyType_FromSpec(&spec);
    if (!type) throw py::error_already_set();
    base_type = array_class = reinterpret_cast<PyTypeObject*>(type);
    m.attr("ArrayBase") = py::handle{type};
    m.def(
        "set_array_class",
        [](py::type of, py::object allocator) {
            array_class = reinterpret_cast<PyTypeObject*>(of.release().ptr());
            default_allocator = allocator.release().ptr();
            add_pointer_type(reinterpret_cast<PyObject*>(array_class), &read_address);
        },
        py::arg("of"), py::arg("allocator"),
        "Names the class of arrays that functions make, and the allocator that stands for the "
        "pool.");
    m.def("default_allocator",
          [] { return py::reinterpret_borrow<py::object>(default_allocator); });
}

} // namespace lathe::bind
