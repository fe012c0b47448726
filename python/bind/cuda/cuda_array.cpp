// SPDX-License-Identifier: MIT
// CUDA arrays, as PyCUDA's driver module has them, mipmapped ones, and copies of their parts.
#include "python/bind/cuda/cuda_array.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/host_buffer.h"
#include "python/bind/cuda/pointer.h"

#include <fmt/format.h>

namespace lathe::bind {

namespace {

constexpr unsigned kKnownFlags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                                 CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;

template <class T> T number(const py::object& descriptor, const char* name) {
    const py::object value = descriptor.attr(name);
    try {
        return py::int_(value).cast<T>();
    } catch (const py::builtin_exception&) {
    } catch (const py::error_already_set&) {}
    throw py::type_error(fmt::format("a descriptor's {} must be an int of 0 or more, got {}", name,
                                     py::repr(value).cast<std::string>()));
}

py::object descriptor_of(const gpu::CudaArrayConfig& c, const char* type, bool is_3d) {
    const py::object d = py::module_::import("lathe.cuda.array_descriptors").attr(type)();
    d.attr("width") = c.width;
    d.attr("height") = c.height;
    d.attr("format") = py::module_::import("lathe.cuda.constants")
                           .attr("array_format")(static_cast<int>(c.format));
    d.attr("num_channels") = c.channels;
    if (!is_3d) return d;
    d.attr("depth") = c.depth;
    d.attr("flags") = (c.layered ? CUDA_ARRAY3D_LAYERED : 0u) |
                      (c.surface_load_store ? CUDA_ARRAY3D_SURFACE_LDST : 0u) |
                      (c.cubemap ? CUDA_ARRAY3D_CUBEMAP : 0u) |
                      (c.texture_gather ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u);
    return d;
}

py::object descriptor_2d(const gpu::CudaArrayConfig& c) {
    return descriptor_of(c, "ArrayDescriptor", false);
}
py::object descriptor_3d(const gpu::CudaArrayConfig& c) {
    return descriptor_of(c, "ArrayDescriptor3D", true);
}

std::string words_of(const gpu::CudaArrayConfig& c) {
    return fmt::format("{} x {} x {}, {} channels of {}", c.width, c.height, c.depth, c.channels,
                       py::str(descriptor_2d(c).attr("format")).cast<std::string>());
}

void bind_arrays(py::module_& m) {
    py::class_<PyCudaArray, CudaArrayPointer>(
        m, "CudaArray", "Memory that textures and surfaces read, freed with this object.")
        .def(py::init([](const py::object& descriptor) {
                 const auto config = config_from(descriptor);
                 return std::make_shared<PyCudaArray>(
                     retry_after_collecting([&] { return gpu::CudaArray{config}; }));
             }),
             py::arg("descriptor"),
             "From an ArrayDescriptor or ArrayDescriptor3D. Contents are undefined at first. "
             "Raises\n"
             "LogicError for sizes and formats that the device refuses. (cuArray3DCreate)")
        .def("free", &PyCudaArray::free, py::call_guard<py::gil_scoped_release>(),
             "Frees it now. Raises LogicError the second time.")
        .def(
            "get_descriptor", [](PyCudaArray& a) { return descriptor_2d(a.get().config()); },
            "Its ArrayDescriptor.")
        .def(
            "get_descriptor_3d", [](PyCudaArray& a) { return descriptor_3d(a.get().config()); },
            "Its ArrayDescriptor3D.")
        .def_property_readonly(
            "handle",
            [](PyCudaArray& a) { return reinterpret_cast<std::uintptr_t>(a.get().get()); },
            "The CUarray as an int.")
        .def("__repr__",
             [](const PyCudaArray& a) { return fmt::format("<Array {}>", words_of(a.config())); });

    py::class_<PyMipmappedArray, MipmappedArrayPointer>(
        m, "MipmappedArray",
        "An Array in levels, each half the size of the one before, freed with this object.")
        .def(py::init([](const py::object& descriptor, unsigned num_levels) {
                 return std::make_shared<PyMipmappedArray>(config_from(descriptor), num_levels);
             }),
             py::arg("descriptor"), py::arg("num_levels") = 0,
             "`descriptor` is that of level 0; 0 levels are as many as there are.\n"
             "(cuMipmappedArrayCreate)")
        .def(
            "level",
            [](const MipmappedArrayPointer& a, unsigned index) {
                return std::make_shared<PyCudaArray>(a->get().level(index), [a] { a->get(); });
            },
            py::arg("index"), "The Array of one level. Raises LogicError where there is none.")
        .def_property_readonly("num_levels",
                               [](const PyMipmappedArray& a) { return a.get().levels(); })
        .def("free", &PyMipmappedArray::free, py::call_guard<py::gil_scoped_release>(),
             "Frees it and its levels now. Raises LogicError the second time.")
        .def(
            "get_descriptor_3d",
            [](const PyMipmappedArray& a) { return descriptor_3d(a.get().config()); },
            "The ArrayDescriptor3D of level 0.")
        .def_property_readonly(
            "handle",
            [](const PyMipmappedArray& a) {
                return reinterpret_cast<std::uintptr_t>(a.get().get());
            },
            "The CUmipmappedArray as an int.");
}

void bind_part_copies(py::module_& m) {
    m.def(
        "memcpy_htoa",
        [](PyCudaArray& ary, std::size_t index, const py::object& src) {
            const HostBuffer from{src, false};
            py::gil_scoped_release release;
            ary.get().copy_part_from_host(index, from.data(), from.bytes());
        },
        py::arg("ary"), py::arg("index"), py::arg("src"),
        "A contiguous host buffer to byte `index` of an array of one row. Blocks until done.");
    m.def(
        "memcpy_atoh",
        [](const py::object& dest, PyCudaArray& ary, std::size_t index) {
            const HostBuffer to{dest, true};
            py::gil_scoped_release release;
            ary.get().copy_part_to_host(index, to.data(), to.bytes());
        },
        py::arg("dest"), py::arg("ary"), py::arg("index"),
        "Fills a writable contiguous host buffer from byte `index` of an array of one row.");
    m.def(
        "memcpy_dtoa",
        [](PyCudaArray& ary, std::size_t index, const py::object& src, std::size_t len) {
            const DevicePointer from = device_pointer(src, "memcpy_dtoa", "src");
            check_room(from, len, "cuMemcpyDtoA");
            py::gil_scoped_release release;
            ary.get().copy_part_from_device(index, from.address, len);
        },
        py::arg("ary"), py::arg("index"), py::arg("src"), py::arg("len"),
        "`len` bytes of device memory to byte `index` of an array of one row.");
    m.def(
        "memcpy_atod",
        [](const py::object& dest, PyCudaArray& ary, std::size_t index, std::size_t len) {
            const DevicePointer to = device_pointer(dest, "memcpy_atod", "dest");
            check_room(to, len, "cuMemcpyAtoD");
            py::gil_scoped_release release;
            ary.get().copy_part_to_device(index, to.address, len);
        },
        py::arg("dest"), py::arg("ary"), py::arg("index"), py::arg("len"));
    m.def(
        "memcpy_atoa",
        [](PyCudaArray& dest, std::size_t dest_index, PyCudaArray& src, std::size_t src_index,
           std::size_t len) {
            py::gil_scoped_release release;
            dest.get().copy_part_from(dest_index, src.get(), src_index, len);
        },
        py::arg("dest"), py::arg("dest_index"), py::arg("src"), py::arg("src_index"),
        py::arg("len"), "`len` bytes between arrays of one row.");
}

} // namespace

const gpu::MipmappedArray& PyMipmappedArray::get() const {
    if (!array_) refuse_freed("MipmappedArray");
    return array_;
}

void PyMipmappedArray::free() {
    get();
    array_ = {};
}

gpu::CudaArray& PyCudaArray::get() {
    if (!array_) refuse_freed("Array");
    if (require_) require_();
    return array_;
}

void PyCudaArray::free() {
    if (!get().owned())
        throw gpu::Error{
            "Array.free", CUDA_ERROR_INVALID_HANDLE,
            "its memory belongs to what it was taken from, such as a MipmappedArray or a "
            "texture of OpenGL"};
    array_ = {};
}

gpu::CudaArrayConfig config_from(const py::object& descriptor) {
    if (!py::hasattr(descriptor, "width") || !py::hasattr(descriptor, "num_channels"))
        throw py::type_error(
            fmt::format("descriptor must be an ArrayDescriptor or ArrayDescriptor3D, got {}",
                        Py_TYPE(descriptor.ptr())->tp_name));
    const bool is_3d = py::hasattr(descriptor, "depth");
    const auto flags = is_3d ? number<unsigned>(descriptor, "flags") : 0u;
    if (flags & ~kKnownFlags)
        throw py::value_error(
            fmt::format("a descriptor's flags must be of array3d_flags, got {:#x}", flags));
    gpu::CudaArrayConfig c;
    c.width = number<std::size_t>(descriptor, "width");
    c.height = number<std::size_t>(descriptor, "height");
    c.depth = is_3d ? number<std::size_t>(descriptor, "depth") : 0;
    c.format = static_cast<CUarray_format>(number<unsigned>(descriptor, "format"));
    c.channels = number<unsigned>(descriptor, "num_channels");
    c.surface_load_store = (flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
    c.layered = (flags & CUDA_ARRAY3D_LAYERED) != 0;
    c.cubemap = (flags & CUDA_ARRAY3D_CUBEMAP) != 0;
    c.texture_gather = (flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
    if (gpu::format_bytes(c.format) == 0)
        throw py::value_error(fmt::format("a descriptor's format must be of array_format, got {}",
                                          static_cast<unsigned>(c.format)));
    return c;
}

void bind_cuda_array(py::module_& m) {
    bind_arrays(m);
    bind_part_copies(m);
}

} // namespace lathe::bind
