// SPDX-License-Identifier: MIT
// What random.cpp is made of besides its fills: orders, rows taken in an order, temporary arrays.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/stream.h"

#include <array>
#include <cstdint>
#include <span>

namespace lathe::gpu {

/// Philox4x32-10 on the host: that of gpu/kernels/lathe_random.hpp.
LATHE_API std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) noexcept;

/// Generator::permutation.
LATHE_API Array random_order(std::uint64_t seed, std::uint32_t sequence, std::uint64_t position,
                             std::int64_t count, StreamView stream);

/// float64 in the pool's memory. `values` are read before it returns.
LATHE_API Array to_device(std::span<const double> values, StreamView stream);

/// Around what is issued on a stream with a block of the pool's (null: other memory) that may go
/// back to the pool before it is done.
class LATHE_API BlockUse {
public:
    [[nodiscard]] BlockUse(PooledMemory<DeviceBuffer>* block, StreamView stream)
        : block_{block}, stream_{stream} {
        if (block_) block_->begin_use(stream_);
    }
    ~BlockUse();
    BlockUse(const BlockUse&) = delete;
    BlockUse& operator=(const BlockUse&) = delete;

private:
    PooledMemory<DeviceBuffer>* block_;
    StreamView stream_;
};

} // namespace lathe::gpu
