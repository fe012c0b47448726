// SPDX-License-Identifier: MIT
#include "gpu/array/random_order.h"

#include "engine/core/log.h"
#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/random.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <bit>
#include <exception>
#include <numeric>
#include <utility>
#include <vector>

namespace lathe::gpu {

namespace {

constexpr std::int64_t kMostOnHost = 1 << 16;
constexpr std::uint32_t kMore = 3u << 24; // as in lathe_random.hpp

/// 0 to range - 1 without bias (D. Lemire, 2019).
std::uint64_t below(std::uint64_t range, std::uint64_t seed, std::uint32_t sequence,
                    std::uint64_t position) {
    const auto low_half = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    for (std::uint32_t attempt = 0;; ++attempt) {
        const auto words =
            philox({low_half(position), low_half(position >> 32), sequence, kMore | attempt},
                   {low_half(seed), low_half(seed >> 32)});
        // `range` is below 2^32 here, so that 64 bits hold the product of each half.
        const std::uint64_t x = std::uint64_t{words[1]} << 32 | words[0];
        const std::uint64_t low = (x & 0xffffffffu) * range, high = (x >> 32) * range + (low >> 32);
        if (x * range >= (0 - range) % range) return high >> 32;
    }
}

const ArrayKernel& order_kernel() {
    return array_kernel("random order", "random_order", [] {
        return std::string{R"(#include <lathe_distributions.hpp>
using namespace lathe::random;
extern "C" __global__ void random_order(long long* out, u64 count, u64 position, u64 seed,
                                        unsigned sequence) {
    permutation(out, count, position, Sequence(seed, sequence));
}
)"};
    });
}

const ArrayKernel& take_kernel(std::size_t word) {
    const char* const type = word == 16  ? "uint4"
                             : word == 8 ? "u64"
                             : word == 4 ? "unsigned"
                             : word == 2 ? "unsigned short"
                                         : "unsigned char";
    return array_kernel(fmt::format("take rows of {}", type), "take_rows_of", [&] {
        return fmt::format(R"(#include <lathe_distributions.hpp>
using namespace lathe::random;
extern "C" __global__ void take_rows_of({0}* out, const {0}* in, const long long* from,
                                        u64 rows, u64 words) {{
    take_rows(out, in, from, rows, words);
}}
)",
                           type);
    });
}

/// The axes with `axis` first, or the way back.
std::vector<std::int64_t> axes_with_first(std::size_t axis, std::size_t dimensions, bool back) {
    std::vector<std::int64_t> axes(dimensions), inverse(dimensions);
    std::iota(axes.begin(), axes.end(), 0);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
    axes.insert(axes.begin(), static_cast<std::int64_t>(axis));
    for (std::size_t k = 0; k < dimensions; ++k)
        inverse[static_cast<std::size_t>(axes[k])] = static_cast<std::int64_t>(k);
    return back ? inverse : axes;
}

void take_rows(const Array& to, const Array& from, const Array& order, StreamView stream) {
    check_device(from, "take");
    check_device(order, "take");
    const auto rows = static_cast<std::uint64_t>(to.shape()[0]);
    const std::uint64_t row_bytes = to.bytes() / rows;
    const std::size_t word = std::size_t{1}
                             << std::countr_zero(16 | row_bytes | to.address() | from.address());
    const ArrayKernel& kernel = take_kernel(word);
    LaunchConfig config{{}, {kernel.threads}, 0, stream};
    config.grid.x = kernel.blocks_for(rows * (row_bytes / word), 4);
    launch(kernel.kernel, config, to.address(), from.address(), order.address(), rows,
           row_bytes / word);
}

} // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0],
                            b = std::uint64_t{0xCD9E8D57u} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(a)};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return counter;
}

BlockUse::~BlockUse() {
    try {
        if (block_) block_->end_use(stream_);
    } catch (const std::exception& error) { log::error("{}", error.what()); }
}

Array to_device(std::span<const double> values, StreamView stream) {
    Array made = Array::empty(DType::float64, Extents{static_cast<std::int64_t>(values.size())});
    const BlockUse use{made.block(), stream};
    copy_to_device(made.address(), values.data(), values.size_bytes(), stream);
    return made;
}

Array random_order(std::uint64_t seed, std::uint32_t sequence, std::uint64_t position,
                   std::int64_t count, StreamView stream) {
    Array made = Array::empty(DType::int64, Extents{count});
    if (count == 0) return made;
    const BlockUse use{made.block(), stream};
    if (count <= kMostOnHost) {
        std::vector<std::int64_t> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t k = order.size() - 1; k > 0; --k)
            std::swap(order[k], order[below(k + 1, seed, sequence, position + k)]);
        copy_to_device(made.address(), order.data(), made.bytes(), stream);
        return made;
    }
    const ArrayKernel& kernel = order_kernel();
    LaunchConfig config{{}, {kernel.threads}, 0, stream};
    config.grid.x = kernel.blocks_for(static_cast<std::uint64_t>(count));
    launch(kernel.kernel, config, made.address(), static_cast<std::uint64_t>(count), position, seed,
           sequence);
    return made;
}

Array take_along(const Array& array, const Array& order, std::int64_t axis, StreamView stream) {
    const std::size_t at = checked_axis(axis, array.dimensions());
    const auto there = axes_with_first(at, array.dimensions(), false);
    const auto back = axes_with_first(at, array.dimensions(), true);
    Array rows = array.view(array.type(), transpose(array.layout(), there));
    const bool direct = rows.is_c_contiguous();
    if (!direct) rows = copy(rows, Order::c, stream);
    Extents shape = rows.shape();
    shape[0] = order.size();
    const Array made = Array::empty(array.type(), shape);
    if (made.size() > 0) {
        const BlockUse use_rows{direct ? nullptr : rows.block(), stream}, use{made.block(), stream};
        take_rows(made, rows, order, stream);
    }
    return made.view(array.type(), transpose(made.layout(), back));
}

} // namespace lathe::gpu
