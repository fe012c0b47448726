// SPDX-License-Identifier: MIT
// Texture and surface objects, which PyCUDA does not have; names are those of cudaTextureDesc and
// cudaResourceDesc.
#include "python/bind/cuda/texture_object.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/pointer.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace lathe::bind {

PyBoundObject::PyBoundObject(gpu::TextureObject texture, py::object memory)
    : texture_{std::move(texture)}, memory_{std::move(memory)},
      context_{gpu::Context::ensure_current()} {}

PyBoundObject::PyBoundObject(gpu::SurfaceObject surface, py::object memory)
    : surface_{std::move(surface)}, memory_{std::move(memory)},
      context_{gpu::Context::ensure_current()}, is_surface_{true} {}

PyBoundObject::~PyBoundObject() {
    if (!texture_ && !surface_) return;
    const py::gil_scoped_release allow;
    release();
}

// A kernel that runs may still read through it.
void PyBoundObject::release() noexcept {
    if (const gpu::detail::ReleaseScope scope{context_}) gpu::driver().cuCtxSynchronize();
    texture_ = {};
    surface_ = {};
}

std::uint64_t PyBoundObject::handle() const {
    if (!texture_ && !surface_) throw gpu::Error{name(), CUDA_ERROR_INVALID_HANDLE, "it was freed"};
    if (py::isinstance<PyCudaArray>(memory_)) memory_.cast<PyCudaArray&>().get();
    else if (py::isinstance<PyMipmappedArray>(memory_)) memory_.cast<PyMipmappedArray&>().get();
    else if (py::isinstance<DeviceAllocation>(memory_)) memory_.cast<DeviceAllocation&>().address();
    return texture_ ? texture_.get() : surface_.get();
}

void PyBoundObject::free() {
    if (!texture_ && !surface_)
        throw gpu::Error{name(), CUDA_ERROR_INVALID_HANDLE, "it was freed before"};
    {
        const py::gil_scoped_release allow;
        release();
    }
    memory_ = py::none();
}

CUarray_format format_from(int format, const char* function) {
    const auto known = static_cast<CUarray_format>(format);
    if (gpu::format_bytes(known) == 0)
        throw py::value_error(
            fmt::format("{}: format must be of array_format, got {}", function, format));
    return known;
}

namespace {

CUaddress_mode address_mode_from(const py::handle value) {
    int overflow = 0;
    const long number =
        py::isinstance<py::int_>(value) ? PyLong_AsLongAndOverflow(value.ptr(), &overflow) : -1;
    const int mode = overflow || number > CU_TR_ADDRESS_MODE_BORDER ? -1 : static_cast<int>(number);
    if (mode < CU_TR_ADDRESS_MODE_WRAP || mode > CU_TR_ADDRESS_MODE_BORDER)
        throw py::value_error(
            fmt::format("address_mode must be of address_mode, one or up to three, "
                        "got {}",
                        py::repr(value).cast<std::string>()));
    return static_cast<CUaddress_mode>(mode);
}

CUfilter_mode filter_mode_from(int mode, const char* name) {
    if (mode != CU_TR_FILTER_MODE_POINT && mode != CU_TR_FILTER_MODE_LINEAR)
        throw py::value_error(fmt::format("{} must be of filter_mode, got {}", name, mode));
    return static_cast<CUfilter_mode>(mode);
}

bool is_integer(CUarray_format format) {
    return format != CU_AD_FORMAT_FLOAT && format != CU_AD_FORMAT_HALF;
}

/// How a texture is read: keyword arguments of every maker.
struct Sampling {
    py::object address_mode;
    int filter_mode;
    int read_mode;
    bool normalized_coords;
    bool srgb;
    std::array<float, 4> border_color;
    int mipmap_filter_mode;
    float mipmap_level_bias;
    float min_mipmap_level_clamp;
    std::optional<float> max_mipmap_level_clamp;
    unsigned max_anisotropy;
    bool seamless_cubemap;

    gpu::TextureConfig config(CUarray_format format, unsigned levels) const {
        gpu::TextureConfig c;
        if (py::isinstance<py::tuple>(address_mode) || py::isinstance<py::list>(address_mode)) {
            const py::sequence modes = address_mode;
            if (modes.size() < 1 || modes.size() > 3) address_mode_from(address_mode);
            for (std::size_t axis = 0; axis < modes.size(); ++axis)
                c.address_mode[axis] = address_mode_from(py::object(modes[axis]));
        } else {
            c.address_mode.fill(address_mode_from(address_mode));
        }
        if (read_mode != 0 && read_mode != 1)
            throw py::value_error(fmt::format("read_mode must be of read_mode, got {}", read_mode));
        c.filter = filter_mode_from(filter_mode, "filter_mode");
        c.read_as_integer = read_mode == 0 && is_integer(format);
        c.normalized_coordinates = normalized_coords;
        c.srgb = srgb;
        c.border_color = border_color;
        c.mipmap_filter = filter_mode_from(mipmap_filter_mode, "mipmap_filter_mode");
        c.mipmap_level_bias = mipmap_level_bias;
        c.min_mipmap_level = min_mipmap_level_clamp;
        c.max_mipmap_level = max_mipmap_level_clamp.value_or(static_cast<float>(levels - 1));
        c.max_anisotropy = max_anisotropy;
        c.seamless_cubemap = seamless_cubemap;
        return c;
    }
};

using TexturePointer = std::shared_ptr<PyTextureObject>;
using SurfacePointer = std::shared_ptr<PySurfaceObject>;

TexturePointer texture_of(const py::object& resource, const Sampling& sampling) {
    if (py::isinstance<PyCudaArray>(resource)) {
        const gpu::CudaArray& array = resource.cast<PyCudaArray&>().get();
        gpu::Context::ensure_current();
        array.require_current("cuTexObjectCreate");
        return std::make_shared<PyTextureObject>(
            gpu::TextureObject{array, sampling.config(array.config().format, 1)}, resource);
    }
    if (py::isinstance<PyMipmappedArray>(resource)) {
        const gpu::MipmappedArray& array = resource.cast<PyMipmappedArray&>().get();
        array.level(0).require_current("cuTexObjectCreate");
        return std::make_shared<PyTextureObject>(
            gpu::TextureObject{array, sampling.config(array.config().format, array.levels())},
            resource);
    }
    throw py::type_error(fmt::format("a texture's resource must be an Array or a MipmappedArray "
                                     "(TextureObject.linear and .pitch2d take memory), got {}",
                                     Py_TYPE(resource.ptr())->tp_name));
}

TexturePointer linear_texture(const py::object& memory, int format, unsigned num_channels,
                              const std::optional<std::size_t>& size, const Sampling& sampling) {
    const DevicePointer at = device_pointer(memory, "TextureObject.linear", "devptr");
    if (!size && !at.bytes)
        throw py::value_error("TextureObject.linear: size_in_bytes must be given for an address");
    const std::size_t bytes = size ? *size : *at.bytes;
    check_room(at, bytes, "cuTexObjectCreate");
    const CUarray_format known = format_from(format, "TextureObject.linear");
    const std::size_t element = gpu::format_bytes(known) * num_channels;
    if (element == 0 || bytes < element)
        throw py::value_error(fmt::format("TextureObject.linear: {} bytes hold no element of {} "
                                          "channels",
                                          bytes, num_channels));
    return std::make_shared<PyTextureObject>(
        gpu::TextureObject{gpu::LinearTexture{.address = at.address,
                                              .width = bytes / element,
                                              .format = known,
                                              .channels = num_channels},
                           sampling.config(known, 1)},
        memory);
}

TexturePointer pitched_texture(const py::object& memory, const py::object& descriptor,
                               std::size_t pitch, const Sampling& sampling) {
    const DevicePointer at = device_pointer(memory, "TextureObject.pitch2d", "devptr");
    const gpu::CudaArrayConfig c = config_from(descriptor);
    const std::size_t row = c.width * gpu::format_bytes(c.format) * c.channels;
    if (c.height == 0 || row == 0 || pitch < row)
        throw py::value_error(fmt::format("TextureObject.pitch2d: {} rows of {} bytes with a pitch "
                                          "of {}",
                                          c.height, row, pitch));
    check_room(at, (c.height - 1) * pitch + row, "cuTexObjectCreate");
    return std::make_shared<PyTextureObject>(
        gpu::TextureObject{gpu::LinearTexture{.address = at.address,
                                              .width = c.width,
                                              .height = c.height,
                                              .pitch_bytes = pitch,
                                              .format = c.format,
                                              .channels = c.channels},
                           sampling.config(c.format, 1)},
        memory);
}

/// Binds a maker with the keyword arguments of Sampling behind its own.
template <class Make, class... Own> auto with_sampling(Make make) {
    return [make](Own... own, const py::object& address_mode, int filter_mode, int read_mode,
                  bool normalized_coords, bool srgb, const std::array<float, 4>& border_color,
                  int mipmap_filter_mode, float mipmap_level_bias, float min_mipmap_level_clamp,
                  const std::optional<float>& max_mipmap_level_clamp, unsigned max_anisotropy,
                  bool seamless_cubemap) {
        return make(own..., Sampling{address_mode, filter_mode, read_mode, normalized_coords, srgb,
                                     border_color, mipmap_filter_mode, mipmap_level_bias,
                                     min_mipmap_level_clamp, max_mipmap_level_clamp, max_anisotropy,
                                     seamless_cubemap});
    };
}

#define LATHE_SAMPLING                                                                             \
    py::kw_only(), py::arg("address_mode") = int{CU_TR_ADDRESS_MODE_CLAMP},                        \
                   py::arg("filter_mode") = int{CU_TR_FILTER_MODE_POINT},                          \
                   py::arg("read_mode") = 0, py::arg("normalized_coords") = false,                 \
                   py::arg("srgb") = false, py::arg("border_color") = std::array<float, 4>{},      \
                   py::arg("mipmap_filter_mode") = int{CU_TR_FILTER_MODE_POINT},                   \
                   py::arg("mipmap_level_bias") = 0.0F, py::arg("min_mipmap_level_clamp") = 0.0F,  \
                   py::arg("max_mipmap_level_clamp") = py::none(), py::arg("max_anisotropy") = 0,  \
                   py::arg("seamless_cubemap") = false

template <class T, class C> void bind_common(C& c) {
    c.def("free", &T::free,
          "Destroys it now, once the context's work is done. Raises LogicError the second time.")
        .def_property_readonly("handle", &T::handle,
                               "The object as an int: what the kernel's parameter gets.")
        .def_property_readonly(
            "resource", [](const T& t) { return t.memory(); },
            "The memory it shows, kept alive; None once freed.")
        .def("__int__", &T::handle)
        .def("__index__", &T::handle);
}

} // namespace

void bind_texture_object(py::module_& m) {
    py::class_<PyTextureObject, TexturePointer> texture{
        m, "TextureObject",
        "An argument for a kernel's cudaTextureObject_t: memory, and how it is read.\n\n"
        "`address_mode`: one of address_mode, or up to three for x, y, z; WRAP and MIRROR need\n"
        "`normalized_coords`, which run over [0, 1). `filter_mode`: LINEAR interpolates, with\n"
        "weights of 8 bits after the point; it needs floats. `read_mode`: read_mode.ELEMENT_TYPE\n"
        "gives integers as they are, NORMALIZED_FLOAT those of 8 and 16 bits as [0, 1] or [-1, "
        "1].\n"
        "`srgb`: 8-bit colours are decoded to linear. `border_color`: what address_mode.BORDER\n"
        "gives outside. `mipmap_...`, `..._level_clamp` and `max_anisotropy` are for mipmapped\n"
        "arrays. The memory is kept alive. Raises LogicError for what the device refuses, also "
        "for\n"
        "an array of another context."};
    texture
        .def(py::init(with_sampling<decltype(&texture_of), const py::object&>(&texture_of)),
             py::arg("resource"), LATHE_SAMPLING,
             "Of an Array or a MipmappedArray. (cuTexObjectCreate)")
        .def_static(
            "linear",
            with_sampling<decltype(&linear_texture), const py::object&, int, unsigned,
                          const std::optional<std::size_t>&>(&linear_texture),
            py::arg("devptr"), py::arg("format"), py::arg("num_channels") = 1,
            py::arg("size_in_bytes") = py::none(), LATHE_SAMPLING,
            "Of device memory, for tex1Dfetch. The address must be a multiple of the device's\n"
            "texture_alignment.")
        .def_static("pitch2d",
                    with_sampling<decltype(&pitched_texture), const py::object&, const py::object&,
                                  std::size_t>(&pitched_texture),
                    py::arg("devptr"), py::arg("descriptor"), py::arg("pitch"), LATHE_SAMPLING,
                    "Of rows in device memory, `pitch` bytes from row to row: a multiple of the\n"
                    "device's texture_pitch_alignment, such as mem_alloc_pitch gives.");
    bind_common<PyTextureObject>(texture);

    py::class_<PySurfaceObject, SurfacePointer> surface{
        m, "SurfaceObject",
        "An argument for a kernel's cudaSurfaceObject_t: an Array that it reads and writes."};
    surface.def(
        py::init([](const py::object& array) {
            if (!py::isinstance<PyCudaArray>(array))
                throw py::type_error(fmt::format("SurfaceObject: array must be an Array, got {}",
                                                 py::repr(array).cast<std::string>()));
            const gpu::CudaArray& shown = array.cast<PyCudaArray&>().get();
            gpu::Context::ensure_current();
            shown.require_current("cuSurfObjectCreate");
            if (!shown.config().surface_load_store)
                throw gpu::Error{"cuSurfObjectCreate", CUDA_ERROR_INVALID_VALUE,
                                 "the array was made without array3d_flags.SURFACE_LDST"};
            return std::make_shared<PySurfaceObject>(gpu::SurfaceObject{shown}, array);
        }),
        py::arg("array"),
        "The array is kept alive, and must have been made with array3d_flags.SURFACE_LDST.\n"
        "(cuSurfObjectCreate)");
    bind_common<PySurfaceObject>(surface);
}

#undef LATHE_SAMPLING

} // namespace lathe::bind
