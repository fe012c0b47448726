// SPDX-License-Identifier: MIT
// Memory pools: what stream-ordered allocation takes from and gives back to. A pool keeps freed
// blocks closed (touching them faults) for allocations of the same number of pages, up to its
// release threshold; what is beyond goes back to the device at once.
#pragma once

#include "gpu/soft/drv/context.h"
#include "gpu/soft/rt/registry.h"

#include <map>
#include <vector>

namespace lathe::soft {

class Pool : public std::enable_shared_from_this<Pool> {
public:
    /// Fails with CUDA_ERROR_INVALID_VALUE, or CUDA_ERROR_NOT_SUPPORTED for memory that is shared
    /// between processes.
    explicit Pool(const CUmemPoolProps& properties);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// The device's own pool, which is always there, and the one that cuMemAllocAsync takes from.
    static const std::shared_ptr<Pool>& of_device();
    static std::shared_ptr<Pool> current();
    static void set_current(std::shared_ptr<Pool> pool);
    /// Gives back what all pools hold unused.
    static void trim_all();

    /// Memory at once, for use in the order of a stream. Where there is none, waits for the
    /// context's streams, whose frees may bring some; then fails with CUDA_ERROR_OUT_OF_MEMORY.
    void* allocate(Context& context, std::size_t bytes);
    /// Takes back an allocation that the registry does not know any more.
    void give_back(const Allocation& allocation);
    /// Gives unused memory back to the device until at most so many bytes are reserved.
    void trim_to(std::size_t bytes);

    /// Values as of cuMemPoolGetAttribute: int for the reuse policies, else cuuint64_t. Fail with
    /// CUDA_ERROR_INVALID_VALUE.
    void get(CUmemPool_attribute attribute, void* value);
    void set(CUmemPool_attribute attribute, const void* value);

private:
    void* take(std::size_t bytes);
    void trim(std::size_t bytes); ///< under the lock

    std::mutex mutex_;
    std::size_t most_ = 0;                             ///< bytes that may be reserved; 0: no limit
    std::map<std::size_t, std::vector<void*>> unused_; ///< bytes of memory → closed blocks
    cuuint64_t threshold_ = 0, used_ = 0, used_high_ = 0, reserved_ = 0, reserved_high_ = 0;
    int reuse_[3] = {1, 1, 1};
};

} // namespace lathe::soft
