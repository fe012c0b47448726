// SPDX-License-Identifier: MIT
#include "gpu/context.h"

#include "gpu/driver/check.h"

#include <map>
#include <mutex>

namespace lathe::gpu {

Context Context::wrap(CUcontext context) noexcept {
    Context c;
    c.context_ = context;
    return c;
}

Context Context::primary(const Device& device) {
    static std::mutex mutex;
    static std::map<CUdevice, CUcontext> retained;
    std::lock_guard lock{mutex};
    CUcontext& context = retained[device.get()];
    if (!context) CU_TRY(cuDevicePrimaryCtxRetain(&context, device.get()), "{}", device.name());
    return wrap(context);
}

Context Context::current() {
    CUcontext context = nullptr;
    CU_TRY(cuCtxGetCurrent(&context));
    return wrap(context);
}

Context Context::ensure_current() {
    Context context = current();
    if (context) return context;
    context = primary();
    context.make_current();
    return context;
}

void Context::make_current() const { CU_TRY(cuCtxSetCurrent(context_)); }

Device Context::device() const {
    const CurrentContext scope{*this};
    CUdevice device = 0;
    CU_TRY(cuCtxGetDevice(&device));
    return Device::wrap(device);
}

void Context::synchronize() const {
    const CurrentContext scope{*this};
    CU_TRY(cuCtxSynchronize());
}

MemoryInfo Context::memory() const {
    const CurrentContext scope{*this};
    MemoryInfo info;
    CU_TRY(cuMemGetInfo(&info.free_bytes, &info.total_bytes));
    return info;
}

CurrentContext::CurrentContext(const Context& context) {
    CUcontext present = nullptr;
    CU_TRY(cuCtxGetCurrent(&present));
    if (present == context.get()) return;
    CU_TRY(cuCtxPushCurrent(context.get()));
    pushed_ = true;
}

CurrentContext::~CurrentContext() {
    if (!pushed_ || !driver_is_usable()) return;
    CUcontext popped = nullptr;
    detail::log_failure("cuCtxPopCurrent", driver().cuCtxPopCurrent(&popped));
}

detail::ReleaseScope::ReleaseScope(CUcontext context) noexcept : usable_{driver_is_usable()} {
    if (!usable_ || !context) return;
    CUcontext present = nullptr;
    pushed_ = driver().cuCtxGetCurrent(&present) == CUDA_SUCCESS && present != context &&
              driver().cuCtxPushCurrent(context) == CUDA_SUCCESS;
}

detail::ReleaseScope::~ReleaseScope() {
    CUcontext popped = nullptr;
    if (pushed_) driver().cuCtxPopCurrent(&popped);
}

} // namespace lathe::gpu
