// SPDX-License-Identifier: MIT
// Blocks of the arena whose memory other processes can map.
#include "gpu/soft/rt/arena.h"

#include "gpu/soft/rt/page.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace lathe::soft {

Arena::Shared Arena::share(void* block) {
    std::lock_guard lock{mutex_};
    const auto it = open_.find(block);
    if (it == open_.end()) return {};
    Run& run = it->second;
    std::byte* const data = address_of(run.page + 1);
    const std::size_t bytes = (run.pages - 2) * kPage;
    const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - data);
    if (run.file >= 0) return {run.file, offset, bytes};
    if (spare_ && spare_() < bytes) return {}; // both are in memory for a moment
    const int file = memfd_create("lathe-soft-memory", MFD_CLOEXEC);
    if (file < 0) return {};
    const auto give_up = [&] {
        ::close(file);
        return Shared{};
    };
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0) return give_up();
    void* const target = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (target == MAP_FAILED) return give_up();
    // Pages of zeros stay without memory, as they may be here.
    static constexpr std::byte kZeros[kPage] = {};
    for (std::size_t at = 0; at < bytes; at += kPage)
        if (std::memcmp(data + at, kZeros, kPage) != 0)
            std::memcpy(static_cast<std::byte*>(target) + at, data + at, kPage);
    munmap(target, bytes);
    if (mmap(data, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
        return give_up();
    run.file = file;
    run.is_touched = false;
    return {file, offset, bytes};
}

// The pages are ours alone again, without memory. Others may keep theirs of the file.
void Arena::unshare(const Run& run) {
    mmap(address_of(run.page + 1), (run.pages - 2) * kPage, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    madvise(address_of(run.page + 1), (run.pages - 2) * kPage, MADV_DONTDUMP);
    ::close(run.file);
}

} // namespace lathe::soft
