// SPDX-License-Identifier: MIT
// Texture and surface objects as Python holds them, with the memory that they show.
#pragma once

#include "gpu/texture.h"
#include "python/bind/cuda/cuda_array.h"

#include <pybind11/pybind11.h>

#include <cstdint>

namespace lathe::bind {

namespace py = pybind11;

/// Either kind; an int to kernels. Destroyed when the context's work is done.
class PyBoundObject {
public:
    PyBoundObject(gpu::TextureObject texture, py::object memory);
    PyBoundObject(gpu::SurfaceObject surface, py::object memory);
    PyBoundObject(const PyBoundObject&) = delete;
    PyBoundObject& operator=(const PyBoundObject&) = delete;
    ~PyBoundObject();

    /// Throws gpu::Error where it, or the array it shows, was freed.
    std::uint64_t handle() const;
    void free();
    const py::object& memory() const { return memory_; }

private:
    const char* name() const { return is_surface_ ? "SurfaceObject" : "TextureObject"; }
    void release() noexcept;

    gpu::TextureObject texture_;
    gpu::SurfaceObject surface_;
    py::object memory_;
    gpu::Context context_;
    bool is_surface_ = false;
};

// The classes that Python sees.
class PyTextureObject : public PyBoundObject {
public:
    using PyBoundObject::PyBoundObject;
};
class PySurfaceObject : public PyBoundObject {
public:
    using PyBoundObject::PyBoundObject;
};

/// `function` names the caller in messages.
CUarray_format format_from(int format, const char* function);

} // namespace lathe::bind
