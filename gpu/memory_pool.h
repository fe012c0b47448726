// SPDX-License-Identifier: MIT
// Pools of device and of page-locked memory: a freed block is kept for the next allocation of about
// its size, which then needs no driver call.
//
// Who may have a block next: work on the legacy default stream, and on streams that order
// themselves against it, may use a block as soon as it is allocated again. For all other work the
// pool is told (begin_use, end_use), and gives a block away only when the work told of is done.
#pragma once

#include "engine/core/api.h"
#include "gpu/context.h"
#include "gpu/event.h"
#include "gpu/memory.h"
#include "gpu/stream.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace lathe::gpu {

/// The bin whose blocks serve `bytes`, and the bytes of its blocks: at least as many, and at most
/// 1/16 more. Powers of two are met exactly. 0 bytes get a block of 1.
LATHE_API unsigned pool_bin(std::size_t bytes) noexcept;
LATHE_API std::size_t pool_block_bytes(unsigned bin) noexcept;

struct PoolCounts {
    std::size_t held_blocks = 0;   ///< kept for later
    std::size_t active_blocks = 0; ///< on loan
    std::size_t managed_bytes = 0; ///< of both, as the driver gave them
    std::size_t active_bytes = 0;  ///< asked for by those on loan
};

template <class Memory> class PooledMemory;

enum class BlockSizes {
    binned, ///< rounded up to bins, sixteen to a power of two
    exact   ///< as asked for: for devices that find accesses behind the end of a block
};

/// `Memory` is DeviceBuffer or PinnedBuffer. All functions may be called by any thread at any time.
/// Blocks keep their pool alive, and both may outlive the context, with which their memory ends.
template <class Memory> class MemoryPool {
public:
    /// Makes a block of that many bytes; throws gpu::Error where there is not enough memory.
    using Make = std::function<Memory(std::size_t bytes)>;

    /// Blocks are made in `context`; an empty one leaves that to `make`.
    MemoryPool(Context context, Make make, BlockSizes sizes = BlockSizes::binned)
        : context_{context}, make_{std::move(make)}, sizes_{sizes} {}
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    /// A block of `bytes` or more, contents undefined. Where memory is short `make_room` is called
    /// (without the pool's lock), then what the pool holds is freed, and each time tried once more.
    /// Throws gpu::Error (out of memory, or the context was destroyed).
    static PooledMemory<Memory> allocate(const std::shared_ptr<MemoryPool>& pool, std::size_t bytes,
                                         const std::function<void()>& make_room = {});
    /// The same where a held block serves; empty where none does. Does not allocate.
    static PooledMemory<Memory> reuse(const std::shared_ptr<MemoryPool>& pool, std::size_t bytes);
    /// Gives all held blocks back to the driver. Blocks while work that uses them runs.
    void free_held();
    /// The same, and keeps none from now on.
    void stop_holding();
    PoolCounts counts() const;

private:
    friend class PooledMemory<Memory>;
    /// The last work on a stream, so far as the pool was told.
    struct Use {
        unsigned long long stream = 0; ///< its number
        Event event;
    };
    struct Block {
        Memory memory;
        std::vector<Use> uses; ///< may still run
    };

    std::size_t block_bytes(std::size_t bytes) const noexcept;
    std::optional<Block> take(std::size_t block_bytes, std::size_t bytes);
    Block make(std::size_t block_bytes, std::size_t bytes);
    void give_back(Block block, std::size_t block_bytes, std::size_t bytes) noexcept;
    std::vector<Block> make_room_for(std::size_t block_bytes);
    bool is_idle(Block& block) const noexcept;

    const Context context_;
    const Make make_;
    const BlockSizes sizes_;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::vector<Block>> held_; // by bytes; guarded by mutex_, as all below
    PoolCounts counts_;
    bool holds_ = true;
};

/// A block on loan; back in its pool when destroyed.
template <class Memory> class PooledMemory {
public:
    PooledMemory() = default; ///< empty
    PooledMemory(PooledMemory&& other) noexcept { *this = std::move(other); }
    PooledMemory& operator=(PooledMemory&& other) noexcept;
    ~PooledMemory() { free(); }

    explicit operator bool() const noexcept { return pool_ != nullptr; }
    /// At least bytes() long; empty once freed.
    const Memory& memory() const noexcept { return block_.memory; }
    std::size_t bytes() const noexcept { return bytes_; } ///< as asked for
    /// Back to the pool now; again: does nothing.
    void free() noexcept;

    /// Around the calls that issue work on `stream` which uses the block: before, so that the work
    /// comes after that of the block's last owner, and after, so that the next owner comes after
    /// it. Needed for streams that do not order themselves against the legacy default stream, for
    /// others beside it, and for page-locked memory always; else cheap. (cuEventRecord)
    /// Work that goes to a graph is not followed: keep the block while the graph may be launched.
    void begin_use(StreamView stream);
    void end_use(StreamView stream);

private:
    friend class MemoryPool<Memory>;
    std::shared_ptr<MemoryPool<Memory>> pool_;
    typename MemoryPool<Memory>::Block block_;
    std::size_t block_bytes_ = 0;
    std::size_t bytes_ = 0;
    bool is_used_before_ = false; ///< by an earlier owner
};

using DevicePool = MemoryPool<DeviceBuffer>;
using PinnedPool = MemoryPool<PinnedBuffer>;

/// Pools of the current context.
LATHE_API std::shared_ptr<DevicePool> make_device_pool(BlockSizes sizes = BlockSizes::binned);
LATHE_API std::shared_ptr<PinnedPool> make_pinned_pool(const PinnedConfig& config = {});

extern template class LATHE_API MemoryPool<DeviceBuffer>;
extern template class LATHE_API MemoryPool<PinnedBuffer>;
extern template class LATHE_API PooledMemory<DeviceBuffer>;
extern template class LATHE_API PooledMemory<PinnedBuffer>;

} // namespace lathe::gpu
