// SPDX-License-Identifier: MIT
#include "gpu/graphics_resource.h"

#include "gpu/driver/check.h"
#include "gpu/graphics_context.h"

#include <array>
#include <utility>

namespace lathe::gpu {
namespace {

CUgraphicsRegisterFlags register_flags(GraphicsAccess access) {
    switch (access) {
    case GraphicsAccess::read_only: return CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY;
    case GraphicsAccess::write_discard: return CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD;
    case GraphicsAccess::read_write: break;
    }
    return CU_GRAPHICS_REGISTER_FLAGS_NONE;
}

// A driver may look for the GL context where none is: asked before.
void require_gl(const char* routine) {
    if (!current_gl_renderer())
        throw Error{routine, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, gl_sharing_problem()};
}

// Why it was, where that is known: asked when a call has failed.
std::string reason() {
    const std::string problem = gl_sharing_problem();
    return problem.empty() ? problem : ": " + problem;
}

} // namespace

void detail::GraphicsResourceTraits::destroy(Type resource) noexcept {
    if (const ReleaseScope scope{resource.context})
        log_failure("cuGraphicsUnregisterResource",
                    driver().cuGraphicsUnregisterResource(resource.value));
}

GraphicsResource GraphicsResource::buffer(unsigned gl_name, GraphicsAccess access) {
    return buffer(gl_name, register_flags(access));
}

GraphicsResource GraphicsResource::buffer(unsigned gl_name, CUgraphicsRegisterFlags flags) {
    require_gl("cuGraphicsGLRegisterBuffer");
    const Context context = Context::ensure_current();
    CUgraphicsResource resource = nullptr;
    CU_TRY(cuGraphicsGLRegisterBuffer(&resource, gl_name, flags), "GL buffer {}{}", gl_name,
           reason());
    return GraphicsResource{Handle<detail::GraphicsResourceTraits>{{resource, context}}};
}

GraphicsResource GraphicsResource::image(unsigned gl_name, unsigned gl_target,
                                         GraphicsAccess access, bool surface_load_store) {
    const unsigned surface = surface_load_store ? CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST : 0;
    return image(gl_name, gl_target,
                 static_cast<CUgraphicsRegisterFlags>(register_flags(access) | surface));
}

GraphicsResource GraphicsResource::image(unsigned gl_name, unsigned gl_target,
                                         CUgraphicsRegisterFlags flags) {
    require_gl("cuGraphicsGLRegisterImage");
    const Context context = Context::ensure_current();
    CUgraphicsResource resource = nullptr;
    CU_TRY(cuGraphicsGLRegisterImage(&resource, gl_name, gl_target, flags),
           "GL image {} of target {:#x}{}", gl_name, gl_target, reason());
    return GraphicsResource{Handle<detail::GraphicsResourceTraits>{{resource, context}}};
}

GraphicsResource GraphicsResource::wrap(CUgraphicsResource resource) noexcept {
    return GraphicsResource{Handle<detail::GraphicsResourceTraits>::wrap({resource, {}})};
}

GraphicsMapping::GraphicsMapping(std::span<const CUgraphicsResource> resources, StreamView stream)
    : stream_{stream}, context_{Context::ensure_current()} {
    if (resources.empty()) return;
    std::vector<CUgraphicsResource> mapped{resources.begin(), resources.end()};
    CU_TRY(
        cuGraphicsMapResources(static_cast<unsigned>(mapped.size()), mapped.data(), stream.get()),
        "{} resources", mapped.size());
    resources_ = std::move(mapped);
}

GraphicsMapping::GraphicsMapping(const GraphicsResource& resource, StreamView stream)
    : GraphicsMapping{std::array{resource.get()}, stream} {}

GraphicsMapping::GraphicsMapping(GraphicsMapping&& other) noexcept
    : resources_{std::exchange(other.resources_, {})}, stream_{other.stream_},
      context_{other.context_} {}

GraphicsMapping& GraphicsMapping::operator=(GraphicsMapping&& other) noexcept {
    GraphicsMapping old{std::move(*this)};
    resources_ = std::exchange(other.resources_, {});
    stream_ = other.stream_;
    context_ = other.context_;
    return *this;
}

GraphicsMapping::~GraphicsMapping() {
    if (resources_.empty()) return;
    if (const detail::ReleaseScope scope{context_})
        detail::log_failure(
            "cuGraphicsUnmapResources",
            driver().cuGraphicsUnmapResources(static_cast<unsigned>(resources_.size()),
                                              resources_.data(), stream_.get()));
}

void GraphicsMapping::unmap() {
    // Emptied first: a failed unmap is not tried again by the destructor.
    std::vector<CUgraphicsResource> mapped = std::exchange(resources_, {});
    if (mapped.empty()) return;
    CU_TRY(cuGraphicsUnmapResources(static_cast<unsigned>(mapped.size()), mapped.data(),
                                    stream_.get()));
}

void GraphicsMapping::unmap(StreamView stream) {
    stream_ = stream;
    unmap();
}

DeviceSpan<std::byte> GraphicsMapping::bytes(std::size_t index) const {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    CU_TRY(cuGraphicsResourceGetMappedPointer(&address, &bytes, resources_.at(index)));
    return {address, bytes};
}

CudaArray GraphicsMapping::array(std::size_t index, unsigned layer, unsigned level) const {
    CUarray array = nullptr;
    CU_TRY(cuGraphicsSubResourceGetMappedArray(&array, resources_.at(index), layer, level));
    return CudaArray::wrap(array);
}

std::vector<Device> gl_devices() {
    Context::ensure_current();
    constexpr unsigned kMost = 32;
    CUdevice found[kMost] = {};
    unsigned count = 0;
    constexpr unsigned kAll = 1; // CU_GL_DEVICE_LIST_ALL of cudaGL.h
    const CUresult code = driver().cuGLGetDevices(&count, found, kMost, kAll);
    // What drivers answer where GL runs on no CUDA device, or on none of this process.
    if (code == CUDA_ERROR_NO_DEVICE || code == CUDA_ERROR_UNKNOWN ||
        code == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT || code == CUDA_ERROR_OPERATING_SYSTEM ||
        code == CUDA_ERROR_NOT_SUPPORTED)
        return {};
    if (code != CUDA_SUCCESS) throw Error{"cuGLGetDevices", code};
    std::vector<Device> devices;
    for (unsigned i = 0; i < count && i < kMost; ++i) devices.push_back(Device::wrap(found[i]));
    return devices;
}

} // namespace lathe::gpu
