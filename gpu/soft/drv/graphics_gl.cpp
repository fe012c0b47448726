// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/graphics_gl.h"

#include "gpu/soft/drv/memory.h"

#include <fmt/format.h>
#include <GL/glcorearb.h> // names of values alone: nothing of OpenGL is linked

#include <array>
#include <atomic>
#include <utility>

namespace lathe::soft {

namespace {

std::atomic<std::uint64_t> g_copied{0};

struct TextureFormat {
    unsigned internal;
    Format format;
    unsigned channels, layout, type;
};
constexpr TextureFormat kFormats[] = {
    {GL_RGBA8, Format::u8, 4, GL_RGBA, GL_UNSIGNED_BYTE},
    {GL_RG8, Format::u8, 2, GL_RG, GL_UNSIGNED_BYTE},
    {GL_R8, Format::u8, 1, GL_RED, GL_UNSIGNED_BYTE},
    {GL_RGBA16, Format::u16, 4, GL_RGBA, GL_UNSIGNED_SHORT},
    {GL_RG16, Format::u16, 2, GL_RG, GL_UNSIGNED_SHORT},
    {GL_R16, Format::u16, 1, GL_RED, GL_UNSIGNED_SHORT},
    {GL_RGBA16F, Format::f16, 4, GL_RGBA, GL_HALF_FLOAT},
    {GL_RG16F, Format::f16, 2, GL_RG, GL_HALF_FLOAT},
    {GL_R16F, Format::f16, 1, GL_RED, GL_HALF_FLOAT},
    {GL_RGBA32F, Format::f32, 4, GL_RGBA, GL_FLOAT},
    {GL_RG32F, Format::f32, 2, GL_RG, GL_FLOAT},
    {GL_R32F, Format::f32, 1, GL_RED, GL_FLOAT},
    {GL_RGBA8UI, Format::u8, 4, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE},
    {GL_RG8UI, Format::u8, 2, GL_RG_INTEGER, GL_UNSIGNED_BYTE},
    {GL_R8UI, Format::u8, 1, GL_RED_INTEGER, GL_UNSIGNED_BYTE},
    {GL_RGBA8I, Format::s8, 4, GL_RGBA_INTEGER, GL_BYTE},
    {GL_RG8I, Format::s8, 2, GL_RG_INTEGER, GL_BYTE},
    {GL_R8I, Format::s8, 1, GL_RED_INTEGER, GL_BYTE},
    {GL_RGBA16UI, Format::u16, 4, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT},
    {GL_RG16UI, Format::u16, 2, GL_RG_INTEGER, GL_UNSIGNED_SHORT},
    {GL_R16UI, Format::u16, 1, GL_RED_INTEGER, GL_UNSIGNED_SHORT},
    {GL_RGBA16I, Format::s16, 4, GL_RGBA_INTEGER, GL_SHORT},
    {GL_RG16I, Format::s16, 2, GL_RG_INTEGER, GL_SHORT},
    {GL_R16I, Format::s16, 1, GL_RED_INTEGER, GL_SHORT},
    {GL_RGBA32UI, Format::u32, 4, GL_RGBA_INTEGER, GL_UNSIGNED_INT},
    {GL_RG32UI, Format::u32, 2, GL_RG_INTEGER, GL_UNSIGNED_INT},
    {GL_R32UI, Format::u32, 1, GL_RED_INTEGER, GL_UNSIGNED_INT},
    {GL_RGBA32I, Format::s32, 4, GL_RGBA_INTEGER, GL_INT},
    {GL_RG32I, Format::s32, 2, GL_RG_INTEGER, GL_INT},
    {GL_R32I, Format::s32, 1, GL_RED_INTEGER, GL_INT},
};

std::int64_t buffer_parameter(const GlFunctions& gl, unsigned buffer, unsigned name) {
    std::int64_t value = 0;
    gl.GetNamedBufferParameteri64v(buffer, name, &value);
    return value;
}

/// Pixel transfer state for rows `row_texels` apart; the program's own state comes back at the end.
class PixelState {
public:
    PixelState(const GlFunctions& gl, bool pack, int row_texels, int rows) : gl_{gl}, pack_{pack} {
        gl_.GetIntegerv(pack_ ? GL_PIXEL_PACK_BUFFER_BINDING : GL_PIXEL_UNPACK_BUFFER_BINDING,
                        &buffer_);
        for (std::size_t i = 0; i < names().size(); ++i) {
            gl_.GetIntegerv(names()[i], &saved_[i]);
            gl_.PixelStorei(names()[i], i == 0 ? row_texels : i == 1 ? rows : i == 2 ? 1 : 0);
        }
        if (buffer_) gl_.BindBuffer(pack_ ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER, 0);
    }
    ~PixelState() {
        for (std::size_t i = 0; i < names().size(); ++i) gl_.PixelStorei(names()[i], saved_[i]);
        if (buffer_)
            gl_.BindBuffer(pack_ ? GL_PIXEL_PACK_BUFFER : GL_PIXEL_UNPACK_BUFFER,
                           static_cast<unsigned>(buffer_));
    }
    PixelState(const PixelState&) = delete;
    PixelState& operator=(const PixelState&) = delete;

private:
    using Names = std::array<unsigned, 6>;
    const Names& names() const {
        static constexpr Names pack{GL_PACK_ROW_LENGTH, GL_PACK_IMAGE_HEIGHT, GL_PACK_ALIGNMENT,
                                    GL_PACK_SKIP_ROWS,  GL_PACK_SKIP_PIXELS,  GL_PACK_SKIP_IMAGES};
        static constexpr Names unpack{GL_UNPACK_ROW_LENGTH,  GL_UNPACK_IMAGE_HEIGHT,
                                      GL_UNPACK_ALIGNMENT,   GL_UNPACK_SKIP_ROWS,
                                      GL_UNPACK_SKIP_PIXELS, GL_UNPACK_SKIP_IMAGES};
        return pack_ ? pack : unpack;
    }
    const GlFunctions& gl_;
    bool pack_;
    int buffer_ = 0;
    std::array<int, 6> saved_{};
};

} // namespace

std::uint64_t interop_bytes_copied() { return g_copied.load(std::memory_order_relaxed); }

std::shared_ptr<GraphicsResource> GraphicsResource::of_buffer(Context& context, unsigned buffer,
                                                              unsigned flags) {
    const GlFunctions& gl = current_gl();
    require(gl.IsBuffer(buffer), CUDA_ERROR_INVALID_VALUE, "no such GL buffer");
    auto bytes = buffer_parameter(gl, buffer, GL_BUFFER_SIZE);
    require(bytes > 0, CUDA_ERROR_INVALID_VALUE, "the GL buffer has no storage");
    auto made = std::make_shared<GraphicsResource>();
    made->context = &context;
    made->name_ = buffer;
    made->map_flags_ = flags & 3;
    made->bytes_ = static_cast<std::size_t>(bytes);
    return made;
}

std::shared_ptr<GraphicsResource> GraphicsResource::of_texture(Context& context, unsigned texture,
                                                               unsigned target, unsigned flags) {
    const GlFunctions& gl = current_gl();
    require(gl.IsTexture(texture), CUDA_ERROR_INVALID_VALUE, "no such GL texture");
    bool known = target == GL_TEXTURE_2D || target == GL_TEXTURE_RECTANGLE ||
                 target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY;
    require(known, CUDA_ERROR_INVALID_VALUE, "texture target is not supported");
    int own_target = 0, width = 0, height = 0, depth = 0, internal = 0;
    gl.GetTextureParameteriv(texture, GL_TEXTURE_TARGET, &own_target);
    require(static_cast<unsigned>(own_target) == target, CUDA_ERROR_INVALID_VALUE,
            "the texture has another target");
    gl.GetTextureLevelParameteriv(texture, 0, GL_TEXTURE_WIDTH, &width);
    gl.GetTextureLevelParameteriv(texture, 0, GL_TEXTURE_HEIGHT, &height);
    gl.GetTextureLevelParameteriv(texture, 0, GL_TEXTURE_DEPTH, &depth);
    gl.GetTextureLevelParameteriv(texture, 0, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    const TextureFormat* format = nullptr;
    for (const TextureFormat& f : kFormats)
        if (f.internal == static_cast<unsigned>(internal)) format = &f;
    if (!format)
        fail(CUDA_ERROR_INVALID_VALUE,
             fmt::format("GL format {:#x} has no CUDA counterpart", internal));
    auto made = std::make_shared<GraphicsResource>();
    made->context = &context;
    made->name_ = texture;
    made->target_ = target;
    made->map_flags_ = flags & 3;
    made->gl_format_ = format->layout;
    made->gl_type_ = format->type;
    CUDA_ARRAY3D_DESCRIPTOR d{};
    d.Width = static_cast<std::size_t>(width);
    d.Height = static_cast<std::size_t>(height);
    bool flat = target == GL_TEXTURE_2D || target == GL_TEXTURE_RECTANGLE;
    d.Depth = flat ? 0 : static_cast<std::size_t>(depth);
    d.Format = static_cast<CUarray_format>(format->format);
    d.NumChannels = format->channels;
    d.Flags =
        (flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST ? CUDA_ARRAY3D_SURFACE_LDST : 0) |
        (flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER ? CUDA_ARRAY3D_TEXTURE_GATHER : 0) |
        (target == GL_TEXTURE_2D_ARRAY ? CUDA_ARRAY3D_LAYERED : 0);
    made->array_ = make_array(context, d);
    made->array_->from_resource = true;
    made->bytes_ = made->array_->image.width * made->array_->image.texel_bytes() *
                   made->array_->image.rows() * made->array_->image.slices();
    return made;
}

GraphicsResource::~GraphicsResource() {
    if (array_) Objects<Array>::instance().remove(array_.get());
    drop_pointer();
}

void GraphicsResource::drop_pointer() {
    if (!pointer_) return;
    auto begin = reinterpret_cast<std::uintptr_t>(std::exchange(pointer_, nullptr));
    if (access_ == Access::staged) release(begin);
    else Registry::instance().remove(begin);
}

void GraphicsResource::map() {
    const GlFunctions& gl = current_gl();
    while (gl.GetError() != 0) {} // earlier errors are not this call's
    if (array_) map_texture(gl);
    else map_buffer(gl);
    mapped_ = true;
}

void GraphicsResource::map_buffer(const GlFunctions& gl) {
    require(gl.IsBuffer(name_), CUDA_ERROR_MAP_FAILED, "the GL buffer is gone");
    require(buffer_parameter(gl, name_, GL_BUFFER_SIZE) == static_cast<std::int64_t>(bytes_),
            CUDA_ERROR_MAP_FAILED, "the GL buffer has new storage: register it again");
    gl.Finish();
    void* p = nullptr;
    if (buffer_parameter(gl, name_, GL_BUFFER_MAPPED)) {
        auto flags = static_cast<unsigned>(buffer_parameter(gl, name_, GL_BUFFER_ACCESS_FLAGS));
        constexpr unsigned needed =
            GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
        bool whole =
            buffer_parameter(gl, name_, GL_BUFFER_MAP_OFFSET) == 0 &&
            buffer_parameter(gl, name_, GL_BUFFER_MAP_LENGTH) == static_cast<std::int64_t>(bytes_);
        require((flags & needed) == needed && whole, CUDA_ERROR_MAP_FAILED,
                "the GL buffer is mapped, but not persistently for reading and writing");
        gl.GetNamedBufferPointerv(name_, GL_BUFFER_MAP_POINTER, &p);
        access_ = Access::persistent;
    } else {
        // Asked before, because a program may take GL's error messages for its own failures.
        auto flags = static_cast<unsigned>(buffer_parameter(gl, name_, GL_BUFFER_STORAGE_FLAGS));
        bool fixed = buffer_parameter(gl, name_, GL_BUFFER_IMMUTABLE_STORAGE);
        constexpr unsigned needed = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
        if (gl.is_software && (!fixed || (flags & needed) == needed)) {
            bool discard = map_flags_ == CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD;
            unsigned access =
                GL_MAP_WRITE_BIT | (discard ? GL_MAP_INVALIDATE_BUFFER_BIT : GL_MAP_READ_BIT);
            p = gl.MapNamedBufferRange(name_, 0, static_cast<std::ptrdiff_t>(bytes_), access);
            access_ = Access::direct;
        } else {
            require(!fixed || (flags & GL_DYNAMIC_STORAGE_BIT), CUDA_ERROR_MAP_FAILED,
                    "the GL buffer's storage allows neither mapping nor glBufferSubData");
        }
    }
    if (!p) {
        p = allocate(*context, bytes_, Allocation::Kind::device);
        access_ = Access::staged;
        if (map_flags_ != CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD) {
            gl.GetNamedBufferSubData(name_, 0, static_cast<std::ptrdiff_t>(bytes_), p);
            g_copied.fetch_add(bytes_, std::memory_order_relaxed);
        }
        pointer_ = p;
    } else {
        Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(p),
                                  .bytes = bytes_,
                                  .kind = Allocation::Kind::foreign,
                                  .context = context});
        pointer_ = p;
    }
    if (gl.GetError() != 0) {
        drop_pointer();
        fail(CUDA_ERROR_MAP_FAILED, "OpenGL reported an error");
    }
}

void GraphicsResource::map_texture(const GlFunctions& gl) {
    require(gl.IsTexture(name_), CUDA_ERROR_MAP_FAILED, "the GL texture is gone");
    const Image& image = array_->image;
    array_->written.store(false);
    if (map_flags_ == CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD) {
        gl.Finish();
        return;
    }
    PixelState state{gl, true, static_cast<int>(image.pitch_bytes / image.texel_bytes()),
                     static_cast<int>(image.rows())};
    gl.GetTextureImage(name_, 0, gl_format_, gl_type_, static_cast<int>(image.bytes()), image.data);
    g_copied.fetch_add(bytes_, std::memory_order_relaxed);
    require(gl.GetError() == 0, CUDA_ERROR_MAP_FAILED, "the GL texture cannot be read");
}

void GraphicsResource::unmap() {
    const GlFunctions& gl = current_gl();
    mapped_ = false;
    while (gl.GetError() != 0) {}
    bool read_only = map_flags_ == CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY;
    bool ok = true;
    if (array_) {
        if (read_only || !array_->written.load()) return;
        const Image& image = array_->image;
        PixelState state{gl, false, static_cast<int>(image.pitch_bytes / image.texel_bytes()),
                         static_cast<int>(image.rows())};
        int w = static_cast<int>(image.width), h = static_cast<int>(image.rows());
        if (target_ == GL_TEXTURE_2D || target_ == GL_TEXTURE_RECTANGLE)
            gl.TextureSubImage2D(name_, 0, 0, 0, w, h, gl_format_, gl_type_, image.data);
        else
            gl.TextureSubImage3D(name_, 0, 0, 0, 0, w, h, static_cast<int>(image.slices()),
                                 gl_format_, gl_type_, image.data);
        g_copied.fetch_add(bytes_, std::memory_order_relaxed);
    } else if (access_ == Access::direct) {
        ok = gl.UnmapNamedBuffer(name_);
    } else if (access_ == Access::staged && !read_only) {
        gl.NamedBufferSubData(name_, 0, static_cast<std::ptrdiff_t>(bytes_), pointer_);
        g_copied.fetch_add(bytes_, std::memory_order_relaxed);
    }
    drop_pointer();
    require(ok && gl.GetError() == 0, CUDA_ERROR_UNMAP_FAILED, "OpenGL reported an error");
}

} // namespace lathe::soft
