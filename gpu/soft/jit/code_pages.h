// SPDX-License-Identifier: MIT
// One reservation for all compiled code and its data: code reaches constants and the table of
// far addresses by 32-bit offsets, so no two sections may lie more than 2 GiB apart.
#pragma once

#include <llvm/ExecutionEngine/SectionMemoryManager.h>

#include <cstddef>
#include <map>
#include <mutex>

namespace lathe::soft::jit {

/// Hands pages of the reservation to SectionMemoryManager. Thread-safe.
class CodePages final : public llvm::SectionMemoryManager::MemoryMapper {
public:
    /// Of the process; never destroyed, because code may run until its end.
    static CodePages& instance();

    llvm::sys::MemoryBlock
    allocateMappedMemory(llvm::SectionMemoryManager::AllocationPurpose purpose, std::size_t bytes,
                         const llvm::sys::MemoryBlock* near, unsigned flags,
                         std::error_code& failed) override;
    std::error_code protectMappedMemory(const llvm::sys::MemoryBlock& block,
                                        unsigned flags) override;
    std::error_code releaseMappedMemory(llvm::sys::MemoryBlock& block) override;

private:
    CodePages();

    std::byte* base_ = nullptr;
    std::mutex mutex_;
    std::map<std::size_t, std::size_t> free_; ///< offset → bytes, whole pages, never adjacent
};

} // namespace lathe::soft::jit
