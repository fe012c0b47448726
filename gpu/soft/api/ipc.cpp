// SPDX-License-Identifier: MIT
// Memory and events shared between processes.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/ipc.h"

using namespace lathe::soft;

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr p) {
    return in_context([&](Context&) {
        require_pointer(handle);
        *handle = share_memory(p);
    });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* p, CUipcMemHandle handle, unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(p);
        require((flags & ~CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == 0, CUDA_ERROR_INVALID_VALUE,
                "unknown flag");
        *p = open_memory(context, handle);
    });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr p) {
    return in_context([&](Context& context) { close_memory(context, p); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
    return in_context([&](Context&) {
        require_pointer(handle);
        const auto found = object<Event>(event);
        require(found->shared != nullptr, CUDA_ERROR_INVALID_VALUE,
                "the event was made without CU_EVENT_INTERPROCESS");
        *handle = found->shared->handle();
    });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
    return in_context([&](Context& context) {
        require_pointer(event);
        auto made = std::make_shared<Event>();
        made->context = &context;
        made->flags = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
        made->shared = std::make_shared<SharedEvent>(handle);
        *event = reinterpret_cast<CUevent>(Objects<Event>::instance().add(std::move(made)));
    });
}

} // extern "C"
