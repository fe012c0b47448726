// SPDX-License-Identifier: MIT
// Memory of graphs: allocations that nodes make and free. Their addresses are known, and stay, from
// the making of the node on; the memory can be touched from the run of the allocating node to that
// of a freeing one, or to cuMemFree.
#pragma once

#include "gpu/soft/drv/context.h"

#include <memory>

namespace lathe::soft {

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
public:
    /// Takes an address. Fails with CUDA_ERROR_OUT_OF_MEMORY, or CUDA_ERROR_INVALID_VALUE.
    static std::shared_ptr<GraphMemory> create(const Context& context, std::size_t bytes);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    /// The memory of a graph that begins here; null where there is none.
    static std::shared_ptr<GraphMemory> at(CUdeviceptr p);

    CUdeviceptr address() const { return address_; }
    std::size_t bytes() const { return bytes_; }
    const Context* context() const { return context_; }

    /// In the order of the host's calls: a launch will allocate it, or free it. False where that
    /// has happened already. What is allocated lives on without its graph.
    bool begin();
    bool end();
    /// In the order of streams: what the nodes do.
    CUresult open();
    CUresult close();

    /// Ends all that is allocated in a context, whose work is done.
    static void end_of(const Context& context);

    /// Of all graphs: bytes of memory that have been allocated once and stay theirs until they end
    /// or trim() is called, also where nodes or the program have freed them. An H200 counts the
    /// same as used and as reserved.
    struct Use {
        cuuint64_t now = 0, used_high = 0, reserved_high = 0;
    };
    static Use use();
    static void reset_used_high();
    static void reset_reserved_high();
    /// Gives the machine the memory of all that is not allocated.
    static void trim();

private:
    GraphMemory(const Context& context, std::size_t bytes);
    void drop(); ///< its memory, where it is closed

    const Context* context_;
    std::size_t bytes_, memory_bytes_;
    CUdeviceptr address_ = 0;
    // Under the lock of graph_memory.cpp:
    bool is_asked_ = false, is_open_ = false, is_kept_ = false;
};

} // namespace lathe::soft
