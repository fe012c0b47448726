// SPDX-License-Identifier: MIT
#include "gpu/registered_memory.h"

#include "gpu/driver/check.h"

namespace lathe::gpu {

void detail::RegisteredMemoryTraits::destroy(Type memory) noexcept {
    if (const ReleaseScope scope{memory.context})
        log_failure("cuMemHostUnregister", driver().cuMemHostUnregister(memory.value));
}

RegisteredMemory::RegisteredMemory(void* data, std::size_t bytes, const RegisterConfig& config)
    : bytes_{bytes} {
    const Context context = Context::ensure_current();
    unsigned flags = 0;
    if (config.mapped) flags |= CU_MEMHOSTREGISTER_DEVICEMAP;
    if (config.portable) flags |= CU_MEMHOSTREGISTER_PORTABLE;
    if (config.read_only) flags |= CU_MEMHOSTREGISTER_READ_ONLY;
    CU_TRY(cuMemHostRegister(data, bytes, flags), "{} bytes at {}", bytes, data);
    handle_ = Handle<detail::RegisteredMemoryTraits>{{data, context}};
}

CUdeviceptr RegisteredMemory::device_address() const {
    CUdeviceptr address = 0;
    CU_TRY(cuMemHostGetDevicePointer(&address, data(), 0));
    return address;
}

void RegisteredMemory::unregister() {
    if (!handle_)
        throw Error{"cuMemHostUnregister", CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
                    "it was unregistered before"};
    const InContext<void*> memory = handle_.get();
    if (!memory.context.is_alive()) { // and with it the registration
        (void)handle_.release();
        return;
    }
    const CurrentContext scope{memory.context};
    CU_TRY(cuMemHostUnregister(memory.value));
    (void)handle_.release();
}

} // namespace lathe::gpu
