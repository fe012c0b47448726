// SPDX-License-Identifier: MIT
// Streams and events.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/capture.h"
#include "gpu/soft/drv/ipc.h"

#include <algorithm>
#include <chrono>

using namespace lathe::soft;

namespace {

CUresult create_stream(CUstream* stream, unsigned flags, int priority) {
    return in_context([&](Context& context) {
        require_pointer(stream);
        require((flags & ~CU_STREAM_NON_BLOCKING) == 0, CUDA_ERROR_INVALID_VALUE);
        auto made = context.create_stream(flags, priority);
        *stream = reinterpret_cast<CUstream>(Objects<Stream>::instance().add(std::move(made)));
    });
}

CommandPtr recorded(Event& event) {
    std::lock_guard lock{event.mutex};
    return event.command;
}

CUresult record_event(CUevent handle, CUstream stream_handle, unsigned flags) {
    return in_context([&](Context& context) {
        auto event = object<Event>(handle);
        auto stream = context.stream(stream_handle);
        require(event->context == &context, CUDA_ERROR_INVALID_HANDLE, "event of another context");
        if (!capture_record(*stream, *event, handle, flags & CU_EVENT_RECORD_EXTERNAL))
            record(context, *event, std::move(stream));
    });
}

CUresult elapsed(float* milliseconds, CUevent begin_handle, CUevent end_handle) {
    return entry([&] {
        require_pointer(milliseconds);
        auto begin = object<Event>(begin_handle), end = object<Event>(end_handle);
        require(!((begin->flags | end->flags) & CU_EVENT_DISABLE_TIMING), CUDA_ERROR_INVALID_HANDLE,
                "event was made without timing");
        refuse_captured(*begin);
        refuse_captured(*end);
        auto first = recorded(*begin), last = recorded(*end);
        require(first && last, CUDA_ERROR_INVALID_HANDLE, "event was not recorded");
        if (!first->done() || !last->done()) fail(CUDA_ERROR_NOT_READY);
        *milliseconds =
            std::chrono::duration<float, std::milli>(last->finished_at() - first->finished_at())
                .count();
    });
}

} // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return create_stream(stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return create_stream(stream, flags, priority);
}

CUresult cuStreamDestroy(CUstream handle) {
    return in_context([&](Context&) {
        auto stream = Objects<Stream>::instance().remove(handle);
        if (!stream) fail(CUDA_ERROR_INVALID_HANDLE);
        abandon_capture(*stream);
        if (auto owner = Objects<Context>::instance().find(stream->context))
            owner->destroy_stream(stream);
    });
}

CUresult cuStreamSynchronize(CUstream handle) {
    return in_context(
        [&](Context& context) { return context.synchronize(context.stream(handle)); });
}

CUresult cuStreamQuery(CUstream handle) {
    return in_context([&](Context& context) {
        auto stream = context.stream(handle);
        refuse_capture(*stream);
        if (!context.idle(*stream)) return CUDA_ERROR_NOT_READY;
        return context.synchronize(stream);
    });
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
    return in_context([&](Context& context) {
        require((flags & ~CU_EVENT_WAIT_EXTERNAL) == 0, CUDA_ERROR_INVALID_VALUE, "unknown flag");
        auto stream = context.stream(handle);
        auto event = object<Event>(event_handle);
        if (capture_wait(stream, *event, event_handle, flags & CU_EVENT_WAIT_EXTERNAL)) return;
        wait_for(context, stream, *event);
    });
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
    return in_context([&](Context& context) {
        require_pointer(priority);
        *priority = context.stream(handle)->priority;
    });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
    return in_context([&](Context& context) {
        require_pointer(flags);
        *flags = context.stream(handle)->flags;
    });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
    return in_context([&](Context& context) {
        require_pointer(id);
        *id = context.stream(handle)->id;
    });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context_out) {
    return in_context([&](Context& context) {
        require_pointer(context_out);
        *context_out = reinterpret_cast<CUcontext>(context.stream(handle)->context);
    });
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext* context_out, CUgreenCtx* green) {
    return in_context([&](Context& context) {
        require_pointer(context_out);
        *context_out = reinterpret_cast<CUcontext>(context.stream(handle)->context);
        give(green, nullptr);
    });
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
    return in_context([&](Context& context) {
        require_pointer(device);
        context.stream(handle);
        *device = 0;
    });
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
    return in_context([&](Context& context) {
        require_pointer(status);
        *status = capture_state(*context.stream(handle)).status;
    });
}

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value) {
    return in_context([&](Context& context) {
        require_pointer(value);
        auto stream = context.stream(handle);
        *value = {};
        switch (attribute) {
        case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
            value->syncPolicy = stream->sync_policy;
            break;
        case CU_STREAM_ATTRIBUTE_PRIORITY: value->priority = stream->priority; break;
        case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW: // caches are the processor's
        case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
        case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: break;
        default: fail(CUDA_ERROR_INVALID_VALUE, "unknown stream attribute");
        }
    });
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value) {
    return in_context([&](Context& context) {
        require_pointer(value);
        auto stream = context.stream(handle);
        switch (attribute) {
        case CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY:
            require(value->syncPolicy >= CU_SYNC_POLICY_AUTO &&
                        value->syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC,
                    CUDA_ERROR_INVALID_VALUE, "unknown synchronisation policy");
            stream->sync_policy = value->syncPolicy;
            break;
        case CU_STREAM_ATTRIBUTE_PRIORITY:
            stream->priority = std::clamp(value->priority, kGreatestPriority, kLeastPriority);
            break;
        case CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN:
        case CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP: break; // hints for caches that are not there
        default: fail(CUDA_ERROR_INVALID_VALUE, "unknown stream attribute");
        }
    });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    return in_context([&](Context& context) {
        auto target = context.stream(to), source = context.stream(from);
        target->sync_policy = source->sync_policy.load();
    });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return entry([&] {
        static thread_local CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
        require_pointer(mode);
        require(*mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE);
        std::swap(own, *mode);
    });
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* user) {
    return in_context([&](Context& context) {
        require_pointer(reinterpret_cast<const void*>(function));
        auto stream = context.stream(handle);
        if (is_capturing(*stream)) return capture(*stream, HostOperation{{function, user}});
        context.submit(stream, std::make_shared<Command>(Command::Kind::host_function, [=] {
                           function(user);
                           return CUDA_SUCCESS;
                       }));
    });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* user,
                             unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(reinterpret_cast<const void*>(callback));
        require(flags == 0, CUDA_ERROR_INVALID_VALUE);
        auto stream = context.stream(handle);
        context.submit(stream, std::make_shared<Command>(Command::Kind::host_function, [=] {
                           callback(handle, stream->error.load(), user);
                           return CUDA_SUCCESS;
                       }));
    });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(event);
        require(flags <= 7, CUDA_ERROR_INVALID_VALUE);
        const bool shares = (flags & CU_EVENT_INTERPROCESS) != 0;
        require(!shares || flags & CU_EVENT_DISABLE_TIMING, CUDA_ERROR_INVALID_VALUE,
                "an event of several processes takes no time: CU_EVENT_DISABLE_TIMING is missing");
        auto made = std::make_shared<Event>();
        made->context = &context;
        made->flags = flags;
        if (shares) made->shared = std::make_shared<SharedEvent>();
        *event = reinterpret_cast<CUevent>(Objects<Event>::instance().add(std::move(made)));
    });
}

CUresult cuEventDestroy(CUevent handle) {
    return entry([&] {
        if (!Objects<Event>::instance().remove(handle)) fail(CUDA_ERROR_INVALID_HANDLE);
    });
}

CUresult cuEventRecord(CUevent event, CUstream stream) { return record_event(event, stream, 0); }

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    if (flags & ~CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    return record_event(event, stream, flags);
}

CUresult cuEventQuery(CUevent handle) {
    return entry([&] {
        auto event = object<Event>(handle);
        refuse_captured(*event);
        return query(*event);
    });
}

CUresult cuEventSynchronize(CUevent handle) {
    return in_context([&](Context&) {
        auto event = object<Event>(handle);
        refuse_captured(*event);
        return synchronize(*event);
    });
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent begin, CUevent end) {
    return elapsed(milliseconds, begin, end);
}

#undef cuEventElapsedTime
__attribute__((visibility("default"))) CUresult cuEventElapsedTime(float* milliseconds,
                                                                   CUevent begin, CUevent end) {
    return elapsed(milliseconds, begin, end);
}

} // extern "C"
