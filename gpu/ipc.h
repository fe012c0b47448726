// SPDX-License-Identifier: MIT
// Device memory of another process on this machine. Events of other processes are in event.h.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"

#include <cuda.h>

#include <array>
#include <cstddef>

namespace lathe::gpu {

/// What one process sends another; as many bytes for memory as for an event.
using IpcHandle = std::array<std::byte, CU_IPC_HANDLE_SIZE>;

/// Of the allocation that `pointer` lies in. Throws gpu::Error where the device cannot share its
/// memory, or not this one. (cuIpcGetMemHandle)
LATHE_API IpcHandle ipc_handle(CUdeviceptr pointer);

namespace detail {
struct LATHE_API IpcMemoryTraits {
    using Type = InContext<CUdeviceptr>;
    static constexpr Type null{};
    static void destroy(Type memory) noexcept;
};
} // namespace detail

/// Another process's allocation, opened in this one. That process must keep it as long.
class LATHE_API IpcMemory {
public:
    IpcMemory() = default; ///< empty
    /// `flags`: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS. Throws gpu::Error for a handle of this process,
    /// or one that is none. (cuIpcOpenMemHandle)
    explicit IpcMemory(const IpcHandle& handle,
                       unsigned flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);

    CUdeviceptr address() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }

private:
    Handle<detail::IpcMemoryTraits> handle_;
};

} // namespace lathe::gpu
