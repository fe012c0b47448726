// SPDX-License-Identifier: MIT
#include "gpu/array/histogram.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/stream_uses.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace lathe::gpu {

namespace {

constexpr unsigned kHistogramThreads = 256;
/// Bins that a block counts in its own memory: 16 KiB.
constexpr std::int64_t kSharedBins = 4096, kSharedSums = 2048;

/// Types as P0, P1 ...
std::string head_of(std::initializer_list<std::string_view> types) {
    std::string names, text;
    std::size_t number = 0;
    for (const std::string_view each : types)
        names += fmt::format("typedef {} P{};\n", each, number++);
    if (names.find("complex") != std::string::npos) text += "#include <pycuda-complex.hpp>\n";
    if (names.find("half") != std::string::npos) text += "#include <lathe_half.hpp>\n";
    return text + "#include <lathe_numbers.hpp>\n" + names;
}

/// P0 sorted, P1 values, P2 what they are compared as.
constexpr const char* kSearch = R"(
template <class T> __device__ __forceinline__ bool precedes(const T& a, const T& b) {
    return a < b || (b != b && a == a);
}
#ifdef LATHE_COMPLEX
template <class T> __device__ __forceinline__ int nans(const pycuda::complex<T>& z) {
    return 2 * (z.real() != z.real()) + (z.imag() != z.imag());
}
template <class T>
__device__ __forceinline__ bool precedes(const pycuda::complex<T>& a, const pycuda::complex<T>& b) {
    if (nans(a) != nans(b)) return nans(a) < nans(b);
    if (nans(a) < 2 && a.real() != b.real()) return a.real() < b.real();
    return a.imag() < b.imag();
}
#endif
extern "C" __global__ void search(const P0* sorted, const P1* values, const long long* sorter,
                                  long long* found, long long length, long long count) {
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) {
        const P2 value = lathe::cast<P2>(values[at]);
        long long low = 0, high = length;
        while (low < high) {
            const long long middle = low + (high - low) / 2;
            const P2 each = lathe::cast<P2>(sorted[sorter ? sorter[middle] : middle]);
            if (IS_RIGHT ? !precedes(value, each) : precedes(each, value)) low = middle + 1;
            else high = middle;
        }
        found[at] = low;
    }
}
)";

/// Numbers by whole ones of the same order; CODE is that of P0.
constexpr const char* kRange = R"(
extern "C" __global__ void range(const P0* values, unsigned long long* range, long long count) {
    unsigned long long least = ~0ULL, greatest = 0;
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) {
        const unsigned long long code = CODE(values[at]);
        least = code < least ? code : least;
        greatest = code > greatest ? code : greatest;
    }
    for (int distance = 16; distance; distance /= 2) {
        const unsigned long long low = __shfl_xor_sync(~0u, least, distance),
                                 high = __shfl_xor_sync(~0u, greatest, distance);
        least = low < least ? low : least;
        greatest = high > greatest ? high : greatest;
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(range, least);
        atomicMax(range + 1, greatest);
    }
}
)";

/// P0 the values, P1 the edges, P2 what both are compared as, P3 the weights, P4 the sums in a
/// block's memory, P5 those of all. BIN(value) is a bin, or not one of 0 to bins - 1.
constexpr const char* kCount = R"(
__device__ __forceinline__ long long bin_of(const P2& value, const P1* edges, long long bins) {
    const P2 first = lathe::cast<P2>(edges[0]), last = lathe::cast<P2>(edges[bins]);
    if (!(value >= first && value <= last)) return -1;
    long long bin;
    if (IS_EVEN) {
        const double place =
            (double(value) - double(first)) / (double(last) - double(first)) * double(bins);
        bin = place < double(bins) ? (long long)place : bins - 1;
        while (bin > 0 && value < lathe::cast<P2>(edges[bin])) --bin;
        while (bin < bins - 1 && value >= lathe::cast<P2>(edges[bin + 1])) ++bin;
        return bin;
    }
    long long low = 0, high = bins; // the last edge that is not beyond the value
    while (low + 1 < high) {
        const long long middle = low + (high - low) / 2;
        if (value < lathe::cast<P2>(edges[middle])) high = middle;
        else low = middle;
    }
    return low;
}
extern "C" __global__ void __launch_bounds__(THREADS)
    count(const P0* values, const P1* edges, const P3* weights, P5* sums, long long length,
          long long bins) {
#if SHARED_BINS
    __shared__ P4 own[SHARED_BINS];
    for (int k = threadIdx.x; k < bins; k += THREADS) own[k] = 0;
    __syncthreads();
#endif
    const long long step = (long long)gridDim.x * THREADS;
    for (long long at = (long long)blockIdx.x * THREADS + threadIdx.x; at < length; at += step) {
        const long long bin = BIN(values[at]);
        if ((unsigned long long)bin >= (unsigned long long)bins) continue;
#if SHARED_BINS
        atomicAdd(own + bin, P4(WEIGHT(at)));
#else
        atomicAdd(sums + bin, P5(WEIGHT(at)));
#endif
    }
#if SHARED_BINS
    __syncthreads();
    for (int k = threadIdx.x; k < bins; k += THREADS)
        if (own[k] != 0) atomicAdd(sums + k, P5(own[k]));
#endif
}
)";

struct Count {
    std::string_view bin; ///< text
    const Array* edges;
    DType computed;
    bool is_even;
};

Array count(const Array& array, std::int64_t bins, const Array* weights, const Count& how,
            StreamView stream) {
    const DType dtype = array.dtype("histogram");
    StreamUses uses{stream};
    Array& sums = uses.empty(weights ? DType::float64 : DType::int64, Extents{bins});
    if (bins == 0) return sums;
    fill_units(sums.address(), 0, 4, sums.bytes() / 4, stream);
    if (weights && weights->shape() != array.shape())
        throw ShapeError{fmt::format("weights of shape {} do not fit an array of shape {}",
                                     to_string(weights->shape()), to_string(array.shape()))};
    if (array.size() == 0) return sums;
    const DType of_edges = how.edges ? how.edges->dtype("histogram") : DType::float64;
    const DType of_weights = weights ? weights->dtype("histogram") : DType::float64;
    const bool is_shared = bins <= (weights ? kSharedSums : kSharedBins);
    const ArrayKernel& kernel = array_kernel(
        fmt::format("count {} {} {} {} {} {} {}", how.bin, name_of(dtype), name_of(of_edges),
                    name_of(how.computed), weights ? name_of(of_weights) : "", how.is_even,
                    is_shared),
        "count",
        [&] {
            return head_of({kernel_type(dtype), kernel_type(of_edges), compute_type(how.computed),
                            kernel_type(of_weights), weights ? "double" : "unsigned",
                            weights ? "double" : "unsigned long long"}) +
                   fmt::format(
                       "#define THREADS {}\n#define SHARED_BINS {}\n#define IS_EVEN {}\n#define "
                       "BIN(value) {}\n#define WEIGHT(at) {}\n",
                       kHistogramThreads, is_shared ? (weights ? kSharedSums : kSharedBins) : 0,
                       how.is_even, how.bin, weights ? "lathe::cast<double>(weights[at])" : "1") +
                   kCount;
        },
        kHistogramThreads);
    const Array values = uses.in_c_order(array, "histogram");
    const Array factors = weights ? uses.in_c_order(*weights, "histogram") : Array{};
    const Array edges = how.edges ? uses.in_c_order(*how.edges, "histogram") : Array{};
    launch(kernel.kernel,
           {{kernel.blocks_for(static_cast<std::uint64_t>(array.size()), 16, 1)},
            {kHistogramThreads},
            0,
            stream},
           values.address(), edges.address(), factors.address(), sums.address(), array.size(),
           bins);
    return sums;
}

std::array<std::uint64_t, 2> range_of(const Array& array, const std::string& code,
                                      StreamView stream) {
    const DType dtype = array.dtype("range");
    if (array.size() == 0) throw ShapeError{"an array without elements has no range"};
    const ArrayKernel& kernel = array_kernel(
        fmt::format("range {} {}", name_of(dtype), code), "range",
        [&] {
            return head_of({kernel_type(dtype)}) +
                   "#include <lathe_radix.hpp>\n#define CODE(value) " + code + "\n" + kRange;
        },
        kHistogramThreads);
    StreamUses uses{stream};
    const Array values = uses.in_c_order(array, "histogram");
    std::array<std::uint64_t, 2> range{~std::uint64_t{0}, 0};
    const Array found = uses.empty(DType::uint64, Extents{2});
    stream.synchronize();
    const DeviceSpan<std::uint64_t> span{found.address(), 2};
    copy_to_device(span, std::span<const std::uint64_t>{range});
    launch(kernel.kernel,
           {{kernel.blocks_for(static_cast<std::uint64_t>(array.size()), 16, 1)},
            {kHistogramThreads},
            0,
            stream},
           values.address(), found.address(), array.size());
    stream.synchronize();
    copy_to_host(std::span{range}, DeviceSpan<const std::uint64_t>{found.address(), 2});
    return range;
}

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

double real_of(std::uint64_t code) {
    if (code == ~std::uint64_t{0}) return std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<double>(code & kSign ? code ^ kSign : ~code);
}

} // namespace

Array searchsorted(const Array& sorted, const Array& values, Side side, const Array* sorter,
                   StreamView stream) {
    const DType in = sorted.dtype("searchsorted"), of = values.dtype("searchsorted");
    if (sorted.dimensions() != 1) throw ShapeError{"searchsorted: the sorted array has one axis"};
    if (sorter && sorter->shape() != sorted.shape())
        throw ShapeError{"searchsorted: sorter and array have one size"};
    const DType compared = promote(in, of);
    StreamUses uses{stream};
    Array& found = uses.empty(DType::int64, values.shape());
    if (values.size() == 0) return found;
    const ArrayKernel& kernel = array_kernel(
        fmt::format("search {} {} {}", name_of(in), name_of(of), static_cast<int>(side)), "search",
        [&] {
            return head_of({kernel_type(in), kernel_type(of), compute_type(compared)}) +
                   (kind_of(compared) == Kind::complex ? "#define LATHE_COMPLEX\n" : "") +
                   fmt::format("#define IS_RIGHT {}\n", side == Side::right) + kSearch;
        });
    const Array among = uses.in_c_order(sorted, "searchsorted"),
                each = uses.in_c_order(values, "searchsorted");
    Array order;
    if (sorter) {
        Array& indices = uses.empty(DType::int64, sorter->shape());
        assign(indices, *sorter, stream);
        order = indices;
    }
    launch(kernel.kernel,
           {{kernel.blocks_for(static_cast<std::uint64_t>(values.size()))},
            {kernel.threads},
            0,
            stream},
           among.address(), each.address(), order.address(), found.address(), sorted.size(),
           values.size());
    return found;
}

IntegerRange integer_range(const Array& array, StreamView stream) {
    const DType dtype = array.dtype("range");
    if (kind_of(dtype) != Kind::signed_integer && kind_of(dtype) != Kind::boolean)
        throw TypeError{fmt::format("{} is no signed integer", name_of(dtype))};
    const auto [least, greatest] =
        range_of(array, "((unsigned long long)(long long)(value) ^ (1ULL << 63))", stream);
    return {static_cast<std::int64_t>(least ^ kSign), static_cast<std::int64_t>(greatest ^ kSign)};
}

UnsignedRange unsigned_range(const Array& array, StreamView stream) {
    const DType dtype = array.dtype("range");
    if (kind_of(dtype) != Kind::unsigned_integer)
        throw TypeError{fmt::format("{} is no unsigned integer", name_of(dtype))};
    const auto [least, greatest] = range_of(array, "(value)", stream);
    return {least, greatest};
}

RealRange real_range(const Array& array, StreamView stream) {
    if (kind_of(array.dtype("range")) == Kind::complex)
        throw TypeError{"complex numbers have no range"};
    const auto [least, greatest] =
        range_of(array, "lathe::order_of(lathe::cast<double>(value))", stream);
    return {std::isnan(real_of(greatest)) ? real_of(greatest) : real_of(least), real_of(greatest)};
}

Array bincount(const Array& numbers, std::int64_t bins, const Array* weights, StreamView stream) {
    return count(numbers, bins, weights, {"(long long)(value)", nullptr, DType::int64, false},
                 stream);
}

Array histogram(const Array& array, const Array& edges, bool is_even, const Array* weights,
                StreamView stream) {
    if (edges.dimensions() != 1 || edges.size() < 1)
        throw ShapeError{"histogram: edges have one axis, and at least one element"};
    const DType compared = promote(array.dtype("histogram"), edges.dtype("histogram"));
    if (kind_of(compared) == Kind::complex)
        throw TypeError{"histogram: complex numbers have no bins"};
    return count(array, edges.size() - 1, weights,
                 {"bin_of(lathe::cast<P2>(value), edges, bins)", &edges, compared, is_even},
                 stream);
}

} // namespace lathe::gpu
