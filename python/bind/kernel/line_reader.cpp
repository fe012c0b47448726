// SPDX-License-Identifier: MIT
#include "python/bind/kernel/line_reader.h"

#include "engine/live/build.h"
#include "gpu/context.h"
#include "gpu/memory.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/value_dtype.h"

#include <algorithm>
#include <utility>

namespace lathe::bind {

namespace py = pybind11;

namespace {

py::tuple shape_of(const gpu::Dim3& size) { return py::make_tuple(size.z, size.y, size.x); }

gpu::LineValuesKernel compiled(const KernelSource& source, const std::string& name,
                               gpu::LineQuestion question) {
    gpu::Context::ensure_current();
    const GilRelease release;
    return {request_of(source, name), name, std::move(question)};
}

std::vector<std::byte> to_host(CUdeviceptr from, std::size_t bytes) {
    std::vector<std::byte> copy(bytes);
    gpu::copy_to_host(copy.data(), from, bytes);
    return copy;
}

} // namespace

LineReader::LineReader(KernelOrigin& origin, gpu::LineQuestion question)
    : LineReader{known_source(origin, "no line can be looked at"), origin.name(),
                 std::move(question)} {}

LineReader::LineReader(const KernelSource& source, const std::string& name,
                       gpu::LineQuestion question)
    : source_{source.text}, kernel_{compiled(source, name, std::move(question))} {}

void LineReader::launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                        const gpu::Dim3& elements, const gpu::LaunchAttributes& more,
                        void** arguments) {
    kernel_.begin(config, original);
    gpu::launch_untyped(kernel_.kernel(), config, more, arguments);
    found_ = kernel_.finish(original);
    elements_ = elements;
    block_ = config.block;
    const std::size_t threads = found_.threads.total();
    visits_ = to_host(found_.visits, 4 * threads);
    seen_ = to_host(found_.seen, 4 * threads);
    values_.clear();
    for (const auto& v : found_.variables)
        values_.push_back(to_host(v.values, v.is.stride * threads));
}

py::object LineReader::threads() const {
    if (block_.total() == 0) return py::none();
    return shape_of(found_.threads);
}

py::object LineReader::elements() const {
    if (elements_.total() == 0) return py::none();
    return shape_of(elements_);
}

py::tuple LineReader::block() const { return py::make_tuple(block_.x, block_.y, block_.z); }

py::bytes LineReader::bytes_of(const std::vector<std::byte>& from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

py::list LineReader::variables() const {
    py::list all;
    for (std::size_t v = 0; v < values_.size(); ++v) {
        const ptx::LineVariable& is = found_.variables[v].is;
        all.append(py::make_tuple(is.type.name, dtype_of(is.type, is.bytes), is.stride,
                                  bytes_of(values_[v])));
    }
    return all;
}

py::dict LineReader::known() const {
    py::dict types;
    for (const ptx::ParameterType& type : kernel_.known())
        types[py::str(type.name)] = type.type_name;
    return types;
}

} // namespace lathe::bind
