// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/graph_node.h"

#include "gpu/soft/drv/library.h"
#include "gpu/soft/drv/objects.h"

#include <algorithm>

namespace lathe::soft {

namespace {

LaunchArguments arguments_of(const CUDA_KERNEL_NODE_PARAMS& p, bool cooperative) {
    return {.grid = {p.gridDimX, p.gridDimY, p.gridDimZ},
            .block = {p.blockDimX, p.blockDimY, p.blockDimZ},
            .shared_bytes = p.sharedMemBytes,
            .kernel_params = p.kernelParams,
            .extra = p.extra,
            .cooperative = cooperative};
}

/// A kernel node names a function, or a kernel of a library.
CUfunction function_in(const CUDA_KERNEL_NODE_PARAMS& p) {
    return p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
}

struct Replay {
    Context& context;
    const std::shared_ptr<Stream>& stream;
    const KeptObjects& kept;

    void operator()(const KernelOperation& kernel) const {
        LaunchArguments arguments = arguments_of(kernel.params, kernel.cooperative);
        std::size_t bytes = kernel.arguments.size();
        void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                          const_cast<std::uint8_t*>(kernel.arguments.data()),
                          CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
        arguments.kernel_params = nullptr;
        arguments.extra = bytes ? packed : nullptr;
        auto function = function_of(context, function_in(kernel.params));
        context.submit(
            stream, std::make_shared<Command>(make_grid(context, *function, arguments, *stream)));
    }
    void operator()(const CopyOperation& copy) const { act(copy_action(copy.params)); }
    void operator()(const FillOperation& fill) const {
        const CUDA_MEMSET_NODE_PARAMS& p = fill.params;
        act(fill_action(p.dst, p.pitch, p.value, p.elementSize, p.width, p.height));
    }
    void operator()(const HostOperation& host) const {
        context.submit(stream, std::make_shared<Command>(Command::Kind::host_function,
                                                         [params = host.params, kept = kept] {
                                                             params.fn(params.userData);
                                                             return CUDA_SUCCESS;
                                                         }));
    }
    void operator()(const RecordOperation& record) const {
        lathe::soft::record(context, *object<Event>(record.event), stream);
    }
    void operator()(const WaitOperation& wait) const {
        wait_for(context, stream, *object<Event>(wait.event));
    }
    void operator()(const AllocateOperation& allocates) const {
        act([memory = allocates.memory] { return memory->open(); });
    }
    void operator()(const FreeOperation& frees) const {
        act([memory = frees.memory] { return memory->close(); });
    }
    void operator()(const ChildOperation&) const {} // laid out by GraphExec
    void operator()(const EmptyOperation&) const {}

private:
    void act(std::function<CUresult()> action) const {
        if (action)
            context.submit(stream,
                           std::make_shared<Command>(Command::Kind::action, std::move(action)));
    }
};

} // namespace

KernelOperation& KernelOperation::operator=(const KernelOperation& other) {
    if (this == &other) return *this;
    params = other.params;
    arguments = other.arguments;
    pointers = other.pointers;
    cooperative = other.cooperative;
    for (std::size_t k = 0; k < pointers.size(); ++k)
        pointers[k] = arguments.data() +
                      (static_cast<std::uint8_t*>(other.pointers[k]) - other.arguments.data());
    params.kernelParams = pointers.empty() ? nullptr : pointers.data();
    return *this;
}

KernelOperation kernel_operation(Context& context, const CUDA_KERNEL_NODE_PARAMS& params,
                                 bool cooperative) {
    KernelOperation made;
    made.params = params;
    made.cooperative = cooperative;
    auto function = function_of(context, function_in(params));
    const LaunchArguments arguments = arguments_of(params, cooperative);
    check_launch(*function, arguments);
    const KernelInfo& info = *function->info;
    made.arguments.resize(info.param_bytes);
    pack_arguments(info, arguments, made.arguments.data());
    for (const ParamInfo& param : info.params)
        made.pointers.push_back(made.arguments.data() + param.offset);
    made.params.kernelParams = made.pointers.empty() ? nullptr : made.pointers.data();
    made.params.extra = nullptr;
    return made;
}

CopyOperation copy_operation(const CUDA_MEMCPY3D& params) {
    copy_action(params); // checks
    return {params};
}

FillOperation fill_operation(const CUDA_MEMSET_NODE_PARAMS& p) {
    require(p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4,
            CUDA_ERROR_INVALID_VALUE, "elements have 1, 2 or 4 bytes");
    fill_action(p.dst, p.pitch, p.value, p.elementSize, p.width, p.height);
    return {p};
}

HostOperation host_operation(const CUDA_HOST_NODE_PARAMS& params) {
    require_pointer(reinterpret_cast<const void*>(params.fn));
    return {params};
}

RecordOperation record_operation(CUevent event) {
    require(Objects<Event>::instance().find(event) != nullptr, CUDA_ERROR_INVALID_VALUE,
            "unknown event");
    return {event};
}

AllocateOperation allocate_operation(const Context& context, std::size_t bytes) {
    return {GraphMemory::create(context, bytes)};
}

FreeOperation free_operation(CUdeviceptr p) {
    auto memory = GraphMemory::at(p);
    require(memory != nullptr, CUDA_ERROR_INVALID_VALUE, "no node of a graph allocates this");
    return {std::move(memory)};
}

CUgraphNodeType type_of(const Operation& operation) {
    constexpr CUgraphNodeType types[] = {
        CU_GRAPH_NODE_TYPE_KERNEL,     CU_GRAPH_NODE_TYPE_MEMCPY,
        CU_GRAPH_NODE_TYPE_MEMSET,     CU_GRAPH_NODE_TYPE_HOST,
        CU_GRAPH_NODE_TYPE_GRAPH,      CU_GRAPH_NODE_TYPE_EMPTY,
        CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
        CU_GRAPH_NODE_TYPE_MEM_ALLOC,  CU_GRAPH_NODE_TYPE_MEM_FREE};
    static_assert(std::size(types) == std::variant_size_v<Operation>);
    return types[operation.index()];
}

WaitOperation wait_operation(CUevent event) { return {record_operation(event).event}; }

void replay(Context& context, const std::shared_ptr<Stream>& stream, const Operation& operation,
            const KeptObjects& kept) {
    std::visit(Replay{context, stream, kept}, operation);
}

} // namespace lathe::soft
