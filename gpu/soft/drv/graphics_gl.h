// SPDX-License-Identifier: MIT
// OpenGL buffers and textures as device memory and CUDA arrays.
//
// Buffers, by what GL offers: (1) persistently mapped for reading and writing: that pointer is
// used, nothing is copied; (2) a software GL: glMapNamedBufferRange gives the storage itself,
// nothing is copied; (3) else a copy in device memory, fetched at map and written back at unmap.
// Textures: GL gives no pointer to their storage, so an array of our own is filled at map (unless
// WRITE_DISCARD) and uploaded at unmap if a surface store or a copy wrote to it.
#pragma once

#include "gpu/soft/drv/array.h"
#include "gpu/soft/drv/gl_functions.h"

#include <cstdint>

namespace lathe::soft {

class GraphicsResource {
public:
    /// Both need the GL context current, and fail with CUDA_ERROR_INVALID_VALUE where the name is
    /// no such object or its format has no counterpart.
    static std::shared_ptr<GraphicsResource> of_buffer(Context& context, unsigned buffer,
                                                       unsigned flags);
    static std::shared_ptr<GraphicsResource> of_texture(Context& context, unsigned texture,
                                                        unsigned target, unsigned flags);
    ~GraphicsResource();

    /// GL commands so far are done when it returns. The context that owns the object is current.
    void map();
    /// The caller has waited for the stream. Writes back what has to be.
    void unmap();

    bool mapped() const { return mapped_; }
    bool is_buffer() const { return array_ == nullptr; }
    CUdeviceptr pointer() const { return reinterpret_cast<CUdeviceptr>(pointer_); }
    std::size_t bytes() const { return bytes_; }
    const std::shared_ptr<Array>& array() const { return array_; }
    void set_map_flags(unsigned flags) { map_flags_ = flags; }

    const Context* context = nullptr;

private:
    enum class Access : std::uint8_t { none, persistent, direct, staged };
    void map_buffer(const GlFunctions& gl);
    void map_texture(const GlFunctions& gl);
    void drop_pointer();

    unsigned name_ = 0, target_ = 0, map_flags_ = 0;
    unsigned gl_format_ = 0, gl_type_ = 0;
    std::shared_ptr<Array> array_;
    Access access_ = Access::none;
    void* pointer_ = nullptr;
    std::size_t bytes_ = 0;
    bool mapped_ = false;
};

/// Bytes copied between GL and device memory so far in this process.
std::uint64_t interop_bytes_copied();

} // namespace lathe::soft
