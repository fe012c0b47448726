// SPDX-License-Identifier: MIT
// Reductions by name, for the modules of lathe.array.
#include "gpu/array/reduction.h"

#include "gpu/array/reduction_scratch.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/array/recorder.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/stream.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lathe::bind {

namespace {

gpu::Reduction reduction_of(std::string_view name) {
    using enum gpu::Reduction;
    static constexpr std::array<std::pair<std::string_view, gpu::Reduction>, 17> table{
        {{"sum", sum},
         {"prod", prod},
         {"min", min},
         {"max", max},
         {"fmin", fmin},
         {"fmax", fmax},
         {"argmin", argmin},
         {"argmax", argmax},
         {"any", any},
         {"all", all},
         {"count_nonzero", count_nonzero},
         {"mean", mean},
         {"var", var},
         {"std", gpu::Reduction::std},
         {"norm", norm},
         {"dot", dot},
         {"vdot", vdot}}};
    for (const auto& [each, reduction] : table)
        if (each == name) return reduction;
    throw py::value_error(fmt::format("there is no reduction '{}'", name));
}

std::optional<DType> dtype_of(const py::object& dtype, const char* name) {
    if (dtype.is_none()) return {};
    const gpu::ElementType type = element_type(to_dtype(dtype));
    if (!type.dtype) throw py::type_error(fmt::format("{} is not for structures", name));
    return *type.dtype;
}

/// An allocator takes the place of the first array's; None leaves that.
gpu::Allocate allocate_like(const py::object& array, const py::object& allocator) {
    const auto* const like = reinterpret_cast<const GpuArray*>(array.ptr());
    return [like, allocator](gpu::ElementType type, const gpu::Layout& layout) {
        if (allocator.is_none()) return empty_like(like, type, layout);
        GpuArray model = *like;
        model.allocator = allocator.ptr();
        return empty_like(&model, type, layout);
    };
}

py::object reduced(const std::string& name, const py::object& a, const py::object& b,
                   const py::object& axis, const py::object& dtype, bool keepdims, double parameter,
                   const py::object& out, const PyStream* stream, const py::object& allocator) {
    const gpu::StreamView on = stream_of(stream);
    gpu::ReduceOptions options;
    gpu::Extents axes;
    if (!axis.is_none()) {
        axes = to_extents(axis, "axis");
        options.axes = &axes;
    }
    options.keepdims = keepdims;
    options.dtype = dtype_of(dtype, name.c_str());
    options.parameter = parameter;
    if (recording && b.is_none() && out.is_none() && allocator.is_none()) [[unlikely]]
        if (py::object made = record_reduction(reduction_of(name), a.ptr(), options, on))
            return made;
    if (!out.is_none()) options.out = &array_of(out);
    const gpu::Array& first = array_of(a);
    const gpu::Allocate allocate = allocate_like(a, allocator);
    options.allocate = &allocate;
    StreamUse use{on, true, {a}};
    if (!b.is_none()) use.add(b);
    if (!out.is_none()) use.add(out);
    gpu::Array result = b.is_none()
                            ? gpu::reduce(reduction_of(name), first, options, on)
                            : gpu::reduce(reduction_of(name), first, array_of(b), options, on);
    if (!out.is_none()) return out;
    py::object made = wrap_array(std::move(result), reinterpret_cast<const GpuArray*>(a.ptr()));
    StreamUse made_use{on, true, {made}};
    return made;
}

py::object subset_reduced(const std::string& name, const py::object& subset, const py::object& a,
                          const py::object& b, const py::object& dtype, const PyStream* stream,
                          const py::object& allocator) {
    const gpu::StreamView on = stream_of(stream);
    StreamUse use{on, true, {subset, a}};
    if (!b.is_none()) use.add(b);
    const gpu::Allocate allocate = allocate_like(a, allocator);
    py::object made =
        wrap_array(gpu::reduce_subset(reduction_of(name), array_of(subset), array_of(a),
                                      b.is_none() ? nullptr : &array_of(b),
                                      dtype_of(dtype, name.c_str()), on, &allocate),
                   reinterpret_cast<const GpuArray*>(a.ptr()));
    StreamUse made_use{on, true, {made}};
    return made;
}

} // namespace

void bind_array_reductions(py::module_& m) {
    m.def("reduce", &reduced, py::arg("name"), py::arg("a"), py::arg("b") = py::none(),
          py::kw_only(), py::arg("axis") = py::none(), py::arg("dtype") = py::none(),
          py::arg("keepdims") = false, py::arg("parameter") = 0.0, py::arg("out") = py::none(),
          py::arg("stream") = nullptr, py::arg("allocator") = py::none(),
          "A reduction over axes (None: all) of an array, or of two for dot and vdot; into `out` "
          "where it is given. `parameter` is ddof, or a norm's order. Asynchronous on `stream`.");
    m.def("reduce_subset", &subset_reduced, py::arg("name"), py::arg("subset"), py::arg("a"),
          py::arg("b") = py::none(), py::kw_only(), py::arg("dtype") = py::none(),
          py::arg("stream") = nullptr, py::arg("allocator") = py::none());
    m.def(
        "reduction_scratch",
        [](std::size_t state_bytes, const PyStream* stream) {
            const gpu::Scratch scratch = gpu::scratch_for(stream_of(stream), state_bytes);
            return std::pair{scratch.tickets, scratch.states};
        },
        py::arg("state_bytes"), py::arg("stream") = nullptr,
        "Addresses of tickets (0, to be left so) and of memory for states, for one launch.");
}

} // namespace lathe::bind
