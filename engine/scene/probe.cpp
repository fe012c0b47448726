// SPDX-License-Identifier: MIT
#include "engine/scene/probe.h"

#include "engine/scene/drawn_values.h"
#include "gpu/array/dtype_rules.h"
#include "gpu/array/elementwise.h"
#include "gpu/memory.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lathe {

namespace {

constexpr std::int64_t kFirstRoom = 1024; // steps

/// Where the value of an element is, the first of its channels; nothing where the thing has none
/// such.
std::optional<gpu::Array> value_at(const Drawn& drawn, std::int64_t index) {
    const std::optional<DrawnValues> values = values_of(drawn);
    if (!values || index < 0 || index >= values->numbers.size() / values->channels) return {};
    const gpu::ElementType& type = values->numbers.type();
    if (gpu::kind_of(*type.dtype) == gpu::Kind::complex) return {};
    const std::int64_t bytes = std::int64_t(item_bytes(*type.dtype));
    return values->numbers.view(type, gpu::compact({1}, std::size_t(bytes)),
                                index * values->channels * bytes);
}

gpu::Array part_of(const gpu::Array& memory, std::size_t first, std::size_t count) {
    return memory.view(memory.type(), gpu::compact({std::int64_t(count)}, sizeof(double)),
                       std::int64_t(first * sizeof(double)));
}

} // namespace

void Probe::record(const Drawn* drawn) {
    if (std::int64_t(steps_) == memory_.size()) {
        gpu::Array more =
            gpu::Array::empty(DType::float64, {std::max(kFirstRoom, 2 * memory_.size())});
        if (steps_ > 0) {
            gpu::Array before = part_of(more, 0, steps_);
            gpu::assign(before, memory_);
        }
        memory_ = more;
    }
    const std::optional<gpu::Array> value = drawn ? value_at(*drawn, index_) : std::nullopt;
    gpu::Array to = part_of(memory_, steps_, 1);
    if (value) gpu::assign(to, *value);
    else
        gpu::assign(to, gpu::make_scalar(DType::float64, std::numeric_limits<double>::quiet_NaN()));
    ++steps_;
}

std::vector<double> Probe::values(std::size_t most) const {
    std::vector<double> all(std::min(most, steps_));
    if (all.empty()) return all;
    const gpu::Array last = part_of(memory_, steps_ - all.size(), all.size());
    gpu::copy_to_host(all.data(), last.address(), last.bytes());
    return all;
}

} // namespace lathe
