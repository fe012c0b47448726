// SPDX-License-Identifier: MIT
#include "engine/plots/plot_kernels.h"

#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <string>

namespace lathe::plot_kernels {

namespace {

/// Before it stands a typedef of Value, a real number.
constexpr std::string_view kSource = R"(
typedef unsigned long long Word;

/// Whole numbers in the order of the doubles.
__device__ Word ordered(double x) {
    const Word bits = __double_as_longlong(x);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}
__device__ double from_ordered(Word code) {
    return __longlong_as_double(code >> 63 ? code ^ 1ull << 63 : ~code);
}
__device__ long long first_item() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ long long item_step() { return (long long)gridDim.x * blockDim.x; }

/// Words begin with 0: the first has the inverse, so that both are maxima.
extern "C" __global__ void extremes(const Value* values, long long count, Word* words) {
    Word least = 0, greatest = 0;
    for (long long i = first_item(); i < count; i += item_step()) {
        const double x = (double)values[i];
        if (x - x != 0) continue; // not finite
        least = max(least, ~ordered(x));
        greatest = max(greatest, ordered(x));
    }
    if (greatest == 0) return;
    atomicMax(words, least);
    atomicMax(words + 1, greatest);
}

struct Bins {
    double low, high, width;
    int count;

    __device__ double edge(int i) const { // no fused multiply-add: NumPy has none
        return i == count ? high : __dadd_rn(__dmul_rn((double)i, width), low);
    }
    /// Of low <= x <= high.
    __device__ int find(double x) const {
        int i = min((int)((x - low) / (high - low) * count), count - 1);
        while (i > 0 && x < edge(i)) --i;
        while (i < count - 1 && x >= edge(i + 1)) ++i;
        return i;
    }
};

extern "C" __global__ void count_bins(const Value* values, long long count, int bins, int has_range,
                                      double low, double high, Word* words) {
    extern __shared__ unsigned counted[];
    for (int i = threadIdx.x; i < bins; i += blockDim.x) counted[i] = 0;
    __syncthreads();
    if (!has_range) {
        low = words[1] == 0 ? 0 : from_ordered(~words[0]);
        high = words[1] == 0 ? 1 : from_ordered(words[1]);
        if (low == high) low -= 0.5, high += 0.5;
    }
    const Bins in{low, high, __ddiv_rn(high - low, (double)bins), bins};
    Word below = 0, above = 0, nan = 0;
    for (long long i = first_item(); i < count; i += item_step()) {
        const double x = (double)values[i];
        if (x != x) ++nan;
        else if (x < low) ++below;
        else if (x > high) ++above;
        else atomicAdd(counted + in.find(x), 1u);
    }
    if (below > 0) atomicAdd(words + 2, below);
    if (above > 0) atomicAdd(words + 3, above);
    if (nan > 0) atomicAdd(words + 4, nan);
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (counted[i] > 0) atomicAdd(words + 5 + i, (Word)counted[i]);
}

extern "C" __global__ void each(const Value* values, long long step, long long count, double* to) {
    for (long long i = first_item(); i < count; i += item_step()) to[i] = (double)values[i * step];
}

extern "C" __global__ void means(const Value* values, long long rows, long long columns,
                                 long long height, long long width, double* to) {
    const long long cells_in_row = (columns + width - 1) / width;
    const long long cells = (rows + height - 1) / height * cells_in_row;
    for (long long i = first_item(); i < cells; i += item_step()) {
        const long long top = i / cells_in_row * height, left = i % cells_in_row * width;
        double sum = 0;
        long long numbers = 0;
        for (long long y = top; y < min(top + height, rows); ++y)
            for (long long x = left; x < min(left + width, columns); ++x) {
                const double value = (double)values[y * columns + x];
                if (value != value) continue;
                sum += value;
                ++numbers;
            }
        to[i] = numbers > 0 ? sum / numbers : __longlong_as_double(0x7ff8000000000000ll);
    }
}
)";

static_assert(CountedWords::kHeader == 5, "as the kernel writes them");

const gpu::ArrayKernel& kernel(const std::string& entry, DType dtype) {
    const std::string_view type = gpu::kernel_type(dtype);
    return gpu::array_kernel(fmt::format("plot {} {}", entry, type), entry,
                             [&] { return fmt::format("typedef {} Value;\n{}", type, kSource); });
}

/// In C order, of a type that CUDA C++ has.
gpu::Array readable(const gpu::Array& array, std::string_view function) {
    const std::string name{function};
    gpu::check_device(array, function);
    const DType dtype = array.dtype(name.c_str());
    if (gpu::kind_of(dtype) == gpu::Kind::complex)
        throw gpu::TypeError{fmt::format(
            "{} takes real numbers, got {}: take .real, .imag or abs()", function, name_of(dtype))};
    const DType wanted = dtype == DType::float16 ? DType::float32 : dtype;
    if (wanted == dtype && array.is_c_contiguous()) return array;
    gpu::Array made = gpu::Array::empty(wanted, array.shape());
    if (array.size() > 0) gpu::assign(made, array);
    return made;
}

template <class... Arguments>
void run(const gpu::ArrayKernel& k, std::int64_t items, std::size_t shared_bytes,
         const Arguments&... arguments) {
    gpu::launch(k.kernel,
                {{k.blocks_for(std::uint64_t(items), 4)},
                 {k.threads},
                 shared_bytes,
                 gpu::StreamView::legacy()},
                arguments...);
}

double from_ordered(std::uint64_t code) {
    return std::bit_cast<double>(code >> 63 ? code ^ std::uint64_t(1) << 63 : ~code);
}

} // namespace

gpu::Array count(const gpu::Array& array, int bins,
                 const std::optional<std::array<double, 2>>& range, std::string_view function) {
    const gpu::Array values = readable(array, function);
    gpu::Array words = gpu::Array::empty(DType::uint64, {CountedWords::kHeader + bins});
    gpu::fill_units(words.address(), 0, 4, words.bytes() / 4);
    if (values.size() == 0) return words;
    const DType dtype = *values.type().dtype;
    if (!range)
        run(kernel("extremes", dtype), values.size(), 0, values.address(), values.size(),
            words.address());
    const auto [low, high] = range.value_or(std::array<double, 2>{0, 1});
    run(kernel("count_bins", dtype), values.size(), std::size_t(bins) * sizeof(unsigned),
        values.address(), values.size(), bins, int(range.has_value()), low, high, words.address());
    return words;
}

std::array<double, 2> range_in(const std::uint64_t* words) {
    if (words[CountedWords::high] == 0) return {0, 1};
    const double low = from_ordered(~words[CountedWords::low]),
                 high = from_ordered(words[CountedWords::high]);
    if (low == high) return {low - 0.5, high + 0.5};
    return {low, high};
}

gpu::Array each(const gpu::Array& array, std::int64_t step, std::string_view function) {
    const gpu::Array values = readable(array, function);
    const std::int64_t count = (values.size() + step - 1) / step;
    gpu::Array made = gpu::Array::empty(DType::float64, {count});
    if (count > 0)
        run(kernel("each", *values.type().dtype), count, 0, values.address(), step, count,
            made.address());
    return made;
}

gpu::Array means(const gpu::Array& array, std::int64_t height, std::int64_t width,
                 std::string_view function) {
    const gpu::Array values = readable(array, function);
    const std::int64_t rows = values.shape()[0], columns = values.shape()[1];
    gpu::Array made = gpu::Array::empty(
        DType::float64, {(rows + height - 1) / height, (columns + width - 1) / width});
    run(kernel("means", *values.type().dtype), made.size(), 0, values.address(), rows, columns,
        height, width, made.address());
    return made;
}

} // namespace lathe::plot_kernels
