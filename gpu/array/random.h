// SPDX-License-Identifier: MIT
// Random numbers in arrays, by Philox4x32-10 (gpu/kernels/lathe_random.hpp): number k of a sequence
// follows from seed, sequence and k alone, whatever the device, the launch or the array's strides.
//
// Each element that is filled takes one position, in C order of its indices; two fills of 10 and 5
// elements give what one of 15 gives. Fills are asynchronous on their CUDA stream, and fastest for
// contiguous arrays at positions that are multiples of 4.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace lathe::gpu {

/// Any thread may fill at any time; each gets positions of its own.
class LATHE_API Generator {
public:
    /// Sequences of one seed are independent of each other.
    explicit Generator(std::uint64_t seed, std::uint32_t sequence = 0, std::uint64_t position = 0)
        : seed_{seed}, sequence_{sequence}, position_{position} {}

    std::uint64_t seed() const noexcept { return seed_; }
    std::uint32_t sequence() const noexcept { return sequence_; }
    std::uint64_t position() const noexcept { return position_; }
    void set_position(std::uint64_t position) noexcept { position_ = position; }

    // All fills throw TypeError for types that they are not for, ReadOnlyError, and lathe::Error
    // for parameters out of range. "floating" is float16, float32 and float64.

    /// [low, high), of the type's 11, 24 or 53 bits; floating and complex (both parts). Rounding of
    /// low + (high - low) * x may give `high`.
    void uniform(Array& to, double low = 0, double high = 1,
                 StreamView stream = StreamView::legacy());
    /// (0, 1], cuRAND's convention. Floating.
    void uniform_above_zero(Array& to, StreamView stream = StreamView::legacy());
    /// All values alike, of any integer type or bool.
    void bits(Array& to, StreamView stream = StreamView::legacy());
    /// From `low` to `low + last`, without bias; integers and bool. `low` is the bits of an int64,
    /// or of a uint64 for that type.
    void integers(Array& to, std::uint64_t low, std::uint64_t last,
                  StreamView stream = StreamView::legacy());
    /// Floating; complex ones have the deviation all told, and a real mean. Up to 6.7 deviations
    /// from the mean in float32, 8.6 in float64.
    void normal(Array& to, double mean = 0, double deviation = 1,
                StreamView stream = StreamView::legacy());
    /// exp(normal). Floating.
    void log_normal(Array& to, double mean = 0, double deviation = 1,
                    StreamView stream = StreamView::legacy());
    /// Floating.
    void exponential(Array& to, double scale = 1, StreamView stream = StreamView::legacy());
    /// Integers or floating, computed in double; values that the type does not hold are undefined.
    void poisson(Array& to, double mean, StreamView stream = StreamView::legacy());
    /// Floating.
    void gamma(Array& to, double shape, double scale = 1, StreamView stream = StreamView::legacy());
    /// int64: places in `chances`, which are not negative and have a sum above 0.
    void choice(Array& to, std::span<const double> chances,
                StreamView stream = StreamView::legacy());

    /// 0 to count - 1 in random order, int64; takes `count` positions. Up to 2^16 elements each
    /// order is as likely as each other (R. Durstenfeld, "Algorithm 235", 1964, on the host);
    /// beyond, the order is that of a cipher with 24 rounds, on the device.
    Array permutation(std::int64_t count, StreamView stream = StreamView::legacy());
    /// Reorders along `axis`; takes as many positions as that has elements.
    void shuffle(Array& array, std::int64_t axis = 0, StreamView stream = StreamView::legacy());

private:
    /// The first of `count` positions that are the caller's.
    std::uint64_t take(std::int64_t count) noexcept {
        return position_.fetch_add(static_cast<std::uint64_t>(count));
    }
    void fill(Array& to, const char* distribution, std::uint64_t a, std::uint64_t b,
              StreamView stream);

    const std::uint64_t seed_;
    const std::uint32_t sequence_;
    std::atomic<std::uint64_t> position_;
};

/// array[order[0]], array[order[1]] ... along `axis`, as a new array; `order` is contiguous int64
/// whose values are not checked.
LATHE_API Array take_along(const Array& array, const Array& order, std::int64_t axis,
                           StreamView stream = StreamView::legacy());

} // namespace lathe::gpu
