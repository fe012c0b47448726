// SPDX-License-Identifier: MIT
// Streams that wait for a value in memory, and write one.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/memory.h"
#include "gpu/soft/rt/fault.h"

#include <algorithm>
#include <vector>

using namespace lathe::soft;

namespace {

struct Access {
    std::uintptr_t address;
    std::uint64_t value;
    unsigned bytes; ///< 4 or 8
};

/// False where the memory is gone.
bool load(Access& access) {
    return run_guarded(
        [](void* p) {
            auto& a = *static_cast<Access*>(p);
            a.value = a.bytes == 4 ? __atomic_load_n(reinterpret_cast<std::uint32_t*>(a.address),
                                                     __ATOMIC_ACQUIRE)
                                   : __atomic_load_n(reinterpret_cast<std::uint64_t*>(a.address),
                                                     __ATOMIC_ACQUIRE);
        },
        &access);
}

bool store(Access& access) {
    return run_guarded(
        [](void* p) {
            const auto& a = *static_cast<Access*>(p);
            if (a.bytes == 4)
                __atomic_store_n(reinterpret_cast<std::uint32_t*>(a.address),
                                 static_cast<std::uint32_t>(a.value), __ATOMIC_SEQ_CST);
            else
                __atomic_store_n(reinterpret_cast<std::uint64_t*>(a.address), a.value,
                                 __ATOMIC_SEQ_CST);
        },
        &access);
}

bool holds(std::uint64_t found, const Access& wanted, unsigned how) {
    const std::uint64_t mask = wanted.bytes == 4 ? 0xffffffffu : ~std::uint64_t{0};
    switch (how) {
    case CU_STREAM_WAIT_VALUE_GEQ: // the difference may wrap
        return ((found - wanted.value) & (mask >> 1 ^ mask)) == 0;
    case CU_STREAM_WAIT_VALUE_EQ: return ((found ^ wanted.value) & mask) == 0;
    case CU_STREAM_WAIT_VALUE_AND: return (found & wanted.value & mask) != 0;
    default: return (~(found | wanted.value) & mask) != 0;
    }
}

void check(const Access& access) {
    require(access.address % access.bytes == 0, CUDA_ERROR_INVALID_VALUE,
            "the address is not a multiple of the value's size");
    require_device_range(access.address, access.bytes);
}

// Asked from time to time on the thread of host functions, so that no worker waits.
void wait_value(Context& context, const std::shared_ptr<Stream>& stream, Access wanted,
                unsigned flags) {
    const unsigned how = flags & ~CU_STREAM_WAIT_VALUE_FLUSH;
    require(how <= CU_STREAM_WAIT_VALUE_NOR, CUDA_ERROR_INVALID_VALUE, "unknown comparison");
    check(wanted);
    const unsigned cancels = stream->cancels;
    context.submit(stream, std::make_shared<Command>(Command::Kind::host_function, [=] {
                       Access found = wanted;
                       if (!load(found)) return CUDA_ERROR_ILLEGAL_ADDRESS;
                       if (holds(found.value, wanted, how)) return CUDA_SUCCESS;
                       return stream->cancels != cancels ? CUDA_ERROR_LAUNCH_TIMEOUT
                                                         : CUDA_ERROR_NOT_READY;
                   }));
}

void write_value(Context& context, const std::shared_ptr<Stream>& stream, Access wanted,
                 unsigned flags) {
    require((flags & ~CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) == 0, CUDA_ERROR_INVALID_VALUE,
            "unknown flag");
    check(wanted);
    context.run(stream, true, [=]() mutable {
        return store(wanted) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
    });
}

void run(Context& context, const std::shared_ptr<Stream>& stream,
         const CUstreamBatchMemOpParams& op) {
    switch (op.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return wait_value(context, stream, {op.waitValue.address, op.waitValue.value, 4},
                          op.waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return wait_value(context, stream, {op.waitValue.address, op.waitValue.value64, 8},
                          op.waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return write_value(context, stream, {op.writeValue.address, op.writeValue.value, 4},
                           op.writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return write_value(context, stream, {op.writeValue.address, op.writeValue.value64, 8},
                           op.writeValue.flags);
    case CU_STREAM_MEM_OP_BARRIER:
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return; // commands of a stream see all that came before them
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown operation");
    }
}

CUresult in_stream(CUstream handle, auto&& f) {
    return in_context([&](Context& context) { f(context, context.stream(handle)); });
}

} // namespace

extern "C" {

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned flags) {
    return in_stream(stream,
                     [&](Context& c, const auto& s) { wait_value(c, s, {p, value, 4}, flags); });
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned flags) {
    return in_stream(stream,
                     [&](Context& c, const auto& s) { wait_value(c, s, {p, value, 8}, flags); });
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned flags) {
    return in_stream(stream,
                     [&](Context& c, const auto& s) { write_value(c, s, {p, value, 4}, flags); });
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr p, cuuint64_t value, unsigned flags) {
    return in_stream(stream,
                     [&](Context& c, const auto& s) { write_value(c, s, {p, value, 8}, flags); });
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations,
                            unsigned flags) {
    return in_stream(stream, [&](Context& context, const auto& s) {
        require(flags == 0 && count <= 256, CUDA_ERROR_INVALID_VALUE);
        if (count) require_pointer(operations);
        for (unsigned i = 0; i < count; ++i) run(context, s, operations[i]);
    });
}

} // extern "C"
