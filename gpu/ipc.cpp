// SPDX-License-Identifier: MIT
#include "gpu/ipc.h"

#include "gpu/driver/check.h"

#include <cstring>

namespace lathe::gpu {

static_assert(sizeof(IpcHandle) == sizeof(CUipcMemHandle) &&
              sizeof(IpcHandle) == sizeof(CUipcEventHandle));

IpcHandle ipc_handle(CUdeviceptr pointer) {
    Context::ensure_current();
    CUipcMemHandle handle{};
    CU_TRY(cuIpcGetMemHandle(&handle, pointer), "{:#x}", pointer);
    IpcHandle bytes;
    std::memcpy(bytes.data(), &handle, sizeof handle);
    return bytes;
}

void detail::IpcMemoryTraits::destroy(Type memory) noexcept {
    if (const ReleaseScope scope{memory.context})
        log_failure("cuIpcCloseMemHandle", driver().cuIpcCloseMemHandle(memory.value));
}

IpcMemory::IpcMemory(const IpcHandle& bytes, unsigned flags) {
    const Context context = Context::ensure_current();
    CUipcMemHandle handle{};
    std::memcpy(&handle, bytes.data(), sizeof handle);
    CUdeviceptr address = 0;
    CU_TRY(cuIpcOpenMemHandle(&address, handle, flags), "flags {}", flags);
    handle_ = Handle<detail::IpcMemoryTraits>{{address, context}};
}

} // namespace lathe::gpu
