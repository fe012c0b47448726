// SPDX-License-Identifier: MIT
// Arrays given to other libraries and taken from them without a copy: DLPack.
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "python/bind/array/dlpack.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"

#include <fmt/format.h>

#include <optional>

namespace lathe::bind {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    PyErr_SetString(PyExc_BufferError, why.c_str());
    throw py::error_already_set();
}

// --- Out

/// What an exported tensor points into; the owner of the memory among it.
struct Exported {
    gpu::Array array;
    gpu::Extents shape, strides;
};

dlpack::DataType type_of(const gpu::Array& array) {
    const auto dtype = array.type().dtype;
    if (!dtype) refuse("DLPack has no structures");
    constexpr std::array codes{dlpack::boolean, dlpack::signed_integer, dlpack::unsigned_integer,
                               dlpack::floating, dlpack::complex};
    return {codes[static_cast<std::size_t>(gpu::kind_of(*dtype))],
            static_cast<std::uint8_t>(array.type().bytes * 8), 1};
}

int device_of(const gpu::Array& array) {
    const gpu::Context context = array.context() ? array.context() : gpu::Context::ensure_current();
    return context.device().get();
}

void describe(Exported& from, dlpack::Tensor& to) {
    const auto bytes = static_cast<std::int64_t>(from.array.type().bytes);
    from.shape = from.array.shape();
    from.strides = from.array.strides();
    for (std::size_t k = 0; k < from.strides.size(); ++k) {
        if (from.strides[k] % bytes != 0)
            refuse("DLPack has no strides that are parts of elements");
        from.strides[k] /= bytes;
    }
    const bool has_axes = !from.shape.empty();
    to = {reinterpret_cast<void*>(from.array.address()),
          {dlpack::cuda, device_of(from.array)},
          static_cast<std::int32_t>(from.shape.size()),
          type_of(from.array),
          has_axes ? &from.shape[0] : nullptr,
          has_axes ? &from.strides[0] : nullptr,
          0};
}

template <class T> void delete_exported(T* managed) {
    delete static_cast<Exported*>(managed->context);
    delete managed;
}

/// A capsule that nobody took ends what it holds.
template <class T, const char* name> void end_capsule(PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, name)) return;
    auto* const managed = static_cast<T*>(PyCapsule_GetPointer(capsule, name));
    if (managed->deleter) managed->deleter(managed);
}

constexpr char kOld[] = "dltensor", kVersioned[] = "dltensor_versioned";
constexpr char kUsedOld[] = "used_dltensor", kUsedVersioned[] = "used_dltensor_versioned";

template <class T, const char* name>
py::object capsule_of(const gpu::Array& array, std::unique_ptr<T> managed) {
    auto exported = std::make_unique<Exported>();
    exported->array = array;
    describe(*exported, managed->tensor);
    managed->context = exported.get();
    managed->deleter = &delete_exported<T>;
    PyObject* const capsule = PyCapsule_New(managed.get(), name, &end_capsule<T, name>);
    if (!capsule) throw py::error_already_set();
    (void)exported.release();
    (void)managed.release();
    return py::reinterpret_steal<py::object>(capsule);
}

/// A stream by the number that protocols give it: 1 the legacy default stream, 2 the per-thread
/// one.
gpu::StreamView numbered_stream(std::int64_t number) {
    if (number == 0)
        throw py::value_error(
            "stream 0 is not allowed: 1 is the legacy default stream, 2 the per-thread one");
    if (number == 1) return gpu::StreamView::legacy();
    if (number == 2) return gpu::StreamView::per_thread();
    return gpu::StreamView{reinterpret_cast<CUstream>(number)};
}

py::object to_dlpack(const py::object& object, const py::object& stream,
                     const py::object& max_version) {
    const gpu::Array& array = array_of(object);
    gpu::Context::ensure_current();
    (void)array.address(); // mapped before others are put behind it
    if (!stream.is_none() && stream.cast<std::int64_t>() != -1)
        gpu::put_in_order(gpu::StreamView::legacy(), numbered_stream(stream.cast<std::int64_t>()));
    const bool versioned = !max_version.is_none() && py::tuple(max_version)[0].cast<int>() >= 1;
    if (!versioned) {
        if (!array.writable())
            refuse("a read-only array needs DLPack 1.0 or later: pass max_version");
        return capsule_of<dlpack::Managed, kOld>(array, std::make_unique<dlpack::Managed>());
    }
    auto managed = std::make_unique<dlpack::ManagedVersioned>();
    managed->version = {1, 1};
    managed->flags = array.writable() ? 0 : dlpack::kReadOnly;
    return capsule_of<dlpack::ManagedVersioned, kVersioned>(array, std::move(managed));
}

// --- In

DType dtype_of(const dlpack::DataType& type) {
    char letter = 0;
    switch (type.code) {
    case dlpack::signed_integer: letter = 'i'; break;
    case dlpack::unsigned_integer: letter = 'u'; break;
    case dlpack::floating: letter = 'f'; break;
    case dlpack::complex: letter = 'c'; break;
    case dlpack::boolean: letter = 'b'; break;
    default: break;
    }
    const std::string text =
        fmt::format("{}{}{}", type.bits == 8 ? '|' : '<', letter ? letter : '?', type.bits / 8);
    const std::optional<DType> found = dtype_from_typestr(text);
    if (!found || type.lanes != 1 || type.bits % 8 != 0)
        refuse(fmt::format("no element type for DLPack's code {}, {} bits, {} lanes", type.code,
                           type.bits, type.lanes));
    return *found;
}

gpu::Array array_over(const dlpack::Tensor& tensor, std::shared_ptr<const void> owner,
                      bool writable) {
    if (tensor.device.type != dlpack::cuda && tensor.device.type != dlpack::cuda_managed)
        refuse(fmt::format("the array is not on a CUDA device (DLPack's device type {}); to_gpu() "
                           "copies host arrays",
                           tensor.device.type));
    const DType dtype = dtype_of(tensor.dtype);
    const gpu::Extents shape{
        std::span<const std::int64_t>{tensor.shape, static_cast<std::size_t>(tensor.ndim)}};
    gpu::Layout layout = gpu::compact(shape, item_bytes(dtype));
    if (tensor.strides)
        for (std::size_t k = 0; k < shape.size(); ++k)
            layout.strides[k] = tensor.strides[k] * static_cast<std::int64_t>(item_bytes(dtype));
    const gpu::Context context = gpu::Context::ensure_current();
    const int here = context.device().get();
    if (tensor.device.type == dlpack::cuda && tensor.device.id != here)
        refuse(fmt::format("the array is on device {}, the current context on device {}",
                           tensor.device.id, here));
    return gpu::Array::over(reinterpret_cast<CUdeviceptr>(tensor.data) + tensor.byte_offset, dtype,
                            layout, std::move(owner), context, writable);
}

/// Takes what a capsule holds. It is ended with the lock: its deleter may be Python's.
template <class T>
gpu::Array take(py::handle capsule, const char* name, const char* used, bool writable) {
    auto* const managed = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!managed) throw py::error_already_set();
    std::shared_ptr<const void> owner{managed, [](T* of) {
                                          if (!of->deleter || !Py_IsInitialized()) return;
                                          const PyGILState_STATE state = PyGILState_Ensure();
                                          of->deleter(of);
                                          PyGILState_Release(state);
                                      }};
    if (PyCapsule_SetName(capsule.ptr(), used) != 0) throw py::error_already_set();
    return array_over(managed->tensor, std::move(owner), writable);
}

py::object from_capsule(const py::object& capsule) {
    if (PyCapsule_IsValid(capsule.ptr(), kVersioned)) {
        const auto* managed = static_cast<const dlpack::ManagedVersioned*>(
            PyCapsule_GetPointer(capsule.ptr(), kVersioned));
        if (managed->version.major != 1)
            refuse(fmt::format("DLPack {} is not known", managed->version.major));
        const bool writable = !(managed->flags & dlpack::kReadOnly);
        return wrap_array(
            take<dlpack::ManagedVersioned>(capsule, kVersioned, kUsedVersioned, writable));
    }
    if (!PyCapsule_IsValid(capsule.ptr(), kOld))
        throw py::value_error("not a capsule of DLPack, or one that was taken");
    return wrap_array(take<dlpack::Managed>(capsule, kOld, kUsedOld, true));
}

/// An array over memory that `owner` has, as its __cuda_array_interface__ says.
py::object over_memory(CUdeviceptr address, const py::object& dtype, const py::object& shape,
                       const py::object& strides, const py::object& owner, bool read_only) {
    const py::object wanted = to_dtype(dtype);
    const gpu::ElementType type = element_type(wanted);
    gpu::Layout layout = gpu::compact(to_extents(shape, "shape"), type.bytes);
    if (!strides.is_none()) layout.strides = to_extents(strides, "strides");
    if (layout.strides.size() != layout.shape.size())
        throw py::value_error("strides do not fit the shape");
    gpu::Array made = gpu::Array::over(address, gpu::ElementType{DType::uint8}, layout, keep(owner),
                                       gpu::Context::ensure_current(), !read_only);
    const py::object whole = wrap_array(made.view(DType::uint8, layout));
    return wrap_view(made.view(type, layout), whole, wanted);
}

} // namespace

void bind_array_exchange(py::module_& m) {
    m.def("to_dlpack", &to_dlpack, py::arg("array"), py::arg("stream"), py::arg("max_version"));
    m.def("from_dlpack_capsule", &from_capsule, py::arg("capsule"));
    m.def(
        "wait_for_stream",
        [](std::int64_t number) {
            gpu::put_in_order(numbered_stream(number), gpu::StreamView::legacy());
        },
        py::arg("number"),
        "The default stream's work from now on comes after that of another stream so far.");
    m.def(
        "array_device", [](const py::object& array) { return device_of(array_of(array)); },
        py::arg("array"));
    m.def("array_over", &over_memory, py::arg("address"), py::arg("dtype"), py::arg("shape"),
          py::arg("strides"), py::arg("owner"), py::arg("read_only"));
}

} // namespace lathe::bind
