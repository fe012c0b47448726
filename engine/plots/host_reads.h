// SPDX-License-Identifier: MIT
// Bytes of the device that the host wants soon: copied in the order of a stream into page-locked
// memory, and handed on, in the order in which they were asked for, when they have arrived. Nobody
// waits.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/event.h"
#include "gpu/memory_pool.h"
#include "gpu/stream.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace lathe {

class LATHE_API HostReads {
public:
    /// Gets the bytes; none where the device has failed.
    using Take = std::function<void(std::span<const std::byte>)>;

    /// The stream takes turns with the legacy default stream. It lives as long as this, or until
    /// close().
    explicit HostReads(gpu::StreamView stream) : stream_{stream} {}

    /// All elements of an array in C order, as they are after the work given to the stream and to
    /// the legacy default stream so far; later work may change them. Throws gpu::Error, and
    /// lathe::Error after close().
    void read(const gpu::Array& array, Take take);
    /// Hands on what has arrived.
    void poll();
    /// Waits for all, and hands it on.
    void wait();
    /// What was asked for is forgotten, and so is the stream.
    void close() noexcept;

private:
    struct Read {
        gpu::PooledMemory<gpu::PinnedBuffer> memory;
        std::size_t bytes = 0;
        gpu::Event arrived;
        Take take;
    };
    void hand_on(bool has_failed);

    gpu::StreamView stream_;
    bool is_open_ = true;
    std::shared_ptr<gpu::PinnedPool> pool_; ///< made by the first read
    std::vector<gpu::Event> events_;        ///< to be used again
    std::deque<Read> reads_;
};

} // namespace lathe
