// SPDX-License-Identifier: MIT
// Contexts, the calling thread's stack of them, and their limits.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/rt/heap.h"
#include "gpu/soft/rt/printf.h"

using namespace lathe::soft;

namespace {

CUcontext handle_of(const std::shared_ptr<Context>& context) {
    return reinterpret_cast<CUcontext>(context.get());
}

std::shared_ptr<Context> context_of(CUcontext handle) {
    auto found = Objects<Context>::instance().find(handle);
    if (!found) fail(CUDA_ERROR_INVALID_CONTEXT);
    return found;
}

void destroy_context(const std::shared_ptr<Context>& context) {
    require(!context->primary, CUDA_ERROR_INVALID_CONTEXT, "primary contexts are released");
    auto& stack = context_stack();
    if (!stack.empty() && stack.back() == context) stack.pop_back();
    context->destroy();
    Objects<Context>::instance().remove(context.get());
}

CUresult create_context(CUcontext* context, unsigned flags, CUdevice device) {
    return entry([&] {
        require_pointer(context);
        require(device == 0, CUDA_ERROR_INVALID_DEVICE);
        require((flags & ~CU_CTX_FLAGS_MASK) == 0, CUDA_ERROR_INVALID_VALUE);
        auto made = std::make_shared<Context>(flags, false);
        Objects<Context>::instance().add(made);
        context_stack().push_back(made);
        *context = handle_of(made);
    });
}

} // namespace

extern "C" {

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* params, unsigned flags,
                        CUdevice device) {
    if (params && !is_pointer(params)) return CUDA_ERROR_INVALID_VALUE;
    bool affinity = params && params->numExecAffinityParams > 0;
    if (affinity) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create_context(context, flags, device);
}

__attribute__((visibility("default"))) CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags,
                                                               CUdevice device) {
    return create_context(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext handle) {
    return entry([&] { destroy_context(context_of(handle)); });
}

CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
    return in_context([&](Context& current) {
        require_pointer(context);
        require(flags == 0, CUDA_ERROR_INVALID_VALUE);
        ++current.uses;
        *context = handle_of(current_context());
    });
}

CUresult cuCtxDetach(CUcontext handle) {
    return in_context([&](Context& current) {
        auto context = context_of(handle);
        require(context.get() == &current, CUDA_ERROR_INVALID_CONTEXT, "not the current context");
        if (--context->uses == 0) destroy_context(context);
    });
}

// The device is not divided: a context has all of it.
CUresult cuCtxGetExecAffinity(CUexecAffinityParam* affinity, CUexecAffinityType type) {
    return in_context([&](Context&) {
        require_pointer(affinity);
        require(type == CU_EXEC_AFFINITY_TYPE_SM_COUNT, CUDA_ERROR_INVALID_VALUE);
        affinity->type = type;
        affinity->param.smCount.val = Executor::instance().workers();
    });
}

CUresult cuCtxPushCurrent(CUcontext handle) {
    return entry([&] { context_stack().push_back(context_of(handle)); });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
    return entry([&] {
        auto& stack = context_stack();
        require(!stack.empty(), CUDA_ERROR_INVALID_CONTEXT);
        give(context, handle_of(stack.back()));
        stack.pop_back();
    });
}

CUresult cuCtxSetCurrent(CUcontext handle) {
    return entry([&] {
        auto& stack = context_stack();
        std::shared_ptr<Context> context = handle ? context_of(handle) : nullptr;
        if (!stack.empty()) stack.pop_back();
        if (context) stack.push_back(std::move(context));
    });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
    return entry([&] {
        require_pointer(context);
        *context = handle_of(current_context());
    });
}

CUresult cuCtxGetDevice(CUdevice* device) {
    return in_context([&](Context&) {
        require_pointer(device);
        *device = 0;
    });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
    return entry([&] {
        require_pointer(device);
        if (handle) context_of(handle);
        *device = 0;
    });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
    return entry([&] {
        require_pointer(id);
        auto context = handle ? context_of(handle) : current_context();
        require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
        *id = context->id;
    });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
    return entry([&] {
        require_pointer(version);
        if (handle) context_of(handle);
        *version = 4;
    });
}

CUresult cuCtxGetFlags(unsigned* flags) {
    return in_context([&](Context& context) {
        require_pointer(flags);
        *flags = context.flags;
    });
}

CUresult cuCtxSetFlags(unsigned flags) {
    return in_context([&](Context& context) {
        require((flags & ~CU_CTX_FLAGS_MASK) == 0, CUDA_ERROR_INVALID_VALUE);
        context.flags = flags;
    });
}

CUresult cuCtxSynchronize(void) {
    return in_context([](Context& context) { return context.synchronize(); });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
    return entry([&] {
        auto context = handle ? context_of(handle) : current_context();
        require(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
        return context->synchronize();
    });
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
    return in_context([&](Context& context) {
        require(context.limits.count(limit) != 0, CUDA_ERROR_UNSUPPORTED_LIMIT);
        if (limit == CU_LIMIT_STACK_SIZE)
            require(value <= (std::size_t{16} << 20), CUDA_ERROR_INVALID_VALUE,
                    "a thread's stack is at most 16 MiB");
        context.limits.at(limit) = value;
        if (limit == CU_LIMIT_PRINTF_FIFO_SIZE) set_printf_capacity(value);
        if (limit == CU_LIMIT_MALLOC_HEAP_SIZE) set_heap_capacity(value);
    });
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
    return in_context([&](Context& context) {
        require_pointer(value);
        auto it = context.limits.find(limit);
        require(it != context.limits.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
        *value = it->second;
    });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
    return in_context([&](Context& context) {
        require_pointer(config);
        *config = context.cache_config;
    });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    return in_context([&](Context& context) {
        require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL,
                CUDA_ERROR_INVALID_VALUE, "unknown cache configuration");
        context.cache_config = config;
    });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
    return in_context([&](Context& context) {
        require_pointer(config);
        *config = context.shared_config;
    });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    return in_context([&](Context& context) {
        require(config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                    config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
                CUDA_ERROR_INVALID_VALUE, "unknown bank size");
        context.shared_config = config;
    });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return in_context([&](Context&) {
        give(least, kLeastPriority);
        give(greatest, kGreatestPriority);
    });
}

CUresult cuCtxResetPersistingL2Cache(void) {
    return in_context([](Context&) {});
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
    return in_context([&](Context&) {
        context_of(peer);
        fail(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "there is one device");
    });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    return in_context([&](Context&) {
        context_of(peer);
        fail(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    });
}

// The profiler interface is accepted and has nothing to do.
CUresult cuProfilerStart(void) {
    return in_context([](Context&) {});
}
CUresult cuProfilerStop(void) {
    return in_context([](Context&) {});
}

} // extern "C"
