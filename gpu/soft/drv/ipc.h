// SPDX-License-Identifier: MIT
// Memory and events that other processes open by 64 bytes. Behind them is a file without a name
// (memfd) of the process that made it, which others reach as /proc/PID/fd/N: processes of the same
// user in the same PID namespace, as long as the first one lives.
#pragma once

#include "gpu/soft/drv/context.h"

namespace lathe::soft {

/// A handle of the whole allocation that `p` lies in. Its memory is moved into a file by the first
/// call, for which all contexts have to come to rest: allocations that are never shared stay as
/// they are, as memory of files is slower to come by. Fails with CUDA_ERROR_INVALID_VALUE for what
/// cuMemAlloc did not give.
CUipcMemHandle share_memory(CUdeviceptr p);
/// The other process's memory, at an address of this one; the same for the same memory. Fails with
/// CUDA_ERROR_INVALID_CONTEXT for memory of this process, CUDA_ERROR_INVALID_VALUE where the bytes
/// are no handle, CUDA_ERROR_MAP_FAILED where the other process or its memory is out of reach.
CUdeviceptr open_memory(const Context& context, const CUipcMemHandle& handle);
/// Ends one opening; with the last the memory is not to be touched any more. Fails with
/// CUDA_ERROR_INVALID_VALUE.
void close_memory(Context& context, CUdeviceptr p);
/// Ends all openings of a context.
void close_memory_of(const Context& context);

/// The state of an event, in memory of all processes that have it. Every record has a number.
class SharedEvent {
public:
    SharedEvent(); ///< Fails with CUDA_ERROR_OUT_OF_MEMORY.
    /// Fails as open_memory does.
    explicit SharedEvent(const CUipcEventHandle& handle);
    ~SharedEvent();
    SharedEvent(const SharedEvent&) = delete;
    SharedEvent& operator=(const SharedEvent&) = delete;

    CUipcEventHandle handle() const;
    /// A record is asked for; returns its number, from 1 on.
    std::uint64_t begin();
    /// All before the record is done.
    void end(std::uint64_t record);
    /// The latest record's number; 0: never recorded.
    std::uint64_t latest() const;
    /// CUDA_SUCCESS, CUDA_ERROR_NOT_READY, or CUDA_ERROR_UNKNOWN where the process that asked for
    /// the record ended before it was done.
    CUresult state_of(std::uint64_t record) const;

private:
    struct State;
    void map();

    int file_ = -1;
    State* state_ = nullptr;
};

} // namespace lathe::soft
