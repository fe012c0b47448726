// SPDX-License-Identifier: MIT
#include "python/bind/kernel/unwatched_launches.h"

#include "gpu/array/graphics_memory.h"
#include "gpu/context.h"
#include "gpu/stream.h"
#include "python/bind/bind.h"

#include <atomic>
#include <chrono>

namespace lathe::bind {

namespace {

std::atomic<bool> unwatched_launches{false};

} // namespace

void note_unwatched_launch() noexcept { unwatched_launches.store(true, std::memory_order_relaxed); }

void look_after_launches(bool wait) {
    if (!unwatched_launches.exchange(false)) return;
    const gpu::StreamView stream = gpu::StreamView::legacy();
    gpu::Context::ensure_current();
    if (!wait && !stream.wait_for(std::chrono::nanoseconds{0})) {
        unwatched_launches = true; // another time
        return;
    }
    stream.synchronize();
}

void wait_for_kernels(const gpu::Array& array) {
    gpu::Context::ensure_current();
    if (array.graphics()) return array.graphics()->wait();
    if (!unwatched_launches) return;
    const auto all = gpu::StreamView::legacy();
    while (!all.wait_for(std::chrono::milliseconds{50})) {
        try {
            raise_interrupt();
        } catch (...) {
            all.cancel();
            throw;
        }
    }
    all.synchronize();
}

} // namespace lathe::bind
