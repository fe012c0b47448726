// SPDX-License-Identifier: MIT
#include "gpu/memory_pool.h"

#include "engine/core/log.h"
#include "gpu/driver/check.h"
#include "gpu/inspect/hazards.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

namespace lathe::gpu {
namespace {

constexpr unsigned kBits = 4; // sixteen bins to a power of two
constexpr std::size_t kLargest = std::size_t{1} << 62;
constexpr std::size_t kMostSizes = 512; ///< that are held; bins are hardly as many

/// Host memory is written by the host, which no stream holds back.
template <class Memory> constexpr bool host_reaches = std::is_same_v<Memory, PinnedBuffer>;

/// Handles are used again when a stream is gone, these numbers are not.
unsigned long long number_of(StreamView stream) {
    unsigned long long id = 0;
    const auto get = driver().cuStreamGetId;
    if (get && get(stream.get(), &id) == CUDA_SUCCESS) return id;
    return reinterpret_cast<std::uintptr_t>(stream.get());
}

bool is_capturing(StreamView stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver().cuStreamIsCapturing(stream.get(), &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool is_legacy(CUstream stream) { return stream == nullptr || stream == CU_STREAM_LEGACY; }

} // namespace

// A bin is named by the exponent and the four bits below it of the greatest number beneath it.
unsigned pool_bin(std::size_t bytes) noexcept {
    if (bytes <= 1) return 0;
    const std::size_t below = std::min(bytes, kLargest) - 1;
    const unsigned exponent = static_cast<unsigned>(std::bit_width(below)) - 1;
    const std::size_t bits =
        exponent >= kBits ? below >> (exponent - kBits) : below << (kBits - exponent);
    return (exponent << kBits) + (static_cast<unsigned>(bits) & ((1u << kBits) - 1)) + 1;
}

std::size_t pool_block_bytes(unsigned bin) noexcept {
    const unsigned exponent = bin >> kBits;
    const std::size_t bits = (std::size_t{1} << kBits) + (bin & ((1u << kBits) - 1));
    if (exponent >= kBits) return bits << std::min(exponent - kBits, 62 - kBits);
    const unsigned shift = kBits - exponent;
    return (bits + (std::size_t{1} << shift) - 1) >> shift;
}

template <class Memory> bool MemoryPool<Memory>::is_idle(Block& block) const noexcept {
    if (block.uses.empty()) return true;
    try {
        std::optional<CurrentContext> scope;
        if (context_) scope.emplace(context_);
        std::erase_if(block.uses, [](const Use& use) { return use.event.done(); });
    } catch (const lathe::Error&) {
        return false; // the device failed, or is captured
    }
    return block.uses.empty();
}

template <class Memory>
std::size_t MemoryPool<Memory>::block_bytes(std::size_t bytes) const noexcept {
    return sizes_ == BlockSizes::exact ? std::max<std::size_t>(bytes, 1)
                                       : pool_block_bytes(pool_bin(bytes));
}

template <class Memory>
auto MemoryPool<Memory>::take(std::size_t block_bytes, std::size_t bytes) -> std::optional<Block> {
    std::lock_guard lock{mutex_};
    const auto found = held_.find(block_bytes);
    if (found == held_.end()) return std::nullopt;
    std::vector<Block>& blocks = found->second;
    for (std::size_t k = blocks.size(); k-- > 0;) { // the last one freed is warm in caches
        if (!is_idle(blocks[k])) continue;
        std::optional<Block> taken{std::move(blocks[k])};
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
        --counts_.held_blocks;
        ++counts_.active_blocks;
        counts_.active_bytes += bytes;
        return taken;
    }
    return std::nullopt;
}

template <class Memory>
auto MemoryPool<Memory>::make(std::size_t block_bytes, std::size_t bytes) -> Block {
    std::optional<CurrentContext> scope;
    if (context_) scope.emplace(context_);
    Block block{make_(block_bytes), {}};
    std::lock_guard lock{mutex_};
    ++counts_.active_blocks;
    counts_.active_bytes += bytes;
    counts_.managed_bytes += block_bytes;
    return block;
}

template <class Memory>
PooledMemory<Memory> MemoryPool<Memory>::reuse(const std::shared_ptr<MemoryPool>& pool,
                                               std::size_t bytes) {
    if (!pool->context_.is_alive())
        throw Error{"MemoryPool.allocate", CUDA_ERROR_INVALID_CONTEXT,
                    "the pool's context was destroyed"};
    if (pool->context_) Context::ensure_current(); // as for memory of the driver's
    PooledMemory<Memory> loan;
    loan.block_bytes_ = pool->block_bytes(bytes);
    loan.bytes_ = bytes;
    if (auto block = pool->take(loan.block_bytes_, bytes)) {
        loan.block_ = std::move(*block);
        loan.pool_ = pool;
        loan.is_used_before_ = true;
        if constexpr (!host_reaches<Memory>) note_new_memory(loan.block_.memory.address(), bytes);
    }
    return loan;
}

template <class Memory>
PooledMemory<Memory> MemoryPool<Memory>::allocate(const std::shared_ptr<MemoryPool>& pool,
                                                  std::size_t bytes,
                                                  const std::function<void()>& make_room) {
    if (bytes > kLargest)
        throw Error{"MemoryPool.allocate", CUDA_ERROR_OUT_OF_MEMORY,
                    fmt::format("{} bytes", bytes)};
    for (int attempt = 0;; ++attempt) {
        PooledMemory<Memory> loan = reuse(pool, bytes);
        if (loan) return loan;
        try {
            loan.block_ = pool->make(loan.block_bytes_, bytes);
            loan.pool_ = pool;
            return loan;
        } catch (const Error& error) {
            if (error.code() != CUDA_ERROR_OUT_OF_MEMORY || attempt == 2) throw;
        }
        if (attempt == 0 && make_room) make_room();
        else pool->free_held();
    }
}

/// Those of the largest other size, where too many sizes are held.
template <class Memory>
auto MemoryPool<Memory>::make_room_for(std::size_t block_bytes) -> std::vector<Block> {
    if (held_.size() < kMostSizes || held_.contains(block_bytes)) return {};
    const auto largest = std::prev(held_.end());
    std::vector<Block> freed = std::move(largest->second);
    counts_.held_blocks -= freed.size();
    counts_.managed_bytes -= freed.size() * largest->first;
    held_.erase(largest);
    return freed;
}

template <class Memory>
void MemoryPool<Memory>::give_back(Block block, std::size_t block_bytes,
                                   std::size_t bytes) noexcept {
    std::vector<Block> freed; // without the lock, as `block` where it is
    std::lock_guard lock{mutex_};
    --counts_.active_blocks;
    counts_.active_bytes -= bytes;
    try {
        if (holds_) {
            freed = make_room_for(block_bytes);
            held_[block_bytes].push_back(std::move(block));
            ++counts_.held_blocks;
            return;
        }
    } catch (const std::bad_alloc&) { log::warning("a pool has no memory to keep a block"); }
    counts_.managed_bytes -= block_bytes;
}

template <class Memory> void MemoryPool<Memory>::free_held() {
    std::map<std::size_t, std::vector<Block>> freed; // without the lock
    std::lock_guard lock{mutex_};
    for (const auto& [block_bytes, blocks] : held_)
        counts_.managed_bytes -= blocks.size() * block_bytes;
    counts_.held_blocks = 0;
    freed.swap(held_);
}

template <class Memory> void MemoryPool<Memory>::stop_holding() {
    {
        std::lock_guard lock{mutex_};
        holds_ = false;
    }
    free_held();
}

template <class Memory> PoolCounts MemoryPool<Memory>::counts() const {
    std::lock_guard lock{mutex_};
    return counts_;
}

template <class Memory>
PooledMemory<Memory>& PooledMemory<Memory>::operator=(PooledMemory&& other) noexcept {
    if (this == &other) return *this;
    free();
    pool_ = std::exchange(other.pool_, nullptr);
    block_ = std::exchange(other.block_, {});
    block_bytes_ = other.block_bytes_;
    bytes_ = std::exchange(other.bytes_, 0);
    is_used_before_ = other.is_used_before_;
    return *this;
}

template <class Memory> void PooledMemory<Memory>::free() noexcept {
    if (const auto pool = std::exchange(pool_, nullptr))
        pool->give_back(std::exchange(block_, {}), block_bytes_, std::exchange(bytes_, 0));
}

template <class Memory> void PooledMemory<Memory>::begin_use(StreamView stream) {
    if (host_reaches<Memory> || !is_used_before_ || !pool_ || is_legacy(stream.get())) return;
    const CurrentContext scope{pool_->context_};
    if (is_capturing(stream)) return; // what is asked about a stream meanwhile may spoil it
    const auto number = number_of(stream);
    for (const auto& use : block_.uses)
        if (use.stream == number) return;
    if (!(stream.flags() & CU_STREAM_NON_BLOCKING)) return; // waits of itself
    Event last{EventConfig{.timing = false}};
    last.record(StreamView::legacy());
    stream.wait_event(last);
}

template <class Memory> void PooledMemory<Memory>::end_use(StreamView stream) {
    if (!pool_ || (!host_reaches<Memory> && is_legacy(stream.get()))) return;
    const CurrentContext scope{pool_->context_};
    if (is_capturing(stream)) return;
    const auto number = number_of(stream);
    for (auto& use : block_.uses)
        if (use.stream == number) return use.event.record(stream);
    Event event{EventConfig{.timing = false}};
    event.record(stream);
    block_.uses.push_back({number, std::move(event)});
}

std::shared_ptr<DevicePool> make_device_pool(BlockSizes sizes) {
    return std::make_shared<DevicePool>(
        Context::ensure_current(), [](std::size_t bytes) { return DeviceBuffer{bytes}; }, sizes);
}

std::shared_ptr<PinnedPool> make_pinned_pool(const PinnedConfig& config) {
    return std::make_shared<PinnedPool>(Context::ensure_current(), [config](std::size_t bytes) {
        return PinnedBuffer{bytes, config};
    });
}

template class MemoryPool<DeviceBuffer>;
template class MemoryPool<PinnedBuffer>;
template class PooledMemory<DeviceBuffer>;
template class PooledMemory<PinnedBuffer>;

} // namespace lathe::gpu
