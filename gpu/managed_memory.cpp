// SPDX-License-Identifier: MIT
#include "gpu/managed_memory.h"

#include "gpu/driver/check.h"

namespace lathe::gpu {

namespace {

CUdevice location(const std::optional<Device>& device) {
    return device ? device->get() : CU_DEVICE_CPU;
}

} // namespace

void prefetch(DeviceSpan<std::byte> memory, std::optional<Device> to, StreamView stream) {
    if (memory.empty()) return;
    Context::ensure_current();
    CU_TRY(cuMemPrefetchAsync(memory.address(), memory.bytes(), location(to), stream.get()),
           "{} bytes to device {}", memory.bytes(), location(to));
}

void advise(DeviceSpan<std::byte> memory, CUmem_advise advice, std::optional<Device> of) {
    if (memory.empty()) return;
    Context::ensure_current();
    CU_TRY(cuMemAdvise(memory.address(), memory.bytes(), advice, location(of)),
           "advice {} for {} bytes, device {}", static_cast<int>(advice), memory.bytes(),
           location(of));
}

void attach(DeviceSpan<std::byte> memory, unsigned flags, StreamView stream) {
    Context::ensure_current();
    CU_TRY(cuStreamAttachMemAsync(stream.get(), memory.address(), 0, flags), "flags {}", flags);
}

} // namespace lathe::gpu
