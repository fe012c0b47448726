// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/code_pages.h"

#include <llvm/Support/Memory.h>

#include <cerrno>
#include <iterator>
#include <new>
#include <system_error>

#include <sys/mman.h>

namespace lathe::soft::jit {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kReserved = std::size_t{1} << 30;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

} // namespace

CodePages& CodePages::instance() {
    static auto* pages = new CodePages;
    return *pages;
}

CodePages::CodePages() {
    void* p =
        mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc{};
    base_ = static_cast<std::byte*>(p);
    free_.emplace(0, kReserved);
}

llvm::sys::MemoryBlock
CodePages::allocateMappedMemory(llvm::SectionMemoryManager::AllocationPurpose, std::size_t bytes,
                                const llvm::sys::MemoryBlock*, unsigned flags,
                                std::error_code& failed) {
    failed.clear();
    const std::size_t wanted = whole_pages(bytes);
    if (wanted == 0) return {};
    std::size_t offset = kReserved;
    {
        std::lock_guard lock{mutex_};
        for (auto run = free_.begin(); run != free_.end(); ++run) {
            if (run->second < wanted) continue;
            offset = run->first;
            const std::size_t left = run->second - wanted;
            free_.erase(run);
            if (left) free_.emplace(offset + wanted, left);
            break;
        }
    }
    if (offset == kReserved) {
        failed = std::make_error_code(std::errc::not_enough_memory);
        return {};
    }
    llvm::sys::MemoryBlock block{base_ + offset, wanted};
    failed = protectMappedMemory(block, flags);
    if (failed) {
        (void)releaseMappedMemory(block);
        return {};
    }
    return block;
}

std::error_code CodePages::protectMappedMemory(const llvm::sys::MemoryBlock& block,
                                               unsigned flags) {
    return llvm::sys::Memory::protectMappedMemory(block, flags);
}

std::error_code CodePages::releaseMappedMemory(llvm::sys::MemoryBlock& block) {
    auto* begin = static_cast<std::byte*>(block.base());
    std::size_t bytes = whole_pages(block.allocatedSize());
    if (!begin || bytes == 0) return {};
    madvise(begin, bytes, MADV_DONTNEED);
    if (mprotect(begin, bytes, PROT_NONE) != 0) return {errno, std::generic_category()};
    auto offset = static_cast<std::size_t>(begin - base_);
    std::lock_guard lock{mutex_};
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + bytes) {
        bytes += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin() && std::prev(next)->first + std::prev(next)->second == offset)
        std::prev(next)->second += bytes;
    else free_.emplace(offset, bytes);
    block = {};
    return {};
}

} // namespace lathe::soft::jit
