// SPDX-License-Identifier: MIT
#include "gpu/array/select.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/reduction.h"
#include "gpu/array/scan.h"
#include "gpu/array/sort.h"
#include "gpu/array/stream_uses.h"
#include "gpu/driver/device_traits.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string>

namespace lathe::gpu {

namespace {

constexpr unsigned kVector = 4;

/// A scan of flags that, where one is set, knows how many were set before. FLAG(at) is the flag,
/// EACH(at, number, is_set) what is done, number counting those up to here; the parameters are p0
/// to p4, the last one gets the number of all.
constexpr const char* kSelect = R"(
#include <lathe_scan.hpp>
struct Form {
    typedef Count Value;
    static const int kThreads = THREADS, kVector = VECTOR, kRows = ROWS;
    const P0* p0; const P1* p1; P2* p2; P3* p3; P4* p4;
    long long* total;
    long long length;
    __device__ __forceinline__ Count combine(Count a, Count b) const { return a + b; }
    __device__ __forceinline__ Count read_one(long long at) const { return FLAG(at); }
    __device__ __forceinline__ void read(long long at, Count (&v)[kVector]) const {
        for (int j = 0; j < kVector; ++j) v[j] = FLAG(at + j);
    }
    __device__ __forceinline__ void write_one(long long at, Count number, Count before,
                                              bool first) const {
        const bool is_set = first ? number != 0 : number != before;
        EACH(at, (long long)number, is_set);
        if (at == length - 1) *total = number;
    }
    __device__ __forceinline__ void write(long long at, const Count (&v)[kVector], Count before,
                                          bool first) const {
        write_one(at, v[0], before, first);
        for (int j = 1; j < kVector; ++j) write_one(at + j, v[j], v[j - 1], false);
    }
};
extern "C" __global__ void __launch_bounds__(THREADS)
    select(const P0* p0, const P1* p1, P2* p2, P3* p3, P4* p4, long long* total, long long length,
           lathe::ScanState state) {
    Form form;
    form.p0 = p0; form.p1 = p1; form.p2 = p2; form.p3 = p3; form.p4 = p4;
    form.total = total;
    form.length = length;
    lathe::scan_tile(form, length, state);
}
)";

struct Selection {
    std::string_view name, flag, each;
    std::array<std::string_view, 5> types;
    std::array<CUdeviceptr, 5> parameters;
};

/// The int64 that the stream's work so far leaves there. Waits.
std::int64_t number_in(const Array& array, StreamView stream) {
    std::int64_t found = 0;
    stream.synchronize();
    copy_to_host(std::span{&found, 1}, DeviceSpan<const std::int64_t>{array.address(), 1});
    return found;
}

std::int64_t select(const Selection& selection, std::int64_t length, StreamView stream) {
    const bool is_wide = length > std::numeric_limits<std::uint32_t>::max();
    std::string key{"select "};
    key += selection.name;
    for (const std::string_view each : selection.types) (key += ' ') += each;
    key += is_wide ? " wide" : "";
    const std::size_t bytes = is_wide ? 8 : 4;
    const ScanShape shape = device_traits().lone_threads ? scan_shape(bytes, kVector)
                                                         : ScanShape{.threads = 256, .rows = 4};
    const ArrayKernel& kernel = array_kernel(
        key, "select",
        [&] {
            std::string text;
            if (key.find("complex") != std::string::npos) text += "#include <pycuda-complex.hpp>\n";
            if (key.find("half") != std::string::npos) text += "#include <lathe_half.hpp>\n";
            text += "#include <lathe_numbers.hpp>\n";
            for (std::size_t k = 0; k < selection.types.size(); ++k)
                text += fmt::format("typedef {} P{};\n", selection.types[k], k);
            return text +
                   fmt::format("typedef {} Count;\n#define THREADS {}\n#define VECTOR "
                               "{}\n#define ROWS {}\n#define FLAG(at) "
                               "({})\n#define EACH(at, number, is_set) {}\n",
                               is_wide ? "long long" : "unsigned", shape.threads, kVector,
                               shape.rows, selection.flag, selection.each) +
                   kSelect;
        },
        shape.threads);
    StreamUses uses{stream};
    const Array total = uses.empty(DType::int64, Extents{1});
    const ScanWork work{1, length, shape.tile(kVector), bytes, stream};
    const auto& p = selection.parameters;
    launch(kernel.kernel, {{work.blocks()}, {shape.threads}, 0, stream}, p[0], p[1], p[2], p[3],
           p[4], total.address(), length, work.state());
    return number_in(total, stream);
}

/// Elements to ask memory for, where each that `mask` keeps takes `bytes`: all could be kept, but
/// those of large arrays are counted first.
std::int64_t room_for(const Array& mask, std::size_t bytes, StreamView stream) {
    constexpr std::size_t kLarge = std::size_t{256} << 20;
    if (static_cast<std::size_t>(mask.size()) * bytes <= kLarge) return mask.size();
    const Array counted = reduce(Reduction::count_nonzero, mask, {}, stream);
    return number_in(counted, stream);
}

/// The first `count` elements; a copy where much memory would be kept for few.
Array first_of(const Array& array, std::int64_t count, StreamView stream) {
    if (count == array.size()) return array;
    const Array view = array.view(array.type(), compact({count}, array.type().bytes));
    if (count > array.size() / 2) return view;
    return copy(view, Order::c, stream);
}

Array whole_numbers(std::string_view name, const Array& array, const Input& other,
                    StreamView stream) {
    const std::array types{InputType{DType::int64}, InputType{DType::int64}};
    const std::array<Input, 2> inputs{array, other};
    return run(resolve(operation(name), types), inputs, stream)[0];
}

} // namespace

Array compress(const Array& mask, const Array& array, StreamView stream) {
    if (mask.shape() != array.shape())
        throw ShapeError{fmt::format("a mask of shape {} does not fit an array of shape {}",
                                     to_string(mask.shape()), to_string(array.shape()))};
    const DType dtype = array.dtype("compress"), of_mask = mask.dtype("compress");
    if (array.size() == 0) return Array::empty(dtype, Extents{0});
    StreamUses uses{stream};
    const Array flags = uses.in_c_order(mask, "compress"),
                from = uses.in_c_order(array, "compress");
    const Array made = uses.empty(dtype, Extents{room_for(flags, item_bytes(dtype), stream)});
    if (made.size() == 0) return made;
    const std::int64_t count =
        select({"compress",
                "lathe::truth(p0[at])",
                "if (is_set) p2[number - 1] = p1[at]",
                {kernel_type(of_mask), kernel_type(dtype), kernel_type(dtype), "char", "char"},
                {flags.address(), from.address(), made.address(), 0, 0}},
               array.size(), stream);
    return first_of(made, count, stream);
}

Array flat_nonzero(const Array& array, StreamView stream) {
    const DType dtype = array.dtype("nonzero");
    if (array.size() == 0) return Array::empty(DType::int64, Extents{0});
    StreamUses uses{stream};
    const Array from = uses.in_c_order(array, "nonzero");
    const Array made = uses.empty(DType::int64, Extents{room_for(from, 8, stream)});
    if (made.size() == 0) return made;
    const std::int64_t count = select({"nonzero",
                                       "lathe::truth(p0[at])",
                                       "if (is_set) p2[number - 1] = at",
                                       {kernel_type(dtype), "char", "long long", "char", "char"},
                                       {from.address(), 0, made.address(), 0, 0}},
                                      array.size(), stream);
    return first_of(made, count, stream);
}

std::vector<Array> nonzero(const Array& array, StreamView stream) {
    if (array.dimensions() == 0)
        throw ShapeError{"nonzero of an array of no dimensions: make it one of one element"};
    Array left = flat_nonzero(array, stream);
    std::vector<Array> made(array.dimensions());
    for (std::size_t k = array.dimensions(); k-- > 1;) {
        const Scalar size = make_scalar(DType::int64, array.shape()[k]);
        const Array rows = whole_numbers("floor_divide", left, size, stream);
        made[k] =
            whole_numbers("subtract", left, whole_numbers("multiply", rows, size, stream), stream);
        left = rows;
    }
    made[0] = left;
    return made;
}

UniqueArray unique(const Array& array, const UniqueParts& parts, StreamView stream) {
    const DType dtype = array.dtype("unique");
    const std::int64_t size = array.size();
    const bool wants_order = parts.indices || parts.inverse;
    StreamUses uses{stream};
    UniqueArray made;
    made.values = uses.empty(dtype, Extents{size});
    if (wants_order) made.indices = uses.empty(DType::int64, Extents{size});
    if (parts.inverse) made.inverse = uses.empty(DType::int64, Extents{size});
    const Array starts = uses.empty(DType::int64, Extents{parts.counts ? size : 0});
    if (size == 0) {
        if (parts.counts) made.counts = Array::empty(DType::int64, Extents{0});
        return made;
    }
    const Array flat =
        uses.in_c_order(array, "unique").view(dtype, compact({size}, item_bytes(dtype)));
    SortedArray sorted;
    if (wants_order) sorted = sort_with_indices(flat, 0, stream), uses.add(sorted.indices);
    else sorted.keys = sort(flat, 0, stream);
    uses.add(sorted.keys);
    // The first of equal keys, as the sort is stable, is the first in the array.
    const std::string_view same =
        kind_of(dtype) == Kind::complex ? "lathe::equal(p0[at], p0[at - 1]) || "
                                          "(lathe::is_nan(p0[at]) && lathe::is_nan(p0[at - 1]))"
        : kind_of(dtype) == Kind::floating
            ? "p0[at] == p0[at - 1] || (p0[at] != p0[at] && p0[at - 1] != p0[at - 1])"
            : "p0[at] == p0[at - 1]";
    const std::string flag = fmt::format("at == 0 || !({})", same);
    std::string each = "if (is_set) { p2[number - 1] = p0[at];";
    if (parts.counts) each += " p3[number - 1] = at;";
    if (wants_order) each += " p4[number - 1] = p1[at];";
    each += " }";
    const std::string name = fmt::format("unique {} {}", parts.counts, wants_order);
    const std::int64_t count = select(
        {name,
         flag,
         each,
         {kernel_type(dtype), "long long", kernel_type(dtype), "long long", "long long"},
         {sorted.keys.address(), wants_order ? sorted.indices.address() : 0, made.values.address(),
          starts.address(), wants_order ? made.indices.address() : 0}},
        size, stream);
    if (parts.inverse)
        select({"unique inverse",
                flag,
                "p2[p1[at]] = number - 1",
                {kernel_type(dtype), "long long", "long long", "char", "char"},
                {sorted.keys.address(), sorted.indices.address(), made.inverse.address(), 0, 0}},
               size, stream);
    if (parts.counts) {
        const Array begins = starts.view(DType::int64, compact({count}, 8));
        // A value ends where the next one begins.
        Array ends = uses.empty(DType::int64, Extents{count});
        if (count > 1) {
            Array inner = ends.view(DType::int64, compact({count - 1}, 8));
            assign(inner, starts.view(DType::int64, compact({count - 1}, 8), 8), stream);
        }
        Array last = ends.view(DType::int64, compact({1}, 8), (count - 1) * 8);
        assign(last, make_scalar(DType::int64, size), stream);
        made.counts = whole_numbers("subtract", ends, begins, stream);
    }
    made.values = first_of(made.values, count, stream);
    made.indices = parts.indices ? first_of(made.indices, count, stream) : Array{};
    return made;
}

} // namespace lathe::gpu
