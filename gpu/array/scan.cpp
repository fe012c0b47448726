// SPDX-License-Identifier: MIT
#include "gpu/array/scan.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/stream_uses.h"
#include "gpu/driver/api.h"
#include "gpu/driver/device_traits.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace lathe::gpu {

namespace {

/// Rows of at least so many elements have tiles of their own; shorter ones are segments of one row.
constexpr std::int64_t kLongRow = 1024, kLongRowOfLoneThreads = 64;
/// Columns up to this length are walked by a thread each, however few they are.
constexpr std::int64_t kShortColumn = 64, kManyColumns = 1024;

struct Scan {
    const Operation& operation;
    const char* text;
    DType in, out, computed;
    StreamView stream;
};

std::string head_of(const Scan& scan) {
    std::string text;
    const auto mentions = [&](std::string_view word) {
        for (const DType each : {scan.in, scan.out, scan.computed})
            if (kernel_type(each).find(word) != std::string_view::npos) return true;
        return false;
    };
    if (mentions("complex")) text += "#include <pycuda-complex.hpp>\n";
    if (mentions("half")) text += "#include <lathe_half.hpp>\n";
    text += "#include <lathe_numbers.hpp>\n";
    text += fmt::format("typedef {} In; typedef {} Out; typedef {} Computed;\n",
                        kernel_type(scan.in), kernel_type(scan.out), compute_type(scan.computed));
    text += fmt::format("__device__ __forceinline__ Computed combined(const Computed& a0, const "
                        "Computed& a1) {{ Computed r0; {{ {}; }} return r0; }}\n",
                        scan.text);
    return text;
}

/// One form for rows that have tiles of their own.
constexpr const char* kRowForm = R"(
#include <lathe_scan.hpp>
struct Form {
    typedef Computed Value;
    static const int kThreads = THREADS, kVector = VECTOR, kRows = ROWS;
    const In* in;
    Out* out;
    __device__ __forceinline__ Value combine(const Value& a, const Value& b) const {
        return combined(a, b);
    }
    __device__ __forceinline__ void read(long long at, Value (&v)[kVector]) const {
        const lathe::Pack<In, kVector> pack =
            lathe::stream_in((const lathe::Pack<In, kVector>*)(in + at));
        for (int j = 0; j < kVector; ++j) v[j] = lathe::cast<Value>(pack.at[j]);
    }
    __device__ __forceinline__ Value read_one(long long at) const {
        return lathe::cast<Value>(in[at]);
    }
    __device__ __forceinline__ void write(long long at, const Value (&v)[kVector], const Value&,
                                          bool) const {
        lathe::Pack<Out, kVector> pack;
        for (int j = 0; j < kVector; ++j) pack.at[j] = lathe::cast<Out>(v[j]);
        lathe::stream_out((lathe::Pack<Out, kVector>*)(out + at), pack);
    }
    __device__ __forceinline__ void write_one(long long at, const Value& v, const Value&,
                                              bool) const {
        out[at] = lathe::cast<Out>(v);
    }
};
extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
    scan(const In* in, Out* out, long long length, lathe::ScanState state) {
    Form form;
    form.in = in;
    form.out = out;
    lathe::scan_tile(form, length, state);
}
)";

/// All elements as one row, in which a segment begins at each multiple of `period`.
constexpr const char* kSegmentForm = R"(
#include <lathe_scan.hpp>
struct Form {
    typedef lathe::Segmented<Computed> Value;
    static const int kThreads = THREADS, kVector = VECTOR, kRows = ROWS;
    const In* in;
    Out* out;
    unsigned period;
    __device__ __forceinline__ Computed combine_values(const Computed& a, const Computed& b) const {
        return combined(a, b);
    }
    __device__ __forceinline__ Value combine(const Value& a, const Value& b) const {
        return lathe::combine_segments(*this, a, b);
    }
    __device__ __forceinline__ void read(long long at, Value (&v)[kVector]) const {
        const lathe::Pack<In, kVector> pack =
            lathe::stream_in((const lathe::Pack<In, kVector>*)(in + at));
        for (int j = 0; j < kVector; ++j) {
            v[j].value = lathe::cast<Computed>(pack.at[j]);
            v[j].begins = (at + j) % period == 0;
        }
    }
    __device__ __forceinline__ Value read_one(long long at) const {
        Value v;
        v.value = lathe::cast<Computed>(in[at]);
        v.begins = at % period == 0;
        return v;
    }
    __device__ __forceinline__ void write(long long at, const Value (&v)[kVector], const Value&,
                                          bool) const {
        lathe::Pack<Out, kVector> pack;
        for (int j = 0; j < kVector; ++j) pack.at[j] = lathe::cast<Out>(v[j].value);
        lathe::stream_out((lathe::Pack<Out, kVector>*)(out + at), pack);
    }
    __device__ __forceinline__ void write_one(long long at, const Value& v, const Value&,
                                              bool) const {
        out[at] = lathe::cast<Out>(v.value);
    }
};
extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
    scan(const In* in, Out* out, unsigned period, long long length, lathe::ScanState state) {
    Form form;
    form.in = in;
    form.out = out;
    form.period = period;
    lathe::scan_tile(form, length, state);
}
)";

constexpr const char* kColumns = R"(
extern "C" __global__ void scan(const In* in, Out* out, long long length, long long inner,
                                long long columns) {
    const long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    long long at = column / inner * (inner * length) + column % inner;
    Computed sum = lathe::cast<Computed>(in[at]);
    out[at] = lathe::cast<Out>(sum);
    for (long long k = 1; k < length; ++k) {
        at += inner;
        sum = combined(sum, lathe::cast<Computed>(in[at]));
        out[at] = lathe::cast<Out>(sum);
    }
}
)";

std::string key_of(const Scan& scan, std::string_view form, unsigned vector) {
    return fmt::format("scan {} {} {} {} {} {}", form, scan.operation.name, name_of(scan.in),
                       name_of(scan.out), name_of(scan.computed), vector);
}

/// Elements for 16 bytes where both arrays begin at such a group, and each row does.
unsigned vector_of(const Array& in, const Array& out, std::int64_t row) {
    const std::size_t largest = std::max(in.type().bytes, out.type().bytes);
    const std::size_t vector = std::min<std::size_t>(16 / largest, 8);
    for (const Array* each : {&in, &out})
        if (each->address() % (vector * each->type().bytes) != 0) return 1;
    return row % static_cast<std::int64_t>(vector) == 0 ? static_cast<unsigned>(vector) : 1;
}

/// At least what the kernel's value has.
std::size_t value_bytes_of(DType computed) {
    return std::max<std::size_t>(item_bytes(computed), 4);
}

void scan_rows(const Scan& scan, const Array& in, Array& out, std::int64_t length) {
    const bool is_long =
        length >= (device_traits().lone_threads ? kLongRowOfLoneThreads : kLongRow) ||
        length == in.size();
    const std::int64_t rows = is_long ? in.size() / length : 1;
    const std::size_t bytes = value_bytes_of(scan.computed) * (is_long ? 1 : 2);
    const unsigned vector = vector_of(in, out, rows == 1 ? 0 : length);
    const ScanShape shape = scan_shape(bytes, vector);
    const ArrayKernel& kernel = array_kernel(
        key_of(scan, is_long ? "rows" : "segments", vector), "scan",
        [&] {
            return fmt::format("#define THREADS {}\n#define VECTOR {}\n#define ROWS {}\n",
                               shape.threads, vector, shape.rows) +
                   head_of(scan) + (is_long ? kRowForm : kSegmentForm);
        },
        shape.threads);
    const std::int64_t row = is_long ? length : in.size();
    const ScanWork work{rows, row, shape.tile(vector), bytes, scan.stream};
    const LaunchConfig config{{work.blocks()}, {shape.threads}, 0, scan.stream};
    if (is_long) launch(kernel.kernel, config, in.address(), out.address(), row, work.state());
    else
        launch(kernel.kernel, config, in.address(), out.address(),
               static_cast<std::uint32_t>(length), row, work.state());
}

void scan_columns(const Scan& scan, const Array& in, Array& out, std::int64_t length,
                  std::int64_t inner) {
    const ArrayKernel& kernel =
        array_kernel(key_of(scan, "columns", 1), "scan", [&] { return head_of(scan) + kColumns; });
    const std::int64_t columns = in.size() / length;
    const LaunchConfig config{
        {static_cast<unsigned>((columns + kernel.threads - 1) / kernel.threads)},
        {kernel.threads},
        0,
        scan.stream};
    launch(kernel.kernel, config, in.address(), out.address(), length, inner, columns);
}

bool is_short_integer(DType dtype) {
    return dtype == DType::bool_ || (is_integer(dtype) && item_bytes(dtype) < 8);
}

DType result_dtype(const Operation& operation, DType dtype) {
    if ((operation.name != "add" && operation.name != "multiply") || !is_short_integer(dtype))
        return dtype;
    return kind_of(dtype) == Kind::unsigned_integer ? DType::uint64 : DType::int64;
}

} // namespace

ScanShape scan_shape(std::size_t value_bytes, unsigned vector) {
    const std::size_t words = (std::max<std::size_t>(value_bytes, 4) + 3) / 4;
    if (device_traits()
            .lone_threads) { // 64 KiB of values, which stay in a processor's second cache
        const std::size_t rows = 16'384 / (words * vector);
        return {1, static_cast<unsigned>(std::bit_floor(std::max<std::size_t>(rows, 1)))};
    }
    // On an H200 large tiles hide the way back: 256 bytes of values a thread, two blocks of 256
    // threads a multiprocessor (bench_cub.cu). More than 16 rows are long to compile.
    const std::size_t rows = 64 / (words * vector);
    return {256, static_cast<unsigned>(std::bit_floor(std::clamp<std::size_t>(rows, 1, 16)))};
}

ScanMemory scan_memory(std::int64_t rows, std::int64_t length, std::int64_t tile,
                       std::size_t value_bytes) {
    const std::int64_t tiles = (length + tile - 1) / tile;
    if (tiles > std::numeric_limits<std::int32_t>::max() / rows)
        throw ShapeError{
            fmt::format("a scan of {} rows of {} elements is too large", rows, length)};
    const std::int64_t groups = (tiles + 31) / 32; // of blocks of 64 threads, the smallest
    const std::size_t record = (value_bytes + 3) / 4 * 8;
    return {static_cast<std::uint32_t>(tiles), static_cast<std::uint32_t>(groups),
            128 + static_cast<std::size_t>(rows * (tiles + groups)) * record};
}

ScanWork::ScanWork(std::int64_t rows, std::int64_t length, std::int64_t tile,
                   std::size_t value_bytes, StreamView stream)
    : stream_{stream} {
    const ScanMemory wanted = scan_memory(rows, length, tile, value_bytes);
    memory_ = DevicePool::allocate(pool_of(Context::ensure_current()), wanted.bytes);
    memory_.begin_use(stream);
    state_ = {memory_.memory().address(), wanted.tiles, wanted.groups,
              static_cast<std::uint32_t>(rows)};
    fill_units(state_.memory, 0, 4, (wanted.bytes + 3) / 4, stream);
}

ScanWork::~ScanWork() {
    try {
        memory_.end_use(stream_);
    } catch (const lathe::Error&) { // of a context that is gone
    }
}

Array accumulate(const Operation& operation, const Array& array, std::int64_t axis,
                 std::optional<DType> dtype, StreamView stream) {
    const DType in = array.dtype(operation.name.data());
    const DType out = dtype.value_or(result_dtype(operation, in));
    const std::array types{InputType{out}, InputType{out}};
    const Loop loop = resolve(operation, types);
    if (operation.inputs != 2 || operation.outputs != 1 || operation.rule != TypeRule::same ||
        loop.outputs[0] != loop.inputs[0])
        throw TypeError{fmt::format("{} cannot be accumulated", operation.name)};
    if (array.dimensions() == 0) throw ShapeError{"cannot accumulate on a scalar"};
    const std::size_t along = checked_axis(axis, array.dimensions());
    const Scan scan{operation, loop.text, in, out, loop.inputs[0], stream};
    if (array.size() == 0) return Array::empty(out, array.shape());

    const std::int64_t length = array.shape()[along];
    std::int64_t inner = 1;
    for (std::size_t k = along + 1; k < array.dimensions(); ++k) inner *= array.shape()[k];
    const std::int64_t columns = array.size() / length;
    StreamUses uses{stream};
    Array made = Array::empty(out, array.shape());
    uses.add(made);
    if (inner == 1 || length <= kShortColumn || columns >= kManyColumns) {
        const Array compact = uses.in_c_order(array, operation.name);
        if (inner == 1) scan_rows(scan, compact, made, length);
        else scan_columns(scan, compact, made, length, inner);
        return made;
    }
    // Few long columns: as rows, there and back.
    const Array turned = uses.in_c_order(
        array.view(array.type(), with_axis_last(array.layout(), along)), operation.name);
    Array& rows = uses.empty(out, turned.shape());
    scan_rows(scan, turned, rows, length);
    Array made_turned = made.view(out, with_axis_last(made.layout(), along));
    assign(made_turned, rows, stream);
    return made;
}

} // namespace lathe::gpu
