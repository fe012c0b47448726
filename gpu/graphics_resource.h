// SPDX-License-Identifier: MIT
// OpenGL objects registered with CUDA, and the guard that maps them for a while. Takes plain GL
// names, so this layer needs no GL header. Every call needs the GL context current on this thread.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/cuda_array.h"
#include "gpu/device.h"
#include "gpu/memory.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace lathe::gpu {

/// What the kernels will do between map and unmap; wrong hints lose data.
enum class GraphicsAccess { read_write, read_only, write_discard };

namespace detail {
struct LATHE_API GraphicsResourceTraits {
    using Type = InContext<CUgraphicsResource>;
    static constexpr Type null{};
    static void destroy(Type resource) noexcept;
};
} // namespace detail

class LATHE_API GraphicsResource {
public:
    GraphicsResource() = default; ///< empty
    /// The buffer must have storage, and keep it while registered. (cuGraphicsGLRegisterBuffer)
    static GraphicsResource buffer(unsigned gl_name,
                                   GraphicsAccess access = GraphicsAccess::read_write);
    /// `gl_target` is the texture's or renderbuffer's target, such as GL_TEXTURE_2D (0x0DE1).
    /// `surface_load_store`: surface objects may be made of it. (cuGraphicsGLRegisterImage)
    static GraphicsResource image(unsigned gl_name, unsigned gl_target,
                                  GraphicsAccess access = GraphicsAccess::read_write,
                                  bool surface_load_store = true);
    /// The same with CU_GRAPHICS_REGISTER_FLAGS_* as the driver has them. Where no GL context is
    /// current, or GL runs on another device, the message says so and what helps.
    static GraphicsResource buffer(unsigned gl_name, CUgraphicsRegisterFlags flags);
    static GraphicsResource image(unsigned gl_name, unsigned gl_target,
                                  CUgraphicsRegisterFlags flags);
    static GraphicsResource wrap(CUgraphicsResource resource) noexcept;

    CUgraphicsResource get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUgraphicsResource release() noexcept { return handle_.release().value; }

private:
    explicit GraphicsResource(Handle<detail::GraphicsResourceTraits> handle)
        : handle_{std::move(handle)} {}
    Handle<detail::GraphicsResourceTraits> handle_;
};

/// Maps resources from construction to the end of the scope, and unmaps them on the same stream.
/// GL work issued before is done before work on the stream starts; stream work issued before the
/// unmap is done before GL work issued after it starts. GL must not touch them in between.
class LATHE_API GraphicsMapping {
public:
    GraphicsMapping() = default; ///< maps nothing
    /// One driver call for all of them. They must outlive the mapping. (cuGraphicsMapResources)
    [[nodiscard]] GraphicsMapping(std::span<const CUgraphicsResource> resources, StreamView stream);
    [[nodiscard]] GraphicsMapping(const GraphicsResource& resource, StreamView stream);
    GraphicsMapping(GraphicsMapping&& other) noexcept;
    GraphicsMapping& operator=(GraphicsMapping&& other) noexcept;
    ~GraphicsMapping();

    /// Ends it now; throws gpu::Error where the destructor would log. Again: does nothing.
    void unmap();
    /// The same in the order of another stream.
    void unmap(StreamView stream);

    explicit operator bool() const noexcept { return !resources_.empty(); }
    std::size_t size() const noexcept { return resources_.size(); }
    StreamView stream() const noexcept { return stream_; }

    /// The memory of a mapped buffer; valid until the unmap, may differ from map to map.
    DeviceSpan<std::byte> bytes(std::size_t index = 0) const;
    /// The array of a mapped image; borrowed, valid until the unmap.
    CudaArray array(std::size_t index = 0, unsigned layer = 0, unsigned level = 0) const;

private:
    std::vector<CUgraphicsResource> resources_;
    StreamView stream_;
    Context context_;
};

/// The CUDA devices that the current GL context runs on. Empty where GL runs elsewhere (a software
/// GL beside a GPU, another vendor's GPU). Throws gpu::Error for other failures. (cuGLGetDevices)
LATHE_API std::vector<Device> gl_devices();

} // namespace lathe::gpu
