// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/grid_watch.h"

#include "engine/core/log.h"
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/watch/findings.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <utility>

namespace lathe::soft {

void WatchedPage::lock() {
    constexpr unsigned kSpins = 200;
    const std::uint32_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    for (unsigned k = 0; serving_.load(std::memory_order_acquire) != ticket; ++k)
        if (k % kSpins == kSpins - 1) std::this_thread::yield();
}

DeviceCells& DeviceCells::instance() {
    static auto* const cells = new DeviceCells;
    return *cells;
}

DeviceCells::DeviceCells() {
    Arena& arena = Arena::instance();
    first_ = arena.first_address();
    bytes_ = arena.reserved_bytes();
    void* p = mmap(nullptr, bytes_ / WatchedPage::kBytes * sizeof *pages_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc{};
    pages_ = static_cast<std::atomic<WatchedPage*>*>(p); // zeros: null pointers
    constexpr std::uint64_t kPageOfCells = WatchedPage::kBytes / 4 * RaceCells::kBytesOfCell;
    most_ = std::max<std::uint64_t>(arena.free_bytes() / 4 / kPageOfCells, 1024);
}

WatchedPage* DeviceCells::page(std::uint64_t address) {
    if (address - first_ >= bytes_) return nullptr;
    std::atomic<WatchedPage*>& place = pages_[(address - first_) / WatchedPage::kBytes];
    if (WatchedPage* page = place.load(std::memory_order_acquire)) return page;
    std::lock_guard lock{mutex_};
    if (WatchedPage* page = place.load(std::memory_order_acquire)) return page;
    if (made_.size() >= most_) {
        if (!std::exchange(is_full_, true))
            log::warning("the inspector has no memory left to watch more global memory: races are "
                         "found in the first {} MiB that kernels touch",
                         most_ * WatchedPage::kBytes >> 20);
        return nullptr;
    }
    made_.push_back(&place);
    auto* const page = new WatchedPage;
    place.store(page, std::memory_order_release);
    return page;
}

void DeviceCells::drop() {
    std::lock_guard lock{mutex_};
    for (std::atomic<WatchedPage*>* place : made_) delete place->exchange(nullptr);
    made_.clear();
    is_full_ = false;
}

namespace {

struct Watched {
    std::mutex mutex;
    int grids = 0;
};
Watched& watched() {
    static auto* const instance = new Watched;
    return *instance;
}

} // namespace

GridWatch::GridWatch(std::uint64_t grid, std::uint32_t kinds) : grid_{grid}, kinds_{kinds} {
    std::lock_guard lock{watched().mutex};
    AccessBook& book = AccessBook::instance();
    if (watched().grids == 0 && book.next() > ~0u / 2) {
        DeviceCells::instance().drop();
        book.restart();
    }
    first_number_ = book.next();
    ++watched().grids;
}

GridWatch::~GridWatch() {
    Findings::instance().forget_launch(grid_);
    std::lock_guard lock{watched().mutex};
    if (--watched().grids != 0) return;
    AccessBook::instance().drop();
    if (!Findings::instance().kinds()) DeviceCells::instance().drop();
}

void GridWatch::drop_cells() {
    std::lock_guard lock{watched().mutex};
    if (watched().grids == 0) DeviceCells::instance().drop();
}

void GridWatch::release(std::uint32_t block, const BlockOrder::Clocks& clocks) {
    std::lock_guard lock{mutex_};
    const std::uint64_t now = time_.fetch_add(1, std::memory_order_acq_rel) + 1;
    Released& released = released_.try_emplace(block, Released{now, {}}).first->second;
    for (std::size_t w = 0; w < clocks.size(); ++w)
        released.clocks[w] = std::max(released.clocks[w], clocks[w]);
}

bool GridWatch::is_released(const NumberedAccess& access, std::uint64_t time) {
    std::lock_guard lock{mutex_};
    const auto found = released_.find(access.block);
    return found != released_.end() && found->second.first_time <= time &&
           found->second.clocks[access.warp] >= access.clock;
}

} // namespace lathe::soft
