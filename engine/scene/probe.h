// SPDX-License-Identifier: MIT
// The value of one element of a thing, step by step.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/drawn.h"
#include "gpu/array/array.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

/// Made by View::probe(); records as long as a program keeps it. Values stay on the device until
/// they are asked for, so a step waits for nothing.
class LATHE_API Probe {
public:
    Probe(std::string item, std::int64_t index) : item_{std::move(item)}, index_{index} {}

    const std::string& item() const { return item_; }
    std::int64_t index() const { return index_; }
    /// Since it was made.
    std::size_t steps() const { return steps_; }
    /// Of the last steps, `most` of them or fewer, oldest first. Waits for the device.
    std::vector<double> values(std::size_t most) const;

    /// A step has ended that has drawn this; null: no such thing. Asynchronous on the legacy
    /// default stream of the current context. May throw gpu::Error.
    void record(const Drawn* drawn);

private:
    std::string item_;
    std::int64_t index_;
    std::size_t steps_ = 0;
    gpu::Array memory_; ///< float64, with room for more
};

} // namespace lathe
