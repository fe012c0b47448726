// SPDX-License-Identifier: MIT
// The array that kernels and GL share, as Python sees it: a shape and a dtype over a SharedBuffer.
// Always C-contiguous. Made through an App its memory is GL's as well; made without one it is
// device memory alone.
#pragma once

#include "python/bind/interop/shape.h"
#include "python/bind/interop/storage.h"
#include "python/bind/ui/engine.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace lathe::bind {

class Array {
public:
    /// Throws ValueError for negative sizes or an impossible total; an empty array holds no memory.
    Array(std::shared_ptr<Engine> engine, std::vector<py::ssize_t> shape, DType dtype);

    const std::vector<py::ssize_t>& shape() const { return shape_; }
    DType dtype() const { return dtype_; }
    std::size_t count() const { return count_; }
    std::size_t bytes() const { return count_ * item_bytes(dtype_); }
    std::size_t offset() const { return offset_; }
    const std::shared_ptr<Storage>& storage() const { return storage_; }
    std::shared_ptr<Engine> engine() const { return storage_ ? storage_->engine() : nullptr; }
    /// The GL buffer, handed back by CUDA first.
    const gl::Buffer& gl_buffer() const;
    CUdeviceptr address() const;
    /// The stream that orders this array's work.
    gpu::StreamView stream() const;

    /// Blocks until kernels that write it are done.
    py::array get(const py::object& out) const;
    void set(const py::object& value);
    void fill(const py::object& value);
    py::array host_view() const;

    /// A contiguous part that shares memory; throws IndexError for others.
    Array part(const py::object& index) const;
    Array reshape(std::vector<py::ssize_t> shape) const;
    Array view(DType dtype) const;
    py::dict cuda_array_interface() const;
    std::string repr() const;

private:
    Array() = default;
    void wait() const;
    Array with(std::vector<py::ssize_t> shape, DType dtype, std::size_t offset) const;

    std::shared_ptr<Storage> storage_; ///< null where empty
    std::vector<py::ssize_t> shape_;
    DType dtype_ = DType::float32;
    std::size_t offset_ = 0; ///< bytes
    std::size_t count_ = 0;
};

} // namespace lathe::bind
