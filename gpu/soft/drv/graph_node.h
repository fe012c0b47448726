// SPDX-License-Identifier: MIT
// What nodes of graphs do. Pointers of parameters are copied when a node is made.
#pragma once

#include "gpu/soft/drv/copy.h"
#include "gpu/soft/drv/graph_memory.h"
#include "gpu/soft/drv/launch.h"
#include "gpu/soft/drv/user_object.h"

#include <memory>
#include <variant>
#include <vector>

namespace lathe::soft {

class Graph;

struct KernelOperation {
    CUDA_KERNEL_NODE_PARAMS params{};    ///< kernelParams points into `pointers`, extra is null
    std::vector<std::uint8_t> arguments; ///< packed
    std::vector<void*> pointers;         ///< of each parameter into `arguments`
    bool cooperative = false;

    KernelOperation() = default;
    KernelOperation(const KernelOperation& other) { *this = other; }
    KernelOperation& operator=(const KernelOperation& other);
};
struct CopyOperation {
    CUDA_MEMCPY3D params{};
};
struct FillOperation {
    CUDA_MEMSET_NODE_PARAMS params{};
};
struct HostOperation {
    CUDA_HOST_NODE_PARAMS params{};
};
struct ChildOperation {
    std::shared_ptr<Graph> graph;
};
struct EmptyOperation {};
struct RecordOperation {
    CUevent event = nullptr;
};
struct WaitOperation {
    CUevent event = nullptr;
};

struct AllocateOperation {
    std::shared_ptr<GraphMemory> memory;
};
struct FreeOperation {
    std::shared_ptr<GraphMemory> memory;
};

using Operation =
    std::variant<KernelOperation, CopyOperation, FillOperation, HostOperation, ChildOperation,
                 EmptyOperation, WaitOperation, RecordOperation, AllocateOperation, FreeOperation>;
CUgraphNodeType type_of(const Operation& operation);

/// Checked copies of parameters; fail as the calls that do at once what the nodes do.
KernelOperation kernel_operation(Context& context, const CUDA_KERNEL_NODE_PARAMS& params,
                                 bool cooperative = false);
CopyOperation copy_operation(const CUDA_MEMCPY3D& params);
FillOperation fill_operation(const CUDA_MEMSET_NODE_PARAMS& params);
HostOperation host_operation(const CUDA_HOST_NODE_PARAMS& params);
RecordOperation record_operation(CUevent event);
WaitOperation wait_operation(CUevent event);
AllocateOperation allocate_operation(const Context& context, std::size_t bytes);
/// Fails with CUDA_ERROR_INVALID_VALUE where no node allocates memory at p.
FreeOperation free_operation(CUdeviceptr p);

/// Appends an operation to a stream. A host function keeps `kept` until it has run.
void replay(Context& context, const std::shared_ptr<Stream>& stream, const Operation& operation,
            const KeptObjects& kept);

} // namespace lathe::soft
