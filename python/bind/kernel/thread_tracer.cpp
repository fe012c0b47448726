// SPDX-License-Identifier: MIT
#include "python/bind/kernel/thread_tracer.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "python/bind/gil.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lathe::bind {

namespace py = pybind11;

namespace {

using Kind = ptx::ParameterType::Kind;

template <class T> T read(const std::byte* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

py::object integer(const std::byte* from, std::size_t bytes, bool is_signed) {
    std::int64_t value = 0;
    std::memcpy(&value, from, std::min<std::size_t>(bytes, 8));
    if (!is_signed) return py::int_(static_cast<std::uint64_t>(value));
    const unsigned shift = bytes < 8 ? 64 - 8 * static_cast<unsigned>(bytes) : 0;
    return py::int_(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift);
}

/// float32 as NumPy's, which is written with as many digits as it has.
py::object real(const std::byte* from, std::size_t bytes) {
    if (bytes == 8) return py::float_(read<double>(from));
    if (bytes != 4) return py::none();
    static const auto* const float32 =
        new py::object{py::module_::import("numpy").attr("float32")}; // lives as long as Python
    return (*float32)(read<float>(from));
}

/// None where so few bytes do not tell the value.
py::object to_python(const ptx::ParameterType& type, const std::byte* from, std::size_t bytes) {
    if (type.kind != Kind::array && type.kind != Kind::structure &&
        (type.bytes == 0 || type.bytes > bytes))
        return py::none();
    switch (type.kind) {
    case Kind::boolean: return py::bool_(read<std::uint8_t>(from) != 0);
    case Kind::signed_integer: return integer(from, type.bytes, true);
    case Kind::unsigned_integer:
    case Kind::pointer: return integer(from, type.bytes, false);
    case Kind::floating: return real(from, type.bytes);
    case Kind::enumeration: {
        const py::object value = integer(from, type.bytes, true);
        for (const auto& each : type.enumerators)
            if (value.equal(py::int_(each.value))) return py::str(each.name);
        return value;
    }
    case Kind::structure: {
        py::dict members;
        for (const auto& member : type.members)
            if (member.offset < bytes)
                members[py::str(member.name)] =
                    to_python(member, from + member.offset, bytes - member.offset);
        return members;
    }
    case Kind::array: {
        py::list items;
        if (type.members.empty() || type.members.front().bytes == 0) return py::none();
        const auto& element = type.members.front();
        for (std::size_t at = 0; at + element.bytes <= bytes; at += element.bytes)
            items.append(to_python(element, from + at, bytes - at));
        return items;
    }
    case Kind::unknown: break;
    }
    return py::none();
}

} // namespace

std::shared_ptr<Traced> traced(KernelOrigin& origin) {
    const std::string name = origin.name();
    const KernelSource source = known_source(origin, "no thread can be followed");
    gpu::Context::ensure_current();
    const GilRelease release;
    return std::make_shared<Traced>(
        Traced{gpu::TracedKernel{request_of(source, name), name}, source.text});
}

void ThreadTracer::launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                          const gpu::Dim3&, const gpu::LaunchAttributes& more, void** arguments) {
    gpu::TracedKernel& kernel = of_->kernel;
    kernel.begin(block_, thread_, original);
    gpu::launch_untyped(kernel.kernel(), config, more, arguments);
    gpu::ThreadTrace trace = kernel.finish(original);
    is_cut_ = trace.is_cut;
    lines_ = gpu::lines_of(std::move(trace));
}

py::list to_python(const std::vector<gpu::TraceLine>& lines) {
    const auto by_name = [](const std::vector<gpu::TracedValue>& values) {
        py::dict known;
        for (const gpu::TracedValue& value : values)
            known[py::str(value.type->name)] =
                to_python(*value.type, value.bytes.data(), value.bytes.size());
        return known;
    };
    py::list steps;
    for (const gpu::TraceLine& line : lines)
        steps.append(py::make_tuple(line.function, line.file, line.line, line.depth,
                                    by_name(line.values), by_name(line.changes)));
    return steps;
}

py::object ThreadTracer::steps() const {
    if (!lines_) return py::none();
    return to_python(*lines_);
}

} // namespace lathe::bind
