// SPDX-License-Identifier: MIT
#include "gpu/graph.h"

#include "engine/core/log.h"
#include "engine/core/zone.h"
#include "gpu/driver/check.h"

#include <exception>
#include <memory>
#include <utility>

namespace lathe::gpu {

namespace {

CUDA_KERNEL_NODE_PARAMS params_of(const Kernel& kernel, const LaunchConfig& c, void** arguments) {
    if (c.cooperative || c.cluster)
        throw Error{"cuGraphAddKernelNode", CUDA_ERROR_NOT_SUPPORTED,
                    "cooperative launches and clusters come to a graph by a capture"};
    CUDA_KERNEL_NODE_PARAMS p{};
    p.func = kernel.get();
    p.gridDimX = c.grid.x;
    p.gridDimY = c.grid.y;
    p.gridDimZ = c.grid.z;
    p.blockDimX = c.block.x;
    p.blockDimY = c.block.y;
    p.blockDimZ = c.block.z;
    p.sharedMemBytes = static_cast<unsigned>(c.shared_bytes);
    p.kernelParams = arguments;
    return p;
}

CUDA_MEMCPY3D params_of(const GraphCopy& c) {
    CUDA_MEMCPY3D p{};
    p.srcMemoryType = c.from_type;
    p.srcHost = reinterpret_cast<const void*>(c.from_type == CU_MEMORYTYPE_HOST ? c.from : 0);
    p.srcDevice = c.from_type == CU_MEMORYTYPE_HOST ? 0 : c.from;
    p.dstMemoryType = c.to_type;
    p.dstHost = reinterpret_cast<void*>(c.to_type == CU_MEMORYTYPE_HOST ? c.to : 0);
    p.dstDevice = c.to_type == CU_MEMORYTYPE_HOST ? 0 : c.to;
    p.WidthInBytes = c.bytes;
    p.Height = p.Depth = 1;
    return p;
}

CUDA_MEMSET_NODE_PARAMS params_of(const GraphFill& f) {
    CUDA_MEMSET_NODE_PARAMS p{};
    p.dst = f.to;
    p.value = f.value;
    p.elementSize = f.unit_bytes;
    p.width = f.count;
    p.height = 1;
    return p;
}

std::vector<CUgraphNode> handles_of(std::span<const GraphNode> nodes) {
    std::vector<CUgraphNode> handles;
    for (const GraphNode& node : nodes) handles.push_back(node.get());
    return handles;
}

} // namespace

CUgraphNodeType GraphNode::type() const {
    CUgraphNodeType type{};
    CU_TRY(cuGraphNodeGetType(node_, &type));
    return type;
}

void detail::GraphTraits::destroy(Type graph) noexcept {
    if (const ReleaseScope scope{graph.context})
        log_failure("cuGraphDestroy", driver().cuGraphDestroy(graph.value));
}

void detail::GraphExecTraits::destroy(Type exec) noexcept {
    if (const ReleaseScope scope{exec.context})
        log_failure("cuGraphExecDestroy", driver().cuGraphExecDestroy(exec.value));
}

Graph Graph::create() {
    Context::ensure_current();
    CUgraph graph = nullptr;
    CU_TRY(cuGraphCreate(&graph, 0));
    return adopt(graph);
}

Graph Graph::adopt(CUgraph graph) {
    Graph made;
    made.handle_ = Handle<detail::GraphTraits>{{graph, Context::ensure_current()}};
    return made;
}

GraphNode Graph::add_kernel(const Kernel& kernel, const LaunchConfig& config, void** arguments,
                            std::span<const GraphNode> after) {
    const auto handles = handles_of(after);
    const CUDA_KERNEL_NODE_PARAMS params = params_of(kernel, config, arguments);
    CUgraphNode node = nullptr;
    CU_TRY(cuGraphAddKernelNode(&node, get(), handles.data(), handles.size(), &params),
           "kernel {}, {} x {} x {} blocks of {} threads", kernel.name(), config.grid.x,
           config.grid.y, config.grid.z, config.block.total());
    return node;
}

GraphNode Graph::add_copy(const GraphCopy& copy, std::span<const GraphNode> after) {
    const auto handles = handles_of(after);
    const CUDA_MEMCPY3D params = params_of(copy);
    CUgraphNode node = nullptr;
    CU_TRY(cuGraphAddMemcpyNode(&node, get(), handles.data(), handles.size(), &params,
                                Context::ensure_current().get()),
           "{} bytes", copy.bytes);
    return node;
}

GraphNode Graph::add_fill(const GraphFill& fill, std::span<const GraphNode> after) {
    const auto handles = handles_of(after);
    const CUDA_MEMSET_NODE_PARAMS params = params_of(fill);
    CUgraphNode node = nullptr;
    CU_TRY(cuGraphAddMemsetNode(&node, get(), handles.data(), handles.size(), &params,
                                Context::ensure_current().get()),
           "{} elements of {} bytes", fill.count, fill.unit_bytes);
    return node;
}

GraphNode Graph::add_host_function(std::function<void()> function,
                                   std::span<const GraphNode> after) {
    const auto handles = handles_of(after);
    detail::HostFunction host{std::move(function)};
    const CUDA_HOST_NODE_PARAMS params{host.call, host.data};
    host.give_to(get());
    CUgraphNode node = nullptr;
    CU_TRY(cuGraphAddHostNode(&node, get(), handles.data(), handles.size(), &params));
    return node;
}

GraphNode Graph::add_empty(std::span<const GraphNode> after) {
    const auto handles = handles_of(after);
    CUgraphNode node = nullptr;
    CU_TRY(cuGraphAddEmptyNode(&node, get(), handles.data(), handles.size()));
    return node;
}

GraphNode Graph::add_graph(const Graph& child, std::span<const GraphNode> after) {
    const auto handles = handles_of(after);
    CUgraphNode node = nullptr;
    CU_TRY(cuGraphAddChildGraphNode(&node, get(), handles.data(), handles.size(), child.get()));
    return node;
}

void Graph::set_kernel(GraphNode node, const Kernel& kernel, const LaunchConfig& config,
                       void** arguments) {
    const CUDA_KERNEL_NODE_PARAMS params = params_of(kernel, config, arguments);
    CU_TRY(cuGraphKernelNodeSetParams(node.get(), &params), "kernel {}", kernel.name());
}

void Graph::set_copy(GraphNode node, const GraphCopy& copy) {
    const CUDA_MEMCPY3D params = params_of(copy);
    CU_TRY(cuGraphMemcpyNodeSetParams(node.get(), &params), "{} bytes", copy.bytes);
}

void Graph::set_fill(GraphNode node, const GraphFill& fill) {
    const CUDA_MEMSET_NODE_PARAMS params = params_of(fill);
    CU_TRY(cuGraphMemsetNodeSetParams(node.get(), &params), "{} elements of {} bytes", fill.count,
           fill.unit_bytes);
}

std::vector<GraphNode> Graph::nodes() const {
    std::size_t count = 0;
    CU_TRY(cuGraphGetNodes(get(), nullptr, &count));
    std::vector<CUgraphNode> handles(count);
    if (count) CU_TRY(cuGraphGetNodes(get(), handles.data(), &count));
    return {handles.begin(), handles.end()};
}

GraphExec::GraphExec(const Graph& graph) {
    const Context context = Context::ensure_current();
    CUgraphExec exec = nullptr;
    CU_TRY(cuGraphInstantiateWithFlags(&exec, graph.get(), 0));
    handle_ = Handle<detail::GraphExecTraits>{{exec, context}};
}

void GraphExec::launch(StreamView stream) const {
    const Zone zone{"graph", ZoneWork::cuda, stream.get()};
    CU_TRY(cuGraphLaunch(get(), stream.get()));
}

bool GraphExec::update(const Graph& graph) {
    CUgraphExecUpdateResultInfo info{};
    const CUresult code = driver().cuGraphExecUpdate(get(), graph.get(), &info);
    if (code == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) return false;
    if (code != CUDA_SUCCESS) throw Error{"cuGraphExecUpdate", code};
    return true;
}

void GraphExec::set_kernel(GraphNode node, const Kernel& kernel, const LaunchConfig& config,
                           void** arguments) {
    const CUDA_KERNEL_NODE_PARAMS params = params_of(kernel, config, arguments);
    CU_TRY(cuGraphExecKernelNodeSetParams(get(), node.get(), &params), "kernel {}", kernel.name());
}

void GraphExec::set_copy(GraphNode node, const GraphCopy& copy) {
    const CUDA_MEMCPY3D params = params_of(copy);
    CU_TRY(
        cuGraphExecMemcpyNodeSetParams(get(), node.get(), &params, Context::ensure_current().get()),
        "{} bytes", copy.bytes);
}

void GraphExec::set_fill(GraphNode node, const GraphFill& fill) {
    const CUDA_MEMSET_NODE_PARAMS params = params_of(fill);
    CU_TRY(
        cuGraphExecMemsetNodeSetParams(get(), node.get(), &params, Context::ensure_current().get()),
        "{} elements of {} bytes", fill.count, fill.unit_bytes);
}

void GraphExec::set_enabled(GraphNode node, bool enabled) {
    CU_TRY(cuGraphNodeSetEnabled(get(), node.get(), enabled ? 1 : 0));
}

StreamCapture::StreamCapture(StreamView stream, CUstreamCaptureMode mode) : stream_{stream} {
    Context::ensure_current();
    CU_TRY(cuStreamBeginCapture(stream.get(), mode));
}

Graph StreamCapture::end() {
    active_ = false;
    CUgraph graph = nullptr;
    CU_TRY(cuStreamEndCapture(stream_.get(), &graph));
    return Graph::adopt(graph);
}

StreamCapture::~StreamCapture() {
    if (!active_ || !driver_is_usable()) return;
    CUgraph graph = nullptr; // an invalid capture ends with an error, and without a graph
    driver().cuStreamEndCapture(stream_.get(), &graph);
    if (graph) driver().cuGraphDestroy(graph);
}

// --- host functions -----------------------------------------------------------------------------

namespace {

void call(void* data) {
    try {
        (*static_cast<std::function<void()>*>(data))();
    } catch (const std::exception& e) { // an exception must not enter the driver
        log::error("a host function of a stream threw: {}", e.what());
    } catch (...) { log::error("a host function of a stream threw"); }
}

void end(void* data) { delete static_cast<std::function<void()>*>(data); }

} // namespace

detail::HostFunction::HostFunction(std::function<void()> function)
    : call{&gpu::call}, data{nullptr} {
    auto owned = std::make_unique<std::function<void()>>(std::move(function));
    CU_TRY(cuUserObjectCreate(&keeper, owned.get(), &end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    data = owned.release();
}

detail::HostFunction::~HostFunction() {
    if (keeper) log_failure("cuUserObjectRelease", driver().cuUserObjectRelease(keeper, 1));
}

void detail::HostFunction::give_to(CUgraph graph) {
    CU_TRY(cuGraphRetainUserObject(graph, keeper, 1, CU_GRAPH_USER_OBJECT_MOVE));
    keeper = nullptr;
}

} // namespace lathe::gpu
