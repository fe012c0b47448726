// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/access_book.h"

#include "engine/core/log.h"

#include <new>
#include <sys/mman.h>
#include <utility>

namespace lathe::soft {

AccessBook& AccessBook::instance() {
    static auto* const book = new AccessBook;
    return *book;
}

AccessBook::AccessBook() {
    void* p = mmap(nullptr, (kPages + 1) * sizeof *pages_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc{};
    pages_ = static_cast<std::atomic<Page*>*>(p); // zeros: null pointers
}

std::uint32_t AccessBook::open(std::uint64_t grid) {
    std::lock_guard lock{mutex_};
    const std::uint32_t page = next_.load(std::memory_order_relaxed);
    if (open_.size() >= kMostPages || page >= kPages) {
        if (!std::exchange(is_full_, true))
            log::warning("the inspector has no memory left to remember more accesses: races are "
                         "found among the first ones of this launch");
        return 0;
    }
    open_.push_back(page);
    auto* const made = new Page;
    made->grid = grid;
    pages_[page].store(made, std::memory_order_release);
    next_.store(page + 1, std::memory_order_release);
    return page * kPage;
}

void AccessBook::drop() {
    std::lock_guard lock{mutex_};
    for (const std::uint32_t page : open_) delete pages_[page].exchange(nullptr);
    open_.clear();
    is_full_ = false;
}

void AccessBook::restart() {
    drop();
    next_.store(1, std::memory_order_release);
}

} // namespace lathe::soft
