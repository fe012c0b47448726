// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/arena.h"

#include "gpu/soft/rt/page.h"

#include <cstdlib>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace lathe::soft {

namespace {
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kClosedLimit = std::size_t{512} << 20; // kept for reuse, still in memory
} // namespace

Arena::Arena(std::size_t reserved_bytes, std::size_t limit_bytes)
    : pages_{reserved_bytes / kPage}, limit_{limit_bytes} {
    void* p = mmap(nullptr, pages_ * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc{};
    madvise(p, pages_ * kPage, MADV_DONTDUMP);
    base_ = static_cast<std::byte*>(p);
    free_.emplace(0, pages_);
}

Arena::~Arena() { munmap(base_, pages_ * kPage); }

Arena& Arena::instance() {
    static Arena* arena = [] {
        std::size_t physical = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        std::size_t limit = physical / 4 * 3;
        if (const char* mb = std::getenv("LATHE_SOFT_MEMORY_MB"))
            if (auto value = std::strtoull(mb, nullptr, 10)) limit = value << 20;
        constexpr std::size_t reserved = std::size_t{64} << 30;
        return new Arena{reserved, std::min(limit, reserved / 2)};
    }();
    return *arena;
}

std::byte* Arena::address_of(std::size_t page) const { return base_ + page * kPage; }

bool Arena::contains(const void* p) const {
    auto address = reinterpret_cast<std::uintptr_t>(p);
    auto base = reinterpret_cast<std::uintptr_t>(base_);
    return address >= base && address - base < pages_ * kPage;
}

std::size_t Arena::used_bytes() const {
    std::lock_guard lock{mutex_};
    return used_;
}

// Finds `pages` untouched pages (first fit); pages_ means "none".
std::size_t Arena::take_pages(std::size_t pages) {
    for (auto it = free_.begin(); it != free_.end(); ++it) {
        if (it->second < pages) continue;
        Run rest{it->first + pages, it->second - pages};
        std::size_t page = it->first;
        free_.erase(it);
        if (rest.pages) free_.emplace(rest.page, rest.pages);
        return page;
    }
    return pages_;
}

void Arena::give_pages(Run run) {
    auto next = free_.lower_bound(run.page);
    if (next != free_.end() && next->first == run.page + run.pages) {
        run.pages += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second == run.page) {
            before->second += run.pages;
            return;
        }
    }
    free_.emplace(run.page, run.pages);
}

void Arena::drop_closed_blocks() {
    for (auto& [pages, list] : closed_)
        for (std::size_t page : list) {
            madvise(address_of(page), pages * kPage, MADV_DONTNEED);
            give_pages({page, pages});
        }
    closed_.clear();
    closed_bytes_ = 0;
}

void* Arena::allocate(std::size_t bytes) {
    if (bytes == 0 || bytes > limit_) return nullptr;
    std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    // One closed page before the data and one behind it belong to the block.
    std::size_t data_pages = (rounded + kPage - 1) / kPage, pages = data_pages + 2;

    std::lock_guard lock{mutex_};
    if (used_ + data_pages * kPage > limit_) return nullptr;
    std::size_t page = pages_;
    if (auto it = closed_.find(pages); it != closed_.end() && !it->second.empty()) {
        page = it->second.front(); // the one closed longest: late uses of it had time to fault
        it->second.pop_front();
        closed_bytes_ -= data_pages * kPage;
    } else {
        if (used_ + closed_bytes_ + data_pages * kPage > limit_) drop_closed_blocks();
        page = take_pages(pages);
        if (page == pages_) {
            drop_closed_blocks();
            page = take_pages(pages);
        }
        if (page == pages_) return nullptr;
    }
    std::byte* data = address_of(page + 1);
    if (mprotect(data, data_pages * kPage, PROT_READ | PROT_WRITE) != 0) {
        give_pages({page, pages});
        return nullptr;
    }
    void* block = data + data_pages * kPage - rounded;
    open_.emplace(block, Run{page, pages});
    used_ += data_pages * kPage;
    return block;
}

void Arena::release(void* block) {
    std::lock_guard lock{mutex_};
    auto it = open_.find(block);
    if (it == open_.end()) return;
    Run run = it->second;
    open_.erase(it);
    std::size_t bytes = (run.pages - 2) * kPage;
    mprotect(address_of(run.page + 1), bytes, PROT_NONE);
    used_ -= bytes;
    closed_[run.pages].push_back(run.page);
    closed_bytes_ += bytes;
    if (closed_bytes_ > kClosedLimit) drop_closed_blocks();
}

void Arena::close(void* block) {
    std::lock_guard lock{mutex_};
    auto it = open_.find(block);
    if (it == open_.end()) return;
    mprotect(address_of(it->second.page + 1), (it->second.pages - 2) * kPage, PROT_NONE);
}

void* Arena::reopen(void* block, std::size_t bytes) {
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    std::lock_guard lock{mutex_};
    auto it = open_.find(block);
    if (it == open_.end()) return nullptr;
    const Run run = it->second;
    const std::size_t data_bytes = (run.pages - 2) * kPage;
    if (block_bytes(bytes) != data_bytes) return nullptr;
    std::byte* data = address_of(run.page + 1);
    if (mprotect(data, data_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    open_.erase(it);
    void* opened = data + data_bytes - rounded;
    open_.emplace(opened, run);
    return opened;
}

std::size_t Arena::block_bytes(std::size_t bytes) {
    const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return (rounded + kPage - 1) / kPage * kPage;
}

} // namespace lathe::soft
