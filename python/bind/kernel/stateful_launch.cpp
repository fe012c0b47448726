// SPDX-License-Identifier: MIT
#include "python/bind/kernel/stateful_launch.h"

#include "engine/core/source_name.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/fast_calls.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

namespace lathe::bind {

namespace {
constexpr std::size_t kMostBytes = 1 << 16; // kernels take 32 KiB at most
} // namespace

void check_block(const gpu::Kernel& kernel, gpu::Dim3 block) {
    const int most = kernel.max_threads_per_block();
    if (block.total() > static_cast<std::size_t>(most))
        throw gpu::Error{
            "cuFuncSetBlockShape", CUDA_ERROR_INVALID_VALUE,
            fmt::format("kernel {} runs {} threads in a block at most, {} x {} x {} = {} "
                        "were asked for",
                        source_name(kernel.name()), most, block.x, block.y, block.z,
                        block.total())};
}

void StatefulLaunch::set_block(const gpu::Kernel& kernel, gpu::Dim3 block) {
    check_block(kernel, block);
    block_ = block;
}

void StatefulLaunch::set_size(std::size_t bytes) {
    if (bytes > kMostBytes)
        throw gpu::Error{"cuParamSetSize", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("{} bytes", bytes)};
    parameters_.resize(bytes);
}

void StatefulLaunch::set(std::size_t offset, const void* value, std::size_t bytes) {
    if (offset > kMostBytes || bytes > kMostBytes - offset)
        throw gpu::Error{"cuParamSet", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("{} bytes from {} on", bytes, offset)};
    if (parameters_.size() < offset + bytes) parameters_.resize(offset + bytes);
    std::memcpy(parameters_.data() + offset, value, bytes);
}

void StatefulLaunch::launch(const gpu::Kernel& kernel, gpu::Dim3 grid,
                            gpu::StreamView stream) const {
    if (!block_)
        throw gpu::Error{"cuLaunchGrid", CUDA_ERROR_INVALID_VALUE,
                         "set_block_shape() was not called for " + kernel.name()};
    if (!kernel.parameters_known())
        throw gpu::Error{
            "cuLaunchGrid", CUDA_ERROR_NOT_SUPPORTED,
            "this driver does not tell a kernel's parameters: call the function instead"};
    std::vector<void*> pointers;
    for (const gpu::KernelParameter& p : kernel.parameters()) {
        if (p.offset_bytes + p.bytes > parameters_.size())
            throw gpu::Error{"cuLaunchGrid", CUDA_ERROR_INVALID_VALUE,
                             fmt::format("{}: parameter {} has {} bytes from {} on, {} bytes of "
                                         "parameters were set",
                                         kernel.name(), pointers.size(), p.bytes, p.offset_bytes,
                                         parameters_.size())};
        pointers.push_back(const_cast<std::byte*>(parameters_.data() + p.offset_bytes));
    }
    pointers.push_back(nullptr);
    kernel.launch({grid, *block_, shared_bytes_, stream}, pointers.data());
}

namespace {

/// A 32-bit integer with or without sign, as param_seti takes it.
std::uint32_t bits_of(long long value) {
    if (value < std::numeric_limits<std::int32_t>::min() ||
        value > std::numeric_limits<std::uint32_t>::max())
        throw py::value_error(fmt::format("param_seti: {} does not fit 32 bits", value));
    return static_cast<std::uint32_t>(value);
}

void launch(PyKernel& f, int width, int height, gpu::StreamView stream) {
    if (width < 1 || height < 1)
        throw py::value_error(
            fmt::format("a grid has at least one block each way, got ({}, {})", width, height));
    gpu::Context::ensure_current();
    if (const auto module = f.origin().module()) module->update_references(stream);
    const gpu::Kernel kernel = f.kernel();
    const GilRelease release;
    f.state().launch(kernel, {static_cast<unsigned>(width), static_cast<unsigned>(height)}, stream);
}

} // namespace

void bind_stateful_launch(py::module_& m) {
    py::reinterpret_borrow<KernelClass>(m.attr("Kernel"))
        .def(
            "set_block_shape",
            [](PyKernel& f, unsigned x, unsigned y, unsigned z) {
                f.state().set_block(f.kernel(), dim3_from(py::make_tuple(x, y, z), "block"));
            },
            py::arg("x"), py::arg("y"), py::arg("z"), "Threads of a block, for launch().")
        .def(
            "set_shared_size", [](PyKernel& f, std::size_t bytes) { f.state().set_shared(bytes); },
            py::arg("bytes"), "Dynamic shared memory of a block, for launch().")
        .def("param_set", &PyKernel::set_parameters,
             "All parameters, for launch(): values as a call takes them, without In and Out.")
        .def(
            "param_set_size", [](PyKernel& f, std::size_t bytes) { f.state().set_size(bytes); },
            py::arg("bytes"), "Bytes of all parameters, for launch().")
        .def(
            "param_seti",
            [](PyKernel& f, std::size_t offset, long long value) {
                const std::uint32_t bits = bits_of(value);
                f.state().set(offset, &bits, sizeof bits);
            },
            py::arg("offset"), py::arg("value"), "A 32-bit integer among the parameters.")
        .def(
            "param_setf",
            [](PyKernel& f, std::size_t offset, float value) {
                f.state().set(offset, &value, sizeof value);
            },
            py::arg("offset"), py::arg("value"), "A float among the parameters.")
        .def(
            "launch", [](PyKernel& f) { launch(f, 1, 1, gpu::StreamView::legacy()); },
            "One block, with what was set before. Raises LogicError where something was not.")
        .def(
            "launch_grid",
            [](PyKernel& f, int width, int height) {
                launch(f, width, height, gpu::StreamView::legacy());
            },
            py::arg("width"), py::arg("height"), "The same with width x height blocks.")
        .def(
            "launch_grid_async",
            [](PyKernel& f, int width, int height, const PyStream* stream) {
                launch(f, width, height, stream_of(stream));
            },
            py::arg("width"), py::arg("height"), py::arg("stream") = py::none(),
            "The same in the order of a stream.");
}

} // namespace lathe::bind
