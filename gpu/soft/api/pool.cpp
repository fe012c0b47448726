// SPDX-License-Identifier: MIT
// Stream-ordered allocation and memory pools.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/capture.h"
#include "gpu/soft/drv/memory.h"
#include "gpu/soft/drv/pool.h"

using namespace lathe::soft;

namespace {

void require_device(const CUmemLocation* location, CUmemAllocationType type) {
    require_pointer(location);
    require(location->type == CU_MEM_LOCATION_TYPE_DEVICE && location->id == 0,
            CUDA_ERROR_INVALID_VALUE, "pools are on device 0");
    require(type == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
            "a pool's allocations are pinned");
}

CUmemoryPool handle_of(const std::shared_ptr<Pool>& pool) {
    return reinterpret_cast<CUmemoryPool>(pool.get());
}

// The memory is there at once: whoever uses it in the stream's order finds it.
CUresult allocate_from(CUdeviceptr* p, std::size_t bytes, CUstream stream, auto&& pool) {
    return in_context([&](Context& context) {
        require_pointer(p);
        const auto in = context.stream(stream);
        std::shared_ptr<Pool> from = pool();
        require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "0 bytes asked for");
        if (is_capturing(*in)) {
            const AllocateOperation allocates = allocate_operation(context, bytes);
            capture(*in, allocates);
            *p = allocates.memory->address();
            return;
        }
        *p = reinterpret_cast<CUdeviceptr>(from->allocate(context, bytes));
    });
}

} // namespace

extern "C" {

CUresult cuMemAllocAsync(CUdeviceptr* p, std::size_t bytes, CUstream stream) {
    return allocate_from(p, bytes, stream, [] { return Pool::current(); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* p, std::size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
    return allocate_from(p, bytes, stream, [&] { return object<Pool>(pool); });
}

// The pointer is known until the stream gets here, so earlier commands may still name it.
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream handle) {
    return in_context([&](Context& context) {
        auto stream = context.stream(handle);
        if (!p) return;
        if (is_capturing(*stream)) return capture(*stream, free_operation(p));
        if (const auto memory = GraphMemory::at(p)) {
            require(memory->end(), CUDA_ERROR_INVALID_VALUE, "no launch has allocated this");
            return context.run(stream, true, [memory] { return memory->close(); });
        }
        const Allocation a =
            allocation_at(p, {Allocation::Kind::device, Allocation::Kind::managed});
        context.run(stream, true, [begin = a.begin] {
            release(begin);
            return CUDA_SUCCESS;
        });
    });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
    return entry([&] {
        require_pointer(pool);
        require_pointer(properties);
        *pool = reinterpret_cast<CUmemoryPool>(
            Objects<Pool>::instance().add(std::make_shared<Pool>(*properties)));
    });
}

// Allocations that are left keep the pool alive.
CUresult cuMemPoolDestroy(CUmemoryPool handle) {
    return entry([&] {
        auto pool = object<Pool>(handle);
        require(pool != Pool::of_device(), CUDA_ERROR_INVALID_VALUE,
                "the device's own pool is not destroyed");
        Objects<Pool>::instance().remove(handle);
    });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes) {
    return entry([&] { object<Pool>(pool)->trim_to(bytes); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return entry([&] {
        require_pointer(value);
        object<Pool>(pool)->get(attribute, value);
    });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return entry([&] {
        require_pointer(value);
        object<Pool>(pool)->set(attribute, value);
    });
}

// The one device always reads and writes its own memory.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* map, std::size_t count) {
    return entry([&] {
        object<Pool>(pool);
        if (count) require_pointer(map);
        for (std::size_t i = 0; i < count; ++i) {
            require(map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_INVALID_VALUE);
            require(map[i].location.id == 0, CUDA_ERROR_INVALID_DEVICE);
            require(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CUDA_ERROR_INVALID_VALUE,
                    "a device's access to its own memory stays");
        }
    });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
    return entry([&] {
        require_pointer(flags);
        require_pointer(location);
        object<Pool>(pool);
        require(location->type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_INVALID_VALUE);
        require_device(location->id);
        *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return entry([&] {
        require_pointer(pool);
        require_device(device);
        *pool = handle_of(Pool::of_device());
    });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
    return entry([&] {
        require_pointer(pool);
        require_device(device);
        *pool = handle_of(Pool::current());
    });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    return entry([&] {
        require_device(device);
        Pool::set_current(object<Pool>(pool));
    });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
    return entry([&] {
        require_pointer(pool);
        require_device(location, type);
        *pool = handle_of(Pool::of_device());
    });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
    return entry([&] {
        require_pointer(pool);
        require_device(location, type);
        *pool = handle_of(Pool::current());
    });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
    return entry([&] {
        require_device(location, type);
        Pool::set_current(object<Pool>(pool));
    });
}

} // extern "C"
