// SPDX-License-Identifier: MIT
// Texture and surface references, as PyCUDA's driver module has them.
#include "python/bind/cuda/texture_reference.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/cuda/texture_object.h"

#include <fmt/format.h>

namespace lathe::bind {

namespace {

constexpr unsigned kKnownFlags =
    CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB;

/// Keeps a Python object, and lets it go with the GIL.
std::shared_ptr<const void> kept(py::object object) {
    auto* reference = object.release().ptr();
    return {reference, [](const void* p) {
                if (Py_IsInitialized() == 0) return;
                const py::gil_scoped_acquire acquire;
                Py_DECREF(static_cast<PyObject*>(const_cast<void*>(p)));
            }};
}

std::shared_ptr<const gpu::CudaArray> shared(const CudaArrayPointer& array) {
    return {array, &array->get()};
}

std::size_t axis_from(int dim) {
    if (dim < 0 || dim > 2)
        throw gpu::Error{"cuTexRefSetAddressMode", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("dim must be 0, 1 or 2, got {}", dim)};
    return static_cast<std::size_t>(dim);
}

py::object constant(const char* type, int value) {
    return py::module_::import("lathe.cuda.constants").attr(type)(value);
}

unsigned flags_of(const gpu::TextureConfig& c) {
    return (c.read_as_integer ? CU_TRSF_READ_AS_INTEGER : 0u) |
           (c.normalized_coordinates ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
           (c.srgb ? CU_TRSF_SRGB : 0u);
}

void set_flags(const PyTextureReference& r, unsigned flags) {
    if (flags & ~kKnownFlags)
        throw gpu::Error{"cuTexRefSetFlags", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("flags are {:#x}", flags)};
    gpu::TextureConfig c = r.get().config();
    c.read_as_integer = (flags & CU_TRSF_READ_AS_INTEGER) != 0;
    c.normalized_coordinates = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    c.srgb = (flags & CU_TRSF_SRGB) != 0;
    r.get().set_config(c);
}

void set_filter_mode(const PyTextureReference& r, int mode) {
    if (mode != CU_TR_FILTER_MODE_POINT && mode != CU_TR_FILTER_MODE_LINEAR)
        throw gpu::Error{"cuTexRefSetFilterMode", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("filter_mode {}", mode)};
    gpu::TextureConfig c = r.get().config();
    c.filter = static_cast<CUfilter_mode>(mode);
    r.get().set_config(c);
}

void set_address_mode(const PyTextureReference& r, int dim, int mode) {
    const std::size_t axis = axis_from(dim);
    if (mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER)
        throw gpu::Error{"cuTexRefSetAddressMode", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("address_mode {}", mode)};
    gpu::TextureConfig c = r.get().config();
    c.address_mode[axis] = static_cast<CUaddress_mode>(mode);
    r.get().set_config(c);
}

void set_format(const PyTextureReference& r, int format, unsigned num_components) {
    if (num_components != 1 && num_components != 2 && num_components != 4)
        throw gpu::Error{"cuTexRefSetFormat", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("1, 2 or 4 components, got {}", num_components)};
    r.get().set_format(format_from(format, "set_format"), num_components);
}

CudaArrayPointer array_or_throw(CudaArrayPointer array, const char* routine) {
    if (!array) throw gpu::Error{routine, CUDA_ERROR_INVALID_VALUE, "no array is bound"};
    return array;
}

} // namespace

void PyTextureReference::set_array(CudaArrayPointer array) {
    array->get().require_alive("cuTexRefSetArray");
    reference_->set_array(shared(array));
    array_ = std::move(array);
}

std::size_t PyTextureReference::set_address(const py::object& pointer, std::size_t bytes,
                                            bool allow_offset) {
    const DevicePointer at = device_pointer(pointer, "TextureReference.set_address", "devptr");
    check_room(at, bytes, "cuTexRefSetAddress");
    const auto alignment = static_cast<std::size_t>(
        gpu::Context::ensure_current().device().attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    const std::size_t offset = at.address % alignment;
    if (offset != 0 && !allow_offset)
        throw gpu::Error{"cuTexRefSetAddress", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("the address is {} bytes after a multiple of {}, and "
                                     "allow_offset is False",
                                     offset, alignment)};
    reference_->set_linear({.address = at.address - offset,
                            .width = bytes + offset,
                            .format = CU_AD_FORMAT_UNSIGNED_INT8},
                           kept(pointer));
    array_.reset();
    return offset;
}

void PyTextureReference::set_address_2d(const py::object& pointer, const py::object& descriptor,
                                        std::size_t pitch) {
    const DevicePointer at = device_pointer(pointer, "TextureReference.set_address_2d", "devptr");
    const gpu::CudaArrayConfig c = config_from(descriptor);
    const std::size_t row = c.width * gpu::format_bytes(c.format) * c.channels;
    if (c.height == 0 || row == 0 || pitch < row)
        throw gpu::Error{
            "cuTexRefSetAddress2D", CUDA_ERROR_INVALID_VALUE,
            fmt::format("{} rows of {} bytes with a pitch of {}", c.height, row, pitch)};
    check_room(at, (c.height - 1) * pitch + row, "cuTexRefSetAddress2D");
    reference_->set_linear({.address = at.address,
                            .width = c.width,
                            .height = c.height,
                            .pitch_bytes = pitch,
                            .format = c.format,
                            .channels = c.channels},
                           kept(pointer));
    array_.reset();
}

void PySurfaceReference::set_array(CudaArrayPointer array, unsigned flags) {
    if (flags != 0)
        throw gpu::Error{"cuSurfRefSetArray", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("flags must be 0, got {}", flags)};
    array->get().require_alive("cuSurfRefSetArray");
    if (!array->config().surface_load_store)
        throw gpu::Error{"cuSurfRefSetArray", CUDA_ERROR_INVALID_VALUE,
                         "the array was made without array3d_flags.SURFACE_LDST"};
    reference_->set_array(shared(array));
    array_ = std::move(array);
}

void check_texrefs(const py::object& texrefs) {
    for (const py::handle each : texrefs)
        if (!py::isinstance<PyTextureReference>(each))
            throw py::type_error(fmt::format("texrefs must be TextureReferences, got {}",
                                             Py_TYPE(each.ptr())->tp_name));
}

void bind_texture_reference(py::module_& m) {
    using Reference = PyTextureReference;
    py::class_<Reference, std::shared_ptr<Reference>>(
        m, "TextureReference",
        "What a kernel reads as tex1D(name, x) and the like; from Module.get_texref(name). What "
        "is\n"
        "set counts from the next launch on. One made without a module is seen by no kernel.")
        .def(py::init([] {
            return std::make_shared<Reference>(std::make_shared<gpu::TextureReference>(""));
        }))
        .def("set_array", &Reference::set_array, py::arg("array").none(false),
             "Binds an Array, whose format is taken; kept alive.")
        .def("set_address", &Reference::set_address, py::arg("devptr"), py::arg("bytes"),
             py::arg("allow_offset") = false,
             "Binds device memory, for tex1Dfetch; kept alive where it is an object. Returns the\n"
             "offset in bytes that the kernel must add; raises LogicError where there is one "
             "without\n"
             "`allow_offset`.")
        .def("set_address_2d", &Reference::set_address_2d, py::arg("devptr"), py::arg("descr"),
             py::arg("pitch"), "Binds rows of device memory, `pitch` bytes from row to row.")
        .def("set_format", &set_format, py::arg("fmt"), py::arg("num_components"),
             "The array_format and channels of device memory.")
        .def("set_format", &set_format, py::arg("format"), py::arg("num_components"))
        .def("set_address_mode", &set_address_mode, py::arg("dim"), py::arg("am"),
             "The address_mode of an axis; CLAMP without TRSF_NORMALIZED_COORDINATES, but for "
             "BORDER.")
        .def("set_filter_mode", &set_filter_mode, py::arg("fm"), "The filter_mode.")
        .def("set_flags", &set_flags, py::arg("flags"),
             "TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES or both. The read mode that the\n"
             "source declares wins over TRSF_READ_AS_INTEGER.")
        .def(
            "get_array",
            [](const Reference& r) { return array_or_throw(r.array(), "cuTexRefGetArray"); },
            "The Array that is bound. Raises LogicError where none is.")
        .def(
            "get_address",
            [](const Reference& r) {
                if (r.get().address() == 0)
                    throw gpu::Error{"cuTexRefGetAddress", CUDA_ERROR_INVALID_VALUE,
                                     "no device memory is bound"};
                return r.get().address();
            },
            "Of the device memory that is bound. Raises LogicError where none is.")
        .def(
            "get_address_mode",
            [](const Reference& r, int dim) {
                return constant("address_mode", r.get().config().address_mode[axis_from(dim)]);
            },
            py::arg("dim"))
        .def("get_filter_mode",
             [](const Reference& r) { return constant("filter_mode", r.get().config().filter); })
        .def(
            "get_format",
            [](const Reference& r) {
                return py::make_tuple(constant("array_format", r.get().format()),
                                      r.get().channels());
            },
            "(array_format, channels).")
        .def("get_flags", [](const Reference& r) { return flags_of(r.get().config()); });

    py::class_<PySurfaceReference, std::shared_ptr<PySurfaceReference>>(
        m, "SurfaceReference",
        "What a kernel reads and writes as surf2Dread and the like; from Module.get_surfref(name).")
        .def(py::init([] {
            return std::make_shared<PySurfaceReference>(
                std::make_shared<gpu::SurfaceReference>(""));
        }))
        .def("set_array", &PySurfaceReference::set_array, py::arg("array").none(false),
             py::arg("flags") = 0,
             "Binds an Array made with array3d_flags.SURFACE_LDST; kept alive.")
        .def(
            "get_array",
            [](const PySurfaceReference& r) {
                return array_or_throw(r.array(), "cuSurfRefGetArray");
            },
            "The Array that is bound. Raises LogicError where none is.");
}

} // namespace lathe::bind
