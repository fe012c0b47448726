// SPDX-License-Identifier: MIT
// GPUArray: gpu::Array as a Python type. It is written by hand against CPython's own interface,
// because operators on small arrays cost what the way to them costs. The class that users see
// (lathe.cuda.gpuarray.GPUArray) derives from it.
#pragma once

#include "gpu/array/array.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

class PlainLaunch;
class Recorder;

struct GpuArray {
    PyObject_HEAD gpu::Array array; ///< without memory while it waits for a value
    Recorder* recorder;             ///< that it waits for (recorder.h); mostly null
    std::size_t value;
    PyObject* dtype;     ///< numpy.dtype
    PyObject* allocator; ///< null: the pool
    PyObject* memory;    ///< what `gpudata` says; null: not asked for yet
    PyObject* base;      ///< the array that this one is a view of; may be null
    PyObject* weak_references;
};

/// The object as what it is known to be.
inline GpuArray& self_of(PyObject* object) { return *reinterpret_cast<GpuArray*>(object); }

/// How many blocks of threads record expressions, and arrays that wait for a value in vain.
extern int recording;
/// Evaluates what the array waits for and all that this thread has recorded.
void settle(PyObject* object);
/// Before work on memory that is not known as an array's.
void settle_thread();

/// The array with its memory, for all work on it but the recorded.
inline gpu::Array& settled(PyObject* object) {
    if (recording) [[unlikely]]
        settle(object);
    return self_of(object).array;
}
/// The same for views: what will be written may wait.
inline gpu::Array& with_memory(PyObject* object) {
    GpuArray& self = self_of(object);
    if (self.recorder && self.array.address() == 0) [[unlikely]]
        settle(object);
    return self.array;
}

/// What `gpudata` gives where no other object stands for the memory: it keeps that, and has an
/// address where a pointer is wanted.
struct ArrayMemory {
    gpu::Array array;
};

/// For quick launches: the address of an array as a parameter. False for those who may throw where
/// the memory has none yet, or where streams have to be put in order.
bool write_address(const gpu::Array& array, std::byte* to, PlainLaunch& launch) noexcept;

/// An instance of the type or of one derived from it.
bool is_gpu_array(PyObject* object) noexcept;
/// The array behind a GPUArray, settled. Throws TypeError: "expected a GPUArray, got list".
gpu::Array& array_of(py::handle object);

/// A new GPUArray. `like`: takes its class, allocator and, for the same element type, its dtype.
/// The result of the class that set_array_class() named where there is none. `dtype` is wanted for
/// structures.
py::object wrap_array(gpu::Array array, const GpuArray* like = nullptr, py::handle dtype = {});
/// A view: keeps `base` as its own base.
py::object wrap_view(gpu::Array array, py::handle base, py::handle dtype = {});

/// Between numpy.dtype and element types: structures are known by their size alone. Throws
/// TypeError for objects, strings, dates and foreign byte orders.
gpu::ElementType element_type(py::handle dtype);
/// Borrowed.
PyObject* dtype_object(DType dtype) noexcept;
/// Of anything that numpy.dtype() takes; a new reference.
py::object to_dtype(py::handle value);

/// An element type, and how NumPy's scalars of it are known: a null for other Python types.
const DType* scalar_dtype(PyTypeObject* type) noexcept;

/// Shapes from an integer or a sequence of them; throws TypeError, ValueError.
gpu::Extents to_extents(py::handle value, const char* name);
py::tuple to_tuple(const gpu::Extents& extents);

/// Array::empty, or memory from the allocator of `like`.
gpu::Array empty_like(const GpuArray* like, gpu::ElementType type, const gpu::Layout& layout);

/// The address of a Python object kept until no array uses it.
std::shared_ptr<const void> keep(py::object owner);

// The parts of the type, gpu_array.cpp puts them together.
PyGetSetDef* array_attributes();
PyMethodDef* array_methods();
void add_operators(std::vector<PyType_Slot>& slots);
void add_subscripts(std::vector<PyType_Slot>& slots);

} // namespace lathe::bind
