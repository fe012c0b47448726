// SPDX-License-Identifier: MIT
// Blocks of memory pools as Python objects, and what tells their pools which streams use them.
#pragma once

#include "gpu/array/array.h"
#include "gpu/memory_pool.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

/// A block on loan to Python; back in the pool with the object, or by free().
class PooledDevice {
public:
    explicit PooledDevice(gpu::PooledMemory<gpu::DeviceBuffer> block) : block_{std::move(block)} {}

    /// All three throw gpu::Error where it was freed.
    CUdeviceptr address() const;
    gpu::Context context() const;
    void free();
    std::size_t bytes() const { return block_.bytes(); }
    bool is_free() const { return !block_; }
    gpu::PooledMemory<gpu::DeviceBuffer>& block() { return block_; }

private:
    gpu::PooledMemory<gpu::DeviceBuffer> block_;
};

class PooledHost {
public:
    PooledHost(gpu::PooledMemory<gpu::PinnedBuffer> block, bool mapped)
        : block_{std::move(block)}, mapped_{mapped} {}

    /// The three throw gpu::Error where it was freed.
    void* data() const;
    CUdeviceptr device_address() const;
    void free();
    std::size_t bytes() const { return block_.bytes(); }
    bool is_mapped() const { return mapped_; }
    gpu::PooledMemory<gpu::PinnedBuffer>& block() { return block_; }

private:
    gpu::PooledMemory<gpu::PinnedBuffer> block_;
    bool mapped_;
};

/// Around a call that issues work on `stream`: the blocks of pools among the values, or beneath
/// them (`gpudata` of arrays, memory of NumPy arrays), are held back from others until it is done.
/// The work comes after the mapping of arrays that lie in OpenGL's memory, and before the next one.
/// Made and destroyed with the GIL held, before and after the work is issued.
class StreamUse {
public:
    /// Work that is not `asynchronous` is done when it is issued: nothing to note.
    StreamUse(gpu::StreamView stream, bool asynchronous, std::initializer_list<py::handle> values);
    StreamUse(gpu::StreamView stream, bool asynchronous, const py::tuple& values);
    /// Blocks that are known, of work that is asynchronous.
    StreamUse(gpu::StreamView stream,
              std::span<gpu::PooledMemory<gpu::DeviceBuffer>* const> blocks);
    StreamUse(const StreamUse&) = delete;
    StreamUse& operator=(const StreamUse&) = delete;
    ~StreamUse();
    /// One more value of the same work.
    void add(py::handle value);

private:
    gpu::StreamView stream_;
    void add(gpu::PooledMemory<gpu::DeviceBuffer>& block);
    void add(const gpu::Array& array);
    std::vector<gpu::PooledMemory<gpu::DeviceBuffer>*> device_;
    std::vector<PooledHost*> host_;
    std::vector<gpu::StreamView> graphics_streams_; ///< that come after the work, too
};

} // namespace lathe::bind
