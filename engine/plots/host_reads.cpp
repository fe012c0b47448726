// SPDX-License-Identifier: MIT
#include "engine/plots/host_reads.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"

#include <utility>

namespace lathe {

void HostReads::read(const gpu::Array& array, Take take) {
    if (!is_open_) throw Error{"the App whose plot this is has ended"};
    if (!pool_) pool_ = gpu::make_pinned_pool();
    Read made;
    made.bytes = array.bytes();
    made.take = std::move(take);
    if (events_.empty()) events_.emplace_back(gpu::EventConfig{.timing = false});
    made.arrived = std::move(events_.back());
    events_.pop_back();
    if (made.bytes > 0) {
        made.memory = gpu::PinnedPool::allocate(pool_, made.bytes);
        made.memory.begin_use(stream_);
        gpu::copy_to_host(made.memory.memory().data(), array.address(), made.bytes, stream_);
        made.memory.end_use(stream_);
    }
    made.arrived.record(stream_);
    reads_.push_back(std::move(made));
}

void HostReads::hand_on(bool has_failed) {
    Read first = std::move(reads_.front());
    reads_.pop_front();
    events_.push_back(std::move(first.arrived));
    std::span<const std::byte> bytes;
    if (!has_failed && first.memory) bytes = first.memory.memory().span().first(first.bytes);
    first.take(bytes);
}

void HostReads::poll() {
    while (!reads_.empty()) {
        bool has_failed = false;
        try {
            if (!reads_.front().arrived.done()) return;
        } catch (const gpu::Error&) { has_failed = true; } // who waits for the stream reports it
        hand_on(has_failed);
    }
}

void HostReads::wait() {
    while (!reads_.empty()) {
        bool has_failed = false;
        try {
            reads_.front().arrived.synchronize();
        } catch (const gpu::Error&) { has_failed = true; }
        hand_on(has_failed);
    }
}

void HostReads::close() noexcept {
    is_open_ = false;
    reads_.clear();
    events_.clear();
    pool_.reset();
}

} // namespace lathe
