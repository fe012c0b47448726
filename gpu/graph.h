// SPDX-License-Identifier: MIT
// Work as a graph of kernels, copies, fills and host functions that is launched as a whole: written
// node by node, or captured from a stream. Memory and kernels that a graph names must live as long
// as it is launched.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/launch.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lathe::gpu {

/// Names a node; valid while its graph lives.
class LATHE_API GraphNode {
public:
    GraphNode() = default;
    constexpr GraphNode(CUgraphNode node) noexcept : node_{node} {}
    CUgraphNode get() const noexcept { return node_; }
    /// (cuGraphNodeGetType)
    CUgraphNodeType type() const;
    bool operator==(const GraphNode&) const = default;

private:
    CUgraphNode node_ = nullptr;
};

/// A copy of `bytes` that lie together. Host memory is read or written when the graph runs.
struct GraphCopy {
    CUmemorytype to_type = CU_MEMORYTYPE_DEVICE; ///< or _HOST
    std::uint64_t to = 0;
    CUmemorytype from_type = CU_MEMORYTYPE_DEVICE;
    std::uint64_t from = 0;
    std::size_t bytes = 0;
};

/// `count` elements of 1, 2 or 4 bytes set to `value`.
struct GraphFill {
    CUdeviceptr to = 0;
    std::uint32_t value = 0;
    unsigned unit_bytes = 1;
    std::size_t count = 0;
};

namespace detail {
struct LATHE_API GraphTraits {
    using Type = InContext<CUgraph>;
    static constexpr Type null{};
    static void destroy(Type graph) noexcept;
};
struct LATHE_API GraphExecTraits {
    using Type = InContext<CUgraphExec>;
    static constexpr Type null{};
    static void destroy(Type exec) noexcept;
};
} // namespace detail

/// Nodes and what they wait for: `after` is of this graph. Not thread-safe. All calls throw
/// gpu::Error with the driver's words.
class LATHE_API Graph {
public:
    Graph() = default; ///< none; create() makes an empty one
    /// (cuGraphCreate, in the current context)
    static Graph create();
    /// Takes over what a capture gave.
    static Graph adopt(CUgraph graph);

    CUgraph get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }

    /// The values behind `arguments` are copied; config.stream is not looked at.
    GraphNode add_kernel(const Kernel& kernel, const LaunchConfig& config, void** arguments,
                         std::span<const GraphNode> after = {});
    GraphNode add_copy(const GraphCopy& copy, std::span<const GraphNode> after = {});
    GraphNode add_fill(const GraphFill& fill, std::span<const GraphNode> after = {});
    /// As StreamView::add_host_function; kept while a graph, or one launched, may call it.
    GraphNode add_host_function(std::function<void()> function,
                                std::span<const GraphNode> after = {});
    /// Does nothing; others may wait for it.
    GraphNode add_empty(std::span<const GraphNode> after = {});
    /// A copy of `child` as one node.
    GraphNode add_graph(const Graph& child, std::span<const GraphNode> after = {});
    // What a node does in graphs made ready from now on.

    void set_kernel(GraphNode node, const Kernel& kernel, const LaunchConfig& config,
                    void** arguments);
    void set_copy(GraphNode node, const GraphCopy& copy);
    void set_fill(GraphNode node, const GraphFill& fill);
    /// All, in the driver's order. (cuGraphGetNodes)
    std::vector<GraphNode> nodes() const;

private:
    Handle<detail::GraphTraits> handle_;
};

/// A graph made ready, with parameters of its own. Launches of one follow each other, also on
/// several streams.
class LATHE_API GraphExec {
public:
    GraphExec() = default; ///< none
    /// Throws gpu::Error where the graph has a circle. (cuGraphInstantiate)
    explicit GraphExec(const Graph& graph);

    CUgraphExec get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }

    /// Asynchronous. (cuGraphLaunch)
    void launch(StreamView stream) const;
    /// Takes over all parameters of a graph with the same nodes and edges; false, and nothing
    /// changed, where `graph` has others. Launches under way keep theirs. (cuGraphExecUpdate)
    bool update(const Graph& graph);

    // What one node does from the next launch on; `node` is of the graph this was made from.

    void set_kernel(GraphNode node, const Kernel& kernel, const LaunchConfig& config,
                    void** arguments);
    void set_copy(GraphNode node, const GraphCopy& copy);
    void set_fill(GraphNode node, const GraphFill& fill);
    /// A kernel, copy or fill that is off does nothing.
    void set_enabled(GraphNode node, bool enabled);

private:
    Handle<detail::GraphExecTraits> handle_;
};

/// Work issued to the stream goes to a graph instead, from construction until end().
class LATHE_API StreamCapture {
public:
    /// `stream` is not the legacy default stream, and must outlive the capture. In the relaxed mode
    /// other calls of the thread are left alone. (cuStreamBeginCapture)
    [[nodiscard]] explicit StreamCapture(StreamView stream,
                                         CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED);
    StreamCapture(const StreamCapture&) = delete;
    StreamCapture& operator=(const StreamCapture&) = delete;
    /// Drops what was captured, unless end() took it.
    ~StreamCapture();

    /// Throws gpu::Error where a call made the capture invalid. (cuStreamEndCapture)
    Graph end();

private:
    StreamView stream_;
    bool active_ = true;
};

namespace detail {
/// The function of a host node, and the object that keeps it while graphs may call it.
struct LATHE_API HostFunction {
    explicit HostFunction(std::function<void()> function);
    HostFunction(const HostFunction&) = delete;
    HostFunction& operator=(const HostFunction&) = delete;
    ~HostFunction(); ///< drops the reference that no graph took
    void give_to(CUgraph graph);

    CUhostFn call;
    void* data;
    CUuserObject keeper = nullptr;
};
} // namespace detail

} // namespace lathe::gpu
