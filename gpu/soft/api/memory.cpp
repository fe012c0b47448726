// SPDX-License-Identifier: MIT
// Memory: allocation, host memory, pointer queries, stream-ordered allocation.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/graph_memory.h"
#include "gpu/soft/drv/memory.h"
#include "gpu/soft/rt/arena.h"

#include <cstring>
#include <unistd.h>

using namespace lathe::soft;
using Kind = Allocation::Kind;

namespace {

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

void free_device(Context& context, CUdeviceptr p, std::initializer_list<Kind> kinds) {
    if (!p) return;
    if (const auto memory = GraphMemory::at(p)) {
        require(memory->end(), CUDA_ERROR_INVALID_VALUE, "no launch has allocated this");
        context.wait_idle();
        memory->close();
        return;
    }
    Allocation a = allocation_at(p, kinds);
    // A freed block faults when touched, so nothing may be on its way to it.
    if (auto* owner = static_cast<const Context*>(a.context); owner == &context)
        context.wait_idle();
    else if (auto other = Objects<Context>::instance().find(owner)) other->wait_idle();
    release(a.begin);
}

void pointer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr p) {
    auto found = Registry::instance().find(p);
    if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) {
        *static_cast<int*>(data) = found.has_value();
        return;
    }
    if (!found) fail(CUDA_ERROR_INVALID_VALUE, describe_address(p));
    bool host = found->kind == Kind::pinned || found->kind == Kind::registered;
    auto set = [&](auto value) { std::memcpy(data, &value, sizeof value); };
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: set(found->context); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        set(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: set(p); break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        require(host || found->kind == Kind::managed, CUDA_ERROR_INVALID_VALUE);
        set(p);
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: set(0u); break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: set(found->id); break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: set(int{found->kind == Kind::managed}); break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: set(0); break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: set(CUdeviceptr{found->begin}); break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: set(found->bytes); break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        set(int{CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE});
        break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        set(int{found->kind == Kind::device && !found->pool});
        break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: set(std::uint64_t{0}); break;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: set(0); break;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR: set(CUdeviceptr{found->begin}); break;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: set(found->bytes); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: set(found->id); break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: set(found->pool.get()); break;
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown pointer attribute");
    }
}

/// What cuPointerGetAttributes says of memory that CUDA does not know.
void no_attribute(void* data, CUpointer_attribute attribute) {
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(data) = CU_DEVICE_INVALID; break;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: *static_cast<std::uint64_t*>(data) = 0; break;
    default: *static_cast<int*>(data) = 0;
    }
}

/// A place for managed memory: the device, or the host.
void require_location(const CUmemLocation& location) {
    switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE: return require(location.id == 0, CUDA_ERROR_INVALID_DEVICE);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: return;
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown location");
    }
}

} // namespace

extern "C" {

CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
    return in_context([&](Context&) {
        give(free_bytes, Arena::instance().free_bytes());
        give(total_bytes, Arena::instance().limit_bytes());
    });
}

CUresult cuMemAlloc(CUdeviceptr* p, std::size_t bytes) {
    return in_context([&](Context& context) {
        require_pointer(p);
        require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "0 bytes asked for");
        *p = reinterpret_cast<CUdeviceptr>(allocate(context, bytes, Kind::device));
    });
}

CUresult cuMemAllocPitch(CUdeviceptr* p, std::size_t* pitch, std::size_t width_bytes,
                         std::size_t height, unsigned element_bytes) {
    return in_context([&](Context& context) {
        require_pointer(p);
        require_pointer(pitch);
        require(width_bytes > 0 && height > 0, CUDA_ERROR_INVALID_VALUE);
        require(element_bytes == 4 || element_bytes == 8 || element_bytes == 16,
                CUDA_ERROR_INVALID_VALUE, "elements have 4, 8 or 16 bytes");
        require(width_bytes < (std::size_t{1} << 40) && height < (std::size_t{1} << 40),
                CUDA_ERROR_OUT_OF_MEMORY);
        std::size_t rounded = (width_bytes + 511) / 512 * 512;
        require(height <= SIZE_MAX / rounded, CUDA_ERROR_OUT_OF_MEMORY);
        *p = reinterpret_cast<CUdeviceptr>(allocate(context, rounded * height, Kind::device));
        *pitch = rounded;
    });
}

CUresult cuMemFree(CUdeviceptr p) {
    return in_context(
        [&](Context& context) { free_device(context, p, {Kind::device, Kind::managed}); });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr p) {
    return in_context([&](Context&) {
        auto found = Registry::instance().find(p);
        if (!found) fail(CUDA_ERROR_NOT_FOUND, describe_address(p));
        give(base, found->begin);
        give(bytes, found->bytes);
    });
}

CUresult cuMemAllocManaged(CUdeviceptr* p, std::size_t bytes, unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(p);
        require(bytes > 0, CUDA_ERROR_INVALID_VALUE);
        require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST,
                CUDA_ERROR_INVALID_VALUE);
        *p = reinterpret_cast<CUdeviceptr>(allocate(context, bytes, Kind::managed, flags));
    });
}

CUresult cuMemHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(p);
        require(bytes > 0 && flags <= 7, CUDA_ERROR_INVALID_VALUE);
        *p = allocate(context, bytes, Kind::pinned, flags);
    });
}

CUresult cuMemAllocHost(void** p, std::size_t bytes) { return cuMemHostAlloc(p, bytes, 0); }

CUresult cuMemFreeHost(void* p) {
    return in_context([&](Context& context) {
        free_device(context, reinterpret_cast<CUdeviceptr>(p), {Kind::pinned});
    });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* p, unsigned flags) {
    return in_context([&](Context&) {
        require_pointer(device);
        require(flags == 0, CUDA_ERROR_INVALID_VALUE);
        auto found = Registry::instance().find(address(p));
        require(found && (found->kind == Kind::pinned || found->kind == Kind::registered ||
                          found->kind == Kind::managed),
                CUDA_ERROR_INVALID_VALUE, "not pinned host memory");
        *device = reinterpret_cast<CUdeviceptr>(p);
    });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* p) {
    return in_context([&](Context&) {
        require_pointer(flags);
        auto found = Registry::instance().find(address(p));
        require(found && found->kind == Kind::pinned, CUDA_ERROR_INVALID_VALUE);
        *flags = found->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    });
}

CUresult cuMemHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(p);
        require(bytes > 0, CUDA_ERROR_INVALID_VALUE);
        constexpr std::uintptr_t end = std::uintptr_t{1} << 47; // of a process's memory
        require(address(p) < end && bytes < end - address(p), CUDA_ERROR_INVALID_VALUE);
        require(flags <= 15, CUDA_ERROR_INVALID_VALUE, "unknown flag");
        bool added = Registry::instance().add({.begin = address(p),
                                               .bytes = bytes,
                                               .kind = Kind::registered,
                                               .flags = flags,
                                               .context = &context});
        require(added, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    });
}

CUresult cuMemHostUnregister(void* p) {
    return in_context([&](Context& context) {
        auto found = Registry::instance().find(address(p));
        require(found && found->begin == address(p) && found->kind == Kind::registered,
                CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        context.wait_idle();
        Registry::instance().remove(address(p));
    });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr p) {
    return in_context([&](Context&) {
        require_pointer(data);
        pointer_attribute(data, attribute, p);
    });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr p) {
    return in_context([&](Context&) {
        require_pointer(attributes);
        require_pointer(data);
        bool known = Registry::instance().find(p).has_value();
        for (unsigned i = 0; i < count; ++i) {
            require_pointer(data[i]);
            if (known) pointer_attribute(data[i], attributes[i], p);
            else no_attribute(data[i], attributes[i]);
        }
    });
}

// Managed memory is plain memory that both sides see: advice and prefetches have nothing to do.
CUresult cuMemAdvise_v2(CUdeviceptr p, std::size_t bytes, CUmem_advise advice, CUmemLocation to) {
    return in_context([&](Context&) {
        require(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY &&
                    advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY,
                CUDA_ERROR_INVALID_VALUE, "unknown advice");
        require_location(to);
        require_device_range(p, bytes);
    });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, std::size_t bytes, CUmemLocation to, unsigned flags,
                               CUstream stream) {
    return in_context([&](Context& context) {
        require(flags == 0, CUDA_ERROR_INVALID_VALUE, "unknown flag");
        require_location(to);
        context.stream(stream);
        require_device_range(p, bytes);
    });
}

CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr p, std::size_t, unsigned flags) {
    return in_context([&](Context& context) {
        auto stream = context.stream(handle);
        require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                    flags == CU_MEM_ATTACH_SINGLE,
                CUDA_ERROR_INVALID_VALUE, "flags must be one of GLOBAL, HOST and SINGLE");
        require(flags != CU_MEM_ATTACH_SINGLE || !stream->legacy, CUDA_ERROR_INVALID_VALUE,
                "SINGLE is for a stream, not for the default one");
        allocation_at(p, {Kind::managed});
    });
}

} // extern "C"
