// SPDX-License-Identifier: MIT
// OpenGL's buffers and textures in CUDA, as PyCUDA's gl module has them.
#include "engine/interop/interop_mode.h"
#include "gpu/driver/check.h"
#include "gpu/graphics_context.h"
#include "gpu/graphics_resource.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/cuda_array.h"
#include "python/bind/cuda/stream.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

[[noreturn]] void refuse(const char* routine, CUresult code, std::string_view why) {
    throw gpu::Error{routine, code, why};
}

void require_gl(const char* routine) {
    if (!gpu::current_gl_renderer())
        refuse(routine, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, gpu::gl_sharing_problem());
}

/// A registered buffer or texture.
class Registered {
public:
    Registered(gpu::GraphicsResource resource, unsigned gl_name)
        : resource_{std::move(resource)}, gl_name_{gl_name} {}
    virtual ~Registered() = default;
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

    unsigned gl_name() const { return gl_name_; }
    CUgraphicsResource get() const {
        if (!resource_)
            refuse("cuGraphicsMapResources", CUDA_ERROR_INVALID_HANDLE,
                   fmt::format("GL object {} was unregistered", gl_name_));
        return resource_.get();
    }
    void unregister() {
        constexpr const char* kRoutine = "cuGraphicsUnregisterResource";
        if (!resource_)
            refuse(kRoutine, CUDA_ERROR_INVALID_HANDLE,
                   fmt::format("GL object {} was unregistered before", gl_name_));
        if (mapped_)
            refuse(kRoutine, CUDA_ERROR_ALREADY_MAPPED,
                   fmt::format("GL object {} is mapped: unmap it first", gl_name_));
        require_gl(kRoutine);
        resource_ = {};
    }

private:
    friend class Mapped;
    gpu::GraphicsResource resource_;
    unsigned gl_name_;
    bool mapped_ = false;
};

class RegisteredBuffer : public Registered {
    using Registered::Registered;
};
class RegisteredImage : public Registered {
    using Registered::Registered;
};

using RegisteredPointer = std::shared_ptr<Registered>;

/// Objects that were mapped in one call, and are unmapped in one.
class Mapped {
public:
    Mapped(std::vector<RegisteredPointer> objects, gpu::StreamView stream)
        : objects_{std::move(objects)} {
        std::vector<CUgraphicsResource> resources;
        for (const auto& object : objects_) {
            resources.push_back(object->get());
            if (object->mapped_)
                refuse("cuGraphicsMapResources", CUDA_ERROR_ALREADY_MAPPED,
                       fmt::format("GL object {} is mapped", object->gl_name()));
        }
        require_gl("cuGraphicsMapResources");
        const UncountedCopies uncounted;
        mapping_ = gpu::GraphicsMapping{resources, stream};
        for (const auto& object : objects_) object->mapped_ = true;
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped() {
        forget();
        const UncountedCopies uncounted;
        mapping_ = {};
    }

    bool is_mapped() const { return static_cast<bool>(mapping_); }
    std::size_t size() const { return objects_.size(); }
    void unmap(const PyStream* stream) {
        require();
        require_gl("cuGraphicsUnmapResources");
        forget();
        const UncountedCopies uncounted;
        mapping_.unmap(stream ? stream->view() : mapping_.stream());
    }
    gpu::GraphicsMapping& require() {
        if (!mapping_) refuse("RegisteredMapping", CUDA_ERROR_NOT_MAPPED, "it was unmapped");
        return mapping_;
    }

private:
    void forget() {
        for (const auto& object : objects_) object->mapped_ = false;
    }
    std::vector<RegisteredPointer> objects_; // registered for as long as they are mapped
    gpu::GraphicsMapping mapping_;
};

/// One object of a mapping.
struct MappedObject {
    std::shared_ptr<Mapped> all;
    std::size_t index = 0;
};

CUgraphicsRegisterFlags flags_from(unsigned flags) {
    if (flags > 15)
        throw py::value_error(fmt::format("flags must be of graphics_map_flags, got {}", flags));
    return static_cast<CUgraphicsRegisterFlags>(flags);
}

std::shared_ptr<Mapped> map(std::vector<RegisteredPointer> objects, const PyStream* stream) {
    py::gil_scoped_release release;
    return std::make_shared<Mapped>(std::move(objects), stream_of(stream));
}

void bind_objects(py::module_& m) {
    py::class_<Registered, RegisteredPointer>(m, "RegisteredObject",
                                              "A buffer or texture of OpenGL that CUDA knows.")
        .def("gl_handle", &Registered::gl_name, "OpenGL's name of it.")
        .def("unregister", &Registered::unregister, py::call_guard<py::gil_scoped_release>(),
             "CUDA forgets it. Its GL context must be current. Raises LogicError while it is "
             "mapped,\n"
             "and the second time.")
        .def(
            "map",
            [](const RegisteredPointer& object, const PyStream* stream) {
                return with_stream(MappedObject{map({object}, stream), 0}, stream);
            },
            py::arg("stream") = py::none(),
            "Hands it to CUDA until the RegisteredMapping is unmapped: work on `stream` comes "
            "after GL's\n"
            "work so far. Its GL context must be current.");
    py::class_<RegisteredBuffer, Registered, std::shared_ptr<RegisteredBuffer>>(
        m, "RegisteredBuffer", "A buffer of OpenGL, with storage, in CUDA.")
        .def(py::init([](unsigned bufobj, unsigned flags) {
                 const auto checked = flags_from(flags);
                 return std::make_shared<RegisteredBuffer>(
                     gpu::GraphicsResource::buffer(bufobj, checked), bufobj);
             }),
             py::arg("bufobj"), py::arg("flags") = 0,
             "`flags` are graphics_map_flags. Raises LogicError, saying what is missing, where no\n"
             "OpenGL context of the CUDA device is current.");
    py::class_<RegisteredImage, Registered, std::shared_ptr<RegisteredImage>>(
        m, "RegisteredImage", "A texture or renderbuffer of OpenGL in CUDA.")
        .def(
            py::init([](unsigned bufobj, unsigned target, unsigned flags) {
                const auto checked = flags_from(flags);
                return std::make_shared<RegisteredImage>(
                    gpu::GraphicsResource::image(bufobj, target, checked), bufobj);
            }),
            py::arg("bufobj"), py::arg("target"), py::arg("flags") = 0,
            "`target` is the texture's, as GL_TEXTURE_2D; kernels write only to what has the flag\n"
            "SURFACE_LDST.");
}

void bind_mappings(py::module_& m) {
    const auto enter = [](const py::object& self) { return self; };
    py::class_<MappedObject>(m, "RegisteredMapping",
                             "An OpenGL object in CUDA's hands; a context manager that unmaps.")
        .def(
            "unmap", [](const MappedObject& o, const PyStream* stream) { o.all->unmap(stream); },
            py::arg("stream") = py::none(), py::call_guard<py::gil_scoped_release>(),
            "Hands it back, with all that were mapped in the same call: GL's work from now on "
            "comes\n"
            "after that of the stream, the one it was mapped on unless given. Raises LogicError "
            "the\n"
            "second time.")
        .def(
            "device_ptr_and_size",
            [](const MappedObject& o) {
                const auto bytes = o.all->require().bytes(o.index);
                return std::pair{bytes.address(), bytes.size()};
            },
            "(address, bytes) of a buffer, until the unmap.")
        .def(
            "array",
            [](const MappedObject& o, unsigned index, unsigned level) {
                return std::make_shared<PyCudaArray>(o.all->require().array(o.index, index, level),
                                                     [all = o.all] { (void)all->require(); });
            },
            py::arg("index") = 0, py::arg("level") = 0,
            "A texture's layer or face `index` at a mipmap level: an Array until the unmap.")
        .def("__enter__", enter)
        .def("__exit__", [](const MappedObject& o, const py::args&) {
            if (o.all->is_mapped()) o.all->unmap(nullptr);
        });
    py::class_<Mapped, std::shared_ptr<Mapped>>(
        m, "MappingGroup",
        "Several OpenGL objects, mapped in one call; a sequence of RegisteredMapping.")
        .def("unmap", &Mapped::unmap, py::arg("stream") = py::none(),
             py::call_guard<py::gil_scoped_release>(), "Hands all of them back.")
        .def("__len__", &Mapped::size)
        .def(
            "__getitem__",
            [](const std::shared_ptr<Mapped>& all, std::size_t index) {
                if (index >= all->size())
                    throw py::index_error(fmt::format("{} of {}", index, all->size()));
                return MappedObject{all, index};
            },
            py::arg("index"))
        .def("__enter__", enter)
        .def("__exit__", [](Mapped& all, const py::args&) {
            if (all.is_mapped()) all.unmap(nullptr);
        });
    m.def(
        "map_gl_objects",
        [](std::vector<RegisteredPointer> objects, const PyStream* stream) {
            return with_stream(map(std::move(objects), stream), stream);
        },
        py::arg("objects"), py::arg("stream") = py::none(), "Maps all in one driver call.");
    m.def("gl_renderer", &gpu::current_gl_renderer,
          "What the thread's OpenGL context draws with; None without one.");
    m.def("gl_sharing_problem", &gpu::gl_sharing_problem,
          "Why OpenGL and CUDA cannot share memory here; empty where they can.");
}

} // namespace

void bind_graphics(py::module_& m) {
    bind_objects(m);
    bind_mappings(m);
}

} // namespace lathe::bind
