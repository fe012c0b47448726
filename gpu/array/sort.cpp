// SPDX-License-Identifier: MIT
#include "gpu/array/sort.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/stream_uses.h"
#include "gpu/driver/device_traits.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lathe::gpu {

namespace {

struct Tile {
    unsigned threads, items; ///< of a block, of a thread
    unsigned blocks;         ///< that a multiprocessor shall hold
    std::int64_t keys() const { return std::int64_t{threads} * items; }
};

/// Of all kernels but the passes. Rows that fit are sorted by one block each.
Tile small_tile() { return device_traits().lone_threads ? Tile{1, 1 << 14, 1} : Tile{256, 8, 1}; }

/// How one call sorts: C order, the axis last, without gaps.
struct Sort {
    DType dtype;
    std::int64_t rows, length;
    bool wants_keys, wants_indices;
    StreamView stream;

    unsigned digits() const {
        const auto bytes = static_cast<unsigned>(item_bytes(dtype));
        return kind_of(dtype) == Kind::complex ? bytes + 1 : bytes;
    }
    /// The tile of a pass, for which CUB's radix sort is the measure on an H200 (bench_cub.cu):
    /// keys of one digit should fill whole lines of memory, and ranks be found in registers.
    Tile tile() const {
        if (device_traits().lone_threads) return {1, 1 << 16, 1};
        if (item_bytes(dtype) > 8) return {256, 8, 1};
        if (wants_indices && is_wide()) return {384, 10, 2};
        if (item_bytes(dtype) > 4) return {384, 14, 2};
        return wants_indices ? Tile{512, 12, 2} : Tile{384, 16, 3};
    }
    /// Whether counts, and indices, need 64 bits.
    bool is_wide() const { return length >= std::int64_t{1} << 30; }
};

std::string head_of(const Sort& sort) {
    std::string text;
    if (kind_of(sort.dtype) == Kind::complex)
        text += "#include <pycuda-complex.hpp>\n#define LATHE_COMPLEX\n";
    if (sort.dtype == DType::float16) text += "#include <lathe_half.hpp>\n#define LATHE_HALF\n";
    return text +
           fmt::format("#include <{}>\ntypedef {} Key;\n",
                       device_traits().lone_threads ? "lathe_lone_sort.hpp" : "lathe_radix.hpp",
                       kernel_type(sort.dtype));
}

/// What the blocks of a kernel do; of many threads, or of one (DeviceTraits::lone_threads).
struct Texts {
    const char *rows, *count, *start, *pass;
};
constexpr Texts kTogether{
    R"(
extern "C" __global__ void __launch_bounds__(THREADS)
    sort_rows(const Key* in, Key* out, long long* indices, unsigned length) {
    lathe::sort_row<Key, long long, THREADS, ITEMS>(in, out, indices, length);
}
)",
    R"(
extern "C" __global__ void __launch_bounds__(THREADS)
    count_digits(const Key* keys, long long count, unsigned long long* counts) {
    lathe::count_digits(keys, count, counts);
}
)",
    R"(
extern "C" __global__ void __launch_bounds__(THREADS) start_digits(unsigned long long* counts) {
    lathe::start_digits(counts);
}
)",
    R"(
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    sort_pass(const Key* keys_in, Key* keys_out, const Index* indices_in, Index* indices_out,
              long long count, const unsigned long long* starts, int pass, char* state) {
    lathe::sort_pass<Key, Count, Index, THREADS, ITEMS, HAS_INDICES>(
        keys_in, keys_out, indices_in, indices_out, count, starts, pass, state);
}
)"};
constexpr Texts kAlone{
    R"(
extern "C" __global__ void sort_rows(const Key* in, Key* out, long long* indices, unsigned length) {
    lathe::sort_row_alone<Key, long long, ITEMS>(in, out, indices, length);
}
)",
    R"(
extern "C" __global__ void count_digits(const Key* keys, long long count,
                                        unsigned long long* counts) {
    lathe::count_digits_alone(keys, count, counts);
}
)",
    R"(
extern "C" __global__ void start_digits(unsigned long long* counts) {
    lathe::start_digits_alone(counts);
}
)",
    R"(
extern "C" __global__ void sort_pass(const Key* keys_in, Key* keys_out, const Index* indices_in,
                                     Index* indices_out, long long count,
                                     const unsigned long long* starts, int pass, char* state) {
    lathe::sort_pass_alone<Key, Count, Index, ITEMS, HAS_INDICES>(
        keys_in, keys_out, indices_in, indices_out, count, starts, pass, state);
}
)"};
const Texts& texts() { return device_traits().lone_threads ? kAlone : kTogether; }

const ArrayKernel& kernel_of(const Sort& sort, const std::string& entry, std::string_view text,
                             const Tile& tile) {
    return array_kernel(
        fmt::format("{} {} {} {}", entry, name_of(sort.dtype), sort.wants_indices, sort.is_wide()),
        entry,
        [&] {
            return head_of(sort) +
                   fmt::format("#define THREADS {}\n#define ITEMS {}\n#define BLOCKS {}\n"
                               "#define HAS_INDICES {}\n"
                               "typedef {} Count;\ntypedef {} Index;\n",
                               tile.threads, tile.items, tile.blocks, sort.wants_indices,
                               sort.is_wide() ? "unsigned long long" : "unsigned",
                               sort.is_wide() ? "long long" : "unsigned") +
                   std::string{text};
        },
        tile.threads);
}

CUdeviceptr row_of(const Array& array, std::int64_t row, std::int64_t length) {
    return array.address() + static_cast<CUdeviceptr>(row * length) * array.type().bytes;
}

/// Kernels and memory for rows that are sorted one after the other.
class LargeSort {
public:
    LargeSort(const Sort& sort, StreamUses& uses)
        : sort_{sort}, tile_{sort.tile()}, small_{small_tile()},
          count_{kernel_of(sort, "count_digits", texts().count, small_)},
          start_{kernel_of(sort, "start_digits", texts().start, small_)},
          pass_{kernel_of(sort, "sort_pass", texts().pass, tile_)},
          tiles_{(sort.length + tile_.keys() - 1) / tile_.keys()},
          counts_{uses.empty(DType::uint64, Extents{sort.digits() * 256})},
          state_{uses.empty(DType::uint32, Extents{32 + tiles_ * 256 * (sort.is_wide() ? 2 : 1)})},
          keys_{uses.empty(sort.dtype, Extents{sort.length})} {
        if (!sort.wants_indices) return;
        const DType index = sort.is_wide() ? DType::int64 : DType::uint32;
        for (Array& each : indices_) each = uses.empty(index, Extents{sort.length});
    }

    /// The indices then lie in indices().
    void run(CUdeviceptr in, CUdeviceptr out) {
        const StreamView stream = sort_.stream;
        fill_units(counts_.address(), 0, 4, counts_.bytes() / 4, stream);
        const unsigned parts =
            small_.threads == 1
                ? static_cast<unsigned>(std::min<std::int64_t>(tiles_, 256))
                : count_.blocks_for(static_cast<std::uint64_t>(sort_.length), 16, 1);
        launch(count_.kernel, {{parts}, {small_.threads}, 0, stream}, in, sort_.length,
               counts_.address());
        launch(start_.kernel, {{sort_.digits()}, {small_.threads}, 0, stream}, counts_.address());
        CUdeviceptr from = in, indices_from = 0;
        for (unsigned pass = 0; pass < sort_.digits(); ++pass) {
            const bool is_even =
                (sort_.digits() - pass) % 2 == 0; // passes that follow this one: odd
            const CUdeviceptr to = is_even ? keys_.address() : out;
            const CUdeviceptr indices_to = indices_[is_even ? 1 : 0].address();
            fill_units(state_.address(), 0, 4, state_.bytes() / 4, stream);
            launch(pass_.kernel, {{static_cast<unsigned>(tiles_)}, {tile_.threads}, 0, stream},
                   from, to, indices_from, indices_to, sort_.length, counts_.address(),
                   static_cast<int>(pass), state_.address());
            from = to;
            indices_from = indices_to;
        }
    }
    const Array& indices() const noexcept { return indices_[0]; }

private:
    const Sort& sort_;
    Tile tile_, small_;
    const ArrayKernel &count_, &start_, &pass_;
    std::int64_t tiles_;
    Array counts_, state_, keys_, indices_[2];
};

void sort_rows(const Sort& sort, const Array& in, SortedArray& made, StreamUses& uses) {
    if (const Tile tile = small_tile(); sort.length <= tile.keys()) {
        const ArrayKernel& kernel = kernel_of(sort, "sort_rows", texts().rows, tile);
        for (std::int64_t row = 0; row < sort.rows; row += 1 << 30) {
            const auto rows =
                static_cast<unsigned>(std::min<std::int64_t>(sort.rows - row, 1 << 30));
            launch(kernel.kernel, {{rows}, {tile.threads}, 0, sort.stream},
                   row_of(in, row, sort.length),
                   sort.wants_keys ? row_of(made.keys, row, sort.length) : CUdeviceptr{0},
                   sort.wants_indices ? row_of(made.indices, row, sort.length) : CUdeviceptr{0},
                   static_cast<std::uint32_t>(sort.length));
        }
        return;
    }
    LargeSort large{sort, uses};
    const Array unwanted = sort.wants_keys ? Array{} : uses.empty(sort.dtype, Extents{sort.length});
    for (std::int64_t row = 0; row < sort.rows; ++row) {
        large.run(row_of(in, row, sort.length),
                  sort.wants_keys ? row_of(made.keys, row, sort.length) : unwanted.address());
        if (!sort.wants_indices) continue;
        Array to =
            made.indices.view(DType::int64, compact({sort.length}, 8), row * sort.length * 8);
        assign(to, large.indices(), sort.stream);
    }
}

Array turned_back(const Array& from, const Extents& shape, std::size_t along, StreamUses& uses) {
    Array& made = uses.empty(from.type(), shape);
    Array to = made.view(made.type(), with_axis_last(made.layout(), along));
    assign(to, from, uses.stream());
    return made;
}

SortedArray sort_any(const Array& array, std::int64_t axis, bool wants_keys, bool wants_indices,
                     StreamView stream) {
    const DType dtype = array.dtype(wants_keys ? "sort" : "argsort");
    if (array.dimensions() == 0) throw ShapeError{"cannot sort an array of no dimensions"};
    const std::size_t along = checked_axis(axis, array.dimensions());
    const bool is_last = along + 1 == array.dimensions();
    const Array seen = is_last ? array : array.view(dtype, with_axis_last(array.layout(), along));
    SortedArray made;
    StreamUses uses{stream};
    if (wants_keys) made.keys = uses.empty(dtype, seen.shape());
    if (wants_indices) made.indices = uses.empty(DType::int64, seen.shape());
    if (array.size() > 0) {
        const std::int64_t length = array.shape()[along];
        const Sort sort{dtype, array.size() / length, length, wants_keys, wants_indices, stream};
        sort_rows(sort, uses.in_c_order(seen, wants_keys ? "sort" : "argsort"), made, uses);
    }
    if (is_last) return made;
    if (wants_keys) made.keys = turned_back(made.keys, array.shape(), along, uses);
    if (wants_indices) made.indices = turned_back(made.indices, array.shape(), along, uses);
    return made;
}

} // namespace

Array sort(const Array& array, std::int64_t axis, StreamView stream) {
    return sort_any(array, axis, true, false, stream).keys;
}

Array argsort(const Array& array, std::int64_t axis, StreamView stream) {
    return sort_any(array, axis, false, true, stream).indices;
}

SortedArray sort_with_indices(const Array& array, std::int64_t axis, StreamView stream) {
    return sort_any(array, axis, true, true, stream);
}

} // namespace lathe::gpu
