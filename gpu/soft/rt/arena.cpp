// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/arena.h"

#include "gpu/soft/rt/host_memory.h"
#include "gpu/soft/rt/page.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace lathe::soft {

namespace {
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kMiB = std::size_t{1} << 20, kGiB = std::size_t{1} << 30;
constexpr std::size_t kClosedLimit = 512 * kMiB; // kept for reuse
constexpr std::size_t kOfferAfter = 256 * kMiB; // of them, before the machine may have their memory
constexpr std::size_t kLazy = std::size_t{64} << 10; // smaller ones keep their memory
constexpr std::size_t kLarge = 64 * kMiB;            // before each the machine is looked at
constexpr std::size_t kOften = 256 * kMiB; // smaller ones in all, before it is looked at again
constexpr std::size_t kNoise = 64 * kMiB;  // changes of available memory that do not count
constexpr auto kFresh = std::chrono::milliseconds{10};
} // namespace

Arena::Arena(std::size_t reserved_bytes, std::size_t limit_bytes, Spare spare)
    : pages_{reserved_bytes / kPage}, limit_{limit_bytes}, spare_{std::move(spare)},
      budget_{limit_bytes} {
    void* p = mmap(nullptr, pages_ * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc{};
    madvise(p, pages_ * kPage, MADV_DONTDUMP);
    base_ = static_cast<std::byte*>(p);
    free_.emplace(0, pages_);
}

Arena::~Arena() {
    for (const auto& [block, run] : open_)
        if (run.file >= 0) ::close(run.file);
    munmap(base_, pages_ * kPage);
}

Arena& Arena::instance() {
    static Arena* arena = [] {
        const std::size_t total = host_memory().total;
        std::size_t reserve = std::min(std::clamp(total / 8, kMiB * 256, 4 * kGiB), total / 2);
        std::size_t limit = total - reserve;
        if (const char* mb = std::getenv("LATHE_SOFT_MEMORY_MB"))
            if (auto value = std::strtoull(mb, nullptr, 10)) {
                limit = value << 20;
                reserve = 0;
            }
        return new Arena{std::max(64 * kGiB, 2 * limit), limit, [reserve] {
                             const std::size_t available = host_memory().available;
                             return available - std::min(available, reserve);
                         }};
    }();
    return *arena;
}

std::size_t Arena::reserved_bytes() const { return pages_ * kPage; }

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

// Pages of open blocks that no one has touched: the machine has yet to give them.
std::size_t Arena::untouched_bytes() {
    std::size_t untouched = 0;
    std::vector<unsigned char> in_memory;
    for (auto& [block, run] : open_) {
        if (run.is_touched) continue;
        in_memory.resize(run.pages - 2);
        if (mincore(address_of(run.page + 1), in_memory.size() * kPage, in_memory.data()) != 0)
            continue;
        const auto there = std::count_if(in_memory.begin(), in_memory.end(),
                                         [](unsigned char page) { return page & 1; });
        untouched += (in_memory.size() - static_cast<std::size_t>(there)) * kPage;
        run.is_touched = static_cast<std::size_t>(there) == in_memory.size();
    }
    return untouched;
}

void Arena::look() {
    const std::size_t spare = spare_(), untouched = untouched_bytes();
    const std::size_t found = std::min(limit_, used_ + spare - std::min(spare, untouched));
    const std::size_t change = found > budget_ ? found - budget_ : budget_ - found;
    if (change >= kNoise || found == limit_ || found < kNoise) budget_ = found;
    since_look_ = 0;
    looked_ = Clock::now();
}

bool Arena::has_room(std::size_t bytes) {
    if (used_ + bytes > limit_) return false;
    if (!spare_) return true;
    if (bytes >= kLarge || since_look_ + bytes > kOften || used_ + bytes > budget_) look();
    return used_ + bytes <= budget_;
}

std::size_t Arena::free_bytes() {
    std::lock_guard lock{mutex_};
    if (spare_ && Clock::now() - looked_ > kFresh) look();
    return budget_ - std::min(budget_, used_);
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
        for (const Closed& block : list) {
            madvise(address_of(block.page), pages * kPage, MADV_DONTNEED);
            give_pages({block.page, pages});
        }
    closed_.clear();
    closed_bytes_ = unoffered_bytes_ = 0;
}

// A program that frees and allocates the same sizes in turn never comes to this.
void Arena::offer_closed_blocks() {
    for (auto& [pages, list] : closed_)
        for (Closed& block : list) {
            if (std::exchange(block.is_offered, true) || pages * kPage < kLazy) continue;
            madvise(address_of(block.page), pages * kPage, MADV_FREE);
        }
    unoffered_bytes_ = 0;
}

void* Arena::allocate(std::size_t bytes) {
    if (bytes == 0 || bytes > limit_) return nullptr;
    std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    // One closed page before the data and one behind it belong to the block.
    std::size_t data_pages = (rounded + kPage - 1) / kPage, pages = data_pages + 2;

    std::lock_guard lock{mutex_};
    if (!has_room(data_pages * kPage)) {
        if (!closed_bytes_ || used_ + data_pages * kPage > limit_) return nullptr;
        drop_closed_blocks(); // memory that the machine may count as ours still
        if (!has_room(data_pages * kPage)) return nullptr;
    }
    std::size_t page = pages_;
    if (auto it = closed_.find(pages); it != closed_.end() && !it->second.empty()) {
        const Closed block = it->second.front(); // closed longest: late uses had time to fault
        it->second.pop_front();
        page = block.page;
        closed_bytes_ -= data_pages * kPage;
        if (!block.is_offered) unoffered_bytes_ -= data_pages * kPage;
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
    since_look_ += data_pages * kPage;
    return block;
}

void Arena::release(void* block) {
    std::lock_guard lock{mutex_};
    auto it = open_.find(block);
    if (it == open_.end()) return;
    const Run run = it->second;
    open_.erase(it);
    const std::size_t bytes = (run.pages - 2) * kPage;
    std::byte* const data = address_of(run.page + 1);
    used_ -= bytes;
    since_look_ -= std::min(since_look_, bytes);
    if (run.file >= 0) {
        unshare(run);
        return give_pages(run);
    }
    mprotect(data, bytes, PROT_NONE);
    closed_[run.pages].push_back({run.page, false});
    closed_bytes_ += bytes;
    unoffered_bytes_ += bytes;
    if (closed_bytes_ > kClosedLimit) drop_closed_blocks();
    else if (unoffered_bytes_ > kOfferAfter) offer_closed_blocks();
}

void Arena::close(void* block) {
    std::lock_guard lock{mutex_};
    auto it = open_.find(block);
    if (it == open_.end()) return;
    mprotect(address_of(it->second.page + 1), (it->second.pages - 2) * kPage, PROT_NONE);
}

void Arena::drop(void* block) {
    std::lock_guard lock{mutex_};
    const auto it = open_.find(block);
    if (it == open_.end()) return;
    madvise(address_of(it->second.page + 1), (it->second.pages - 2) * kPage, MADV_DONTNEED);
    it->second.is_touched = false;
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
