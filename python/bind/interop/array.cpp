// SPDX-License-Identifier: MIT
#include "python/bind/interop/array.h"

#include "engine/core/error.h"
#include "engine/interop/interop_mode.h"
#include "gpu/context.h"
#include "python/bind/bind.h"
#include "python/bind/interop/host_copy.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <utility>

namespace lathe::bind {

Array::Array(std::shared_ptr<Engine> engine, std::vector<py::ssize_t> shape, DType dtype)
    : shape_{std::move(shape)}, dtype_{dtype}, count_{count_of(shape_, item_bytes(dtype))} {
    if (count_) storage_ = std::make_shared<Storage>(std::move(engine), bytes());
}

Array Array::with(std::vector<py::ssize_t> shape, DType dtype, std::size_t offset) const {
    Array made;
    made.count_ = count_of(shape, item_bytes(dtype));
    made.shape_ = std::move(shape);
    made.dtype_ = dtype;
    made.offset_ = offset;
    made.storage_ = storage_;
    return made;
}

const gl::Buffer& Array::gl_buffer() const {
    if (auto e = engine()) e->unmap_all();
    return std::as_const(storage_->shared()).buffer();
}

CUdeviceptr Array::address() const { return count_ ? address_of(storage_) + offset_ : 0; }

gpu::StreamView Array::stream() const {
    const auto e = engine();
    return e ? e->stream() : gpu::StreamView::legacy();
}

void Array::wait() const {
    py::gil_scoped_release release;
    if (const auto e = engine()) return e->synchronize();
    const gpu::Context context = gpu::Context::ensure_current();
    const auto all = gpu::StreamView::legacy();
    while (!all.wait_for(std::chrono::milliseconds{50})) {
        try {
            raise_interrupt();
        } catch (...) {
            all.cancel();
            throw;
        }
    }
    context.synchronize();
}

py::array Array::get(const py::object& out) const {
    py::array result = host_result(out, shape_, dtype_);
    if (!count_) return result;
    const CUdeviceptr from = address();
    void* to = result.mutable_data();
    wait();
    {
        py::gil_scoped_release release;
        gpu::copy_to_host(to, from, bytes());
    }
    return result;
}

void Array::set(const py::object& value) {
    if (!count_) return;
    CUdeviceptr to = address();
    if (py::isinstance<Array>(value)) {
        const auto& other = value.cast<const Array&>();
        if (other.shape_ != shape_ || other.dtype_ != dtype_)
            throw py::value_error(fmt::format("cannot set {} from {}", repr(), other.repr()));
        const CUdeviceptr from = other.address();
        to = address();
        if (to != from) gpu::copy_on_device(to, from, bytes(), stream());
        return;
    }
    const py::array host = host_values(value, shape_, dtype_);
    const void* from = host.data();
    wait();
    py::gil_scoped_release release;
    gpu::copy_to_device(to, from, bytes());
}

void Array::fill(const py::object& value) {
    if (!count_) return;
    auto one = py::module_::import("numpy")
                   .attr("full")(1, value, py::arg("dtype") = numpy_dtype(dtype_))
                   .cast<py::array>();
    const std::size_t item = item_bytes(dtype_);
    const auto* raw = static_cast<const unsigned char*>(one.data());
    const std::size_t unit = item <= 4 ? item : 4;
    bool repeats = true; // elements of 8 and 16 bytes that repeat their first 4
    for (std::size_t i = unit; i < item; i += unit)
        repeats = repeats && std::memcmp(raw, raw + i, unit) == 0;
    if (!repeats) return set(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, raw, unit);
    gpu::fill_units(address(), bits, unit, bytes() / unit, stream());
}

py::array Array::host_view() const {
    if (!count_) return py::array(numpy_dtype(dtype_), shape_);
    std::byte* memory = nullptr;
    if (engine() && storage_->shared().mode() == InteropMode::zero_copy)
        memory = const_cast<gl::Buffer&>(gl_buffer()).mapped();
    if (!memory)
        throw lathe::Error{
            fmt::format("{} is not in host memory: host_view() needs an App's array on a "
                        "software GL; get() makes a copy anywhere",
                        repr())};
    wait();
    auto* keep = new std::shared_ptr<Storage>{storage_};
    py::capsule owner{keep, [](void* p) { delete static_cast<std::shared_ptr<Storage>*>(p); }};
    return py::array(numpy_dtype(dtype_), shape_, memory + offset_, owner);
}

py::dict Array::cuda_array_interface() const {
    py::dict out;
    out["shape"] = py::tuple(py::cast(shape_));
    out["typestr"] = std::string{typestr_of(dtype_)};
    out["data"] = py::make_tuple(static_cast<std::uintptr_t>(address()), false);
    out["strides"] = py::none();
    out["version"] = 3;
    const auto e = engine(); // 1 names the legacy default stream
    out["stream"] = e ? reinterpret_cast<std::uintptr_t>(e->stream().get()) : std::uintptr_t{1};
    return out;
}

std::string Array::repr() const {
    return fmt::format("lathe.Array(shape={}, dtype={})", shape_text(shape_), name_of(dtype_));
}

} // namespace lathe::bind
