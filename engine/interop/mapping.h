// SPDX-License-Identifier: MIT
// The guard that hands shared objects to CUDA for a while: all objects of a frame in one driver
// call, unmapped on the stream they were mapped on. SharedBuffer and SharedTexture are the objects.
#pragma once

#include "engine/core/api.h"
#include "gpu/cuda_array.h"
#include "gpu/graphics_resource.h"
#include "gpu/memory.h"
#include "gpu/stream.h"
#include "gpu/texture.h"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace lathe {

/// What a Mapping needs of an object. Lives at one address as long as it is mapped.
class LATHE_API SharedObject {
public:
    SharedObject() = default;
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;
    virtual ~SharedObject() = default;

    bool is_mapped() const noexcept { return mapped_; }

protected:
    friend class Mapping;
    /// The registered resource; null where the object has storage of its own.
    virtual CUgraphicsResource resource() const noexcept = 0;
    /// Called at the map: with the mapped resource's place, or to bring own storage up to date.
    virtual void begin(const gpu::GraphicsMapping& mapping, std::size_t index) = 0;
    virtual void begin_copy(gpu::StreamView stream) = 0;
    /// Called at the unmap of an object with own storage: GL sees what the stream wrote.
    virtual void end_copy(gpu::StreamView stream) = 0;

    virtual CUdeviceptr mapped_address() const noexcept { return 0; }
    virtual std::size_t mapped_bytes() const noexcept { return 0; }
    virtual const gpu::CudaArray* mapped_array() const noexcept { return nullptr; }
    virtual const gpu::SurfaceObject* mapped_surface() { return nullptr; }
    virtual const gpu::TextureObject* mapped_texture() { return nullptr; }

private:
    bool mapped_ = false;
};

/// CUDA owns the objects from construction to the end of the scope; GL must not touch them.
/// The GL context must be current on the thread that maps and unmaps.
class LATHE_API Mapping {
public:
    Mapping() = default; ///< maps nothing
    /// Maps all in one driver call, ordered on `stream`. Objects must outlive the mapping and be
    /// unmapped, else lathe::Error. In host_copy, objects that GL wrote are fetched first.
    [[nodiscard]] Mapping(std::span<SharedObject* const> objects, gpu::StreamView stream);
    [[nodiscard]] Mapping(std::initializer_list<SharedObject*> objects, gpu::StreamView stream);
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    /// Unmaps; a failure is kept for the stream's next synchronize().
    ~Mapping();

    /// Ends it now, ordered on stream(): GL commands issued from now on see what CUDA wrote.
    /// Does not block in zero_copy on a GPU; waits for the stream otherwise. May throw the
    /// gpu::Error of a kernel before it. Again: does nothing.
    void unmap();

    explicit operator bool() const noexcept { return !objects_.empty(); }
    std::size_t size() const noexcept { return objects_.size(); }
    gpu::StreamView stream() const noexcept { return stream_; }

    // The object's CUDA side, valid until the unmap. Throw lathe::Error for the wrong kind.

    CUdeviceptr address(std::size_t index = 0) const;
    std::size_t bytes(std::size_t index = 0) const;
    template <class T = std::byte> gpu::DeviceSpan<T> span(std::size_t index = 0) const {
        return {address(index), bytes(index) / sizeof(T)};
    }
    const gpu::CudaArray& array(std::size_t index = 0) const;
    /// Kept by the texture from map to map while the driver gives it the same array.
    const gpu::SurfaceObject& surface(std::size_t index = 0) const;
    /// For reading, in elements, clamped; kept as surface() is. With Filter::linear it interpolates
    /// and 8-bit elements are read as 0 to 1, else elements are read as they are.
    const gpu::TextureObject& texture(std::size_t index = 0) const;

private:
    SharedObject& at(std::size_t index) const;

    std::vector<SharedObject*> objects_;
    gpu::GraphicsMapping resources_;
    gpu::StreamView stream_;
};

} // namespace lathe
