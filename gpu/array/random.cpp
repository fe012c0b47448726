// SPDX-License-Identifier: MIT
#include "gpu/array/random.h"

#include "gpu/array/elementwise.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/random_order.h"
#include "gpu/launch.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

namespace {

bool is_floating(DType dtype) { return kind_of(dtype) == Kind::floating; }
bool is_whole(DType dtype) { return is_integer(dtype) || dtype == DType::bool_; }

DType checked(const Array& to, const char* what, bool (*fits)(DType)) {
    const DType dtype = to.dtype(what);
    if (!fits(dtype))
        throw TypeError{fmt::format("{} is not for arrays of {}", what, name_of(dtype))};
    if (!to.writable()) throw ReadOnlyError{fmt::format("{}: the array is read-only", what)};
    Context::ensure_current();
    check_device(to, what);
    return dtype;
}

/// `value` is not negative; a NaN passes, as with NumPy.
void check_scale(const char* what, const char* name, double value) {
    if (value < 0 || (value == 0 && std::signbit(value)))
        throw lathe::Error{fmt::format("{}: {} < 0, got {}", what, name, value)};
}

std::string_view type_in_kernel(DType dtype) {
    return dtype == DType::complex64    ? "float2"
           : dtype == DType::complex128 ? "double2"
                                        : kernel_type(dtype);
}

const ArrayKernel& fill_kernel(std::string_view distribution, DType dtype) {
    const std::string_view type = type_in_kernel(dtype);
    const bool of_type = distribution != "Choice";
    const std::string draw =
        of_type ? fmt::format("{}<{}>", distribution, type) : std::string{distribution};
    return array_kernel("random " + draw, "random_fill", [&] {
        return fmt::format(R"(#include <lathe_distributions.hpp>
using namespace lathe::random;
using lathe::half;
extern "C" __global__ void random_fill({}* out, u64 count, u64 position, u64 seed,
                                       unsigned sequence, u64 a, u64 b) {{
    fill(out, count, position, Sequence(seed, sequence), {}(a, b));
}}
)",
                           type, draw);
    });
}

/// Elements that a thread makes: those of four blocks, or one where an element takes a block or
/// more.
unsigned each_of(std::string_view distribution) {
    return distribution == "PoissonOf" || distribution == "Gamma" ? 1 : 16;
}

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

} // namespace

void Generator::fill(Array& to, const char* distribution, std::uint64_t a, std::uint64_t b,
                     StreamView stream) {
    if (to.size() == 0) return;
    const ArrayKernel& kernel = fill_kernel(distribution, *to.type().dtype);
    const bool direct = to.is_c_contiguous();
    const Array compact = direct ? to : Array::empty(to.type(), to.shape());
    const auto count = static_cast<std::uint64_t>(to.size());
    const std::uint64_t position = take(to.size());
    const BlockUse use{direct ? nullptr : compact.block(), stream};
    LaunchConfig config{{}, {kernel.threads}, 0, stream};
    config.grid.x = kernel.blocks_for(count, each_of(distribution));
    launch(kernel.kernel, config, compact.address(), count, position, seed_, sequence_, a, b);
    if (!direct) assign(to, compact, stream);
}

void Generator::uniform(Array& to, double low, double high, StreamView stream) {
    checked(to, "uniform", is_inexact);
    if (!std::isfinite(high - low))
        throw lathe::Error{fmt::format("uniform: high - low range exceeds valid bounds, got {} and "
                                       "{}",
                                       low, high)};
    fill(to, "Uniform", bits_of(low), bits_of(high - low), stream);
}

void Generator::uniform_above_zero(Array& to, StreamView stream) {
    checked(to, "uniform_above_zero", is_floating);
    fill(to, "AboveZero", 0, 0, stream);
}

void Generator::bits(Array& to, StreamView stream) {
    const DType dtype = checked(to, "bits", is_whole);
    const std::uint64_t last = dtype == DType::bool_    ? 1
                               : item_bytes(dtype) == 8 ? std::numeric_limits<std::uint64_t>::max()
                                                        : std::numeric_limits<std::uint32_t>::max();
    integers(to, 0, last, stream);
}

void Generator::integers(Array& to, std::uint64_t low, std::uint64_t last, StreamView stream) {
    checked(to, "integers", is_whole);
    const bool wide = last > std::numeric_limits<std::uint32_t>::max();
    fill(to, wide ? "WideIntegers" : "Integers", low, last, stream);
}

void Generator::normal(Array& to, double mean, double deviation, StreamView stream) {
    checked(to, "normal", is_inexact);
    check_scale("normal", "scale", deviation);
    fill(to, "Normal", bits_of(mean), bits_of(deviation), stream);
}

void Generator::log_normal(Array& to, double mean, double deviation, StreamView stream) {
    checked(to, "lognormal", is_floating);
    check_scale("lognormal", "sigma", deviation);
    fill(to, "LogNormal", bits_of(mean), bits_of(deviation), stream);
}

void Generator::exponential(Array& to, double scale, StreamView stream) {
    checked(to, "exponential", is_floating);
    check_scale("exponential", "scale", scale);
    fill(to, "Exponential", bits_of(scale), 0, stream);
}

void Generator::poisson(Array& to, double mean, StreamView stream) {
    checked(to, "poisson",
            [](DType dtype) { return dtype != DType::bool_ && kind_of(dtype) != Kind::complex; });
    if (!(mean >= 0))
        throw lathe::Error{fmt::format("poisson: lam < 0 or lam is NaN, got {}", mean)};
    // NumPy's bound: ten deviations below what an int64 holds.
    const double most = 9223372036854775807.0 - std::sqrt(9223372036854775807.0) * 10;
    if (mean > most) throw lathe::Error{fmt::format("poisson: lam value too large, got {}", mean)};
    fill(to, "PoissonOf", bits_of(mean), 0, stream);
}

void Generator::gamma(Array& to, double shape, double scale, StreamView stream) {
    checked(to, "gamma", is_floating);
    check_scale("gamma", "shape", shape);
    check_scale("gamma", "scale", scale);
    fill(to, "Gamma", bits_of(shape), bits_of(scale), stream);
}

void Generator::choice(Array& to, std::span<const double> chances, StreamView stream) {
    checked(to, "choice", [](DType dtype) { return dtype == DType::int64; });
    std::vector<double> sums;
    double sum = 0;
    for (const double each : chances) {
        if (!(each >= 0))
            throw lathe::Error{fmt::format("choice: probabilities are not non-negative: {}", each)};
        sums.push_back(sum += each);
    }
    if (!(sum > 0) || !std::isfinite(sum))
        throw lathe::Error{fmt::format("choice: probabilities have the sum {}", sum)};
    for (double& each : sums) each /= sum;
    if (to.size() == 0) return;
    const Array table = to_device(sums, stream);
    const BlockUse use{table.block(), stream};
    fill(to, "Choice", table.address(), sums.size(), stream);
}

Array Generator::permutation(std::int64_t count, StreamView stream) {
    if (count < 0) throw lathe::Error{fmt::format("permutation: {} elements", count)};
    return random_order(seed_, sequence_, take(count), count, stream);
}

void Generator::shuffle(Array& array, std::int64_t axis, StreamView stream) {
    if (!array.writable()) throw ReadOnlyError{"shuffle: the array is read-only"};
    const std::size_t at = checked_axis(axis, array.dimensions());
    const Array order = permutation(array.shape()[at], stream);
    const BlockUse use_of_order{order.block(), stream};
    const Array taken = take_along(array, order, axis, stream);
    const BlockUse use{taken.block(), stream};
    assign(array, taken, stream);
}

} // namespace lathe::gpu
