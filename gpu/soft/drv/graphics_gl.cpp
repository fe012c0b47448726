// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/graphics_gl.h"

#include "gpu/soft/drv/memory.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <utility>

namespace lathe::soft {

namespace {

// Names of OpenGL's header, which this library does not need otherwise.
enum : unsigned {
    kBufferSize = 0x8764,
    kBufferMapped = 0x88BC,
    kBufferMapPointer = 0x88BD,
    kBufferImmutable = 0x821F,
    kBufferStorageFlags = 0x8220,
    kDynamicStorage = 0x100,
    kBufferAccessFlags = 0x911F,
    kBufferMapLength = 0x9120,
    kBufferMapOffset = 0x9121,
    kMapRead = 1,
    kMapWrite = 2,
    kMapInvalidateBuffer = 8,
    kMapPersistent = 0x40,
    kMapCoherent = 0x80,
    kTexture2D = 0x0DE1,
    kTexture3D = 0x806F,
    kTextureRectangle = 0x84F5,
    kTexture2DArray = 0x8C1A,
    kTextureTarget = 0x1006,
    kTextureWidth = 0x1000,
    kTextureHeight = 0x1001,
    kTextureDepth = 0x8071,
    kTextureInternalFormat = 0x1003,
    kPixelPackBuffer = 0x88EB,
    kPixelUnpackBuffer = 0x88EC,
    kPixelPackBinding = 0x88ED,
    kPixelUnpackBinding = 0x88EF,
    kPackRowLength = 0x0D02,
    kPackSkipRows = 0x0D03,
    kPackSkipPixels = 0x0D04,
    kPackAlignment = 0x0D05,
    kPackSkipImages = 0x806B,
    kPackImageHeight = 0x806C,
    kUnpackRowLength = 0x0CF2,
    kUnpackSkipRows = 0x0CF3,
    kUnpackSkipPixels = 0x0CF4,
    kUnpackAlignment = 0x0CF5,
    kUnpackSkipImages = 0x806D,
    kUnpackImageHeight = 0x806E,
    kRed = 0x1903,
    kRgba = 0x1908,
    kRg = 0x8227,
    kRedInteger = 0x8D94,
    kRgInteger = 0x8228,
    kRgbaInteger = 0x8D99,
    kByte = 0x1400,
    kUnsignedByte = 0x1401,
    kShort = 0x1402,
    kUnsignedShort = 0x1403,
    kInt = 0x1404,
    kUnsignedInt = 0x1405,
    kFloat = 0x1406,
    kHalf = 0x140B,
};

std::atomic<std::uint64_t> g_copied{0};

struct TextureFormat {
    unsigned internal;
    Format format;
    unsigned channels, layout, type;
};
constexpr TextureFormat kFormats[] = {
    {0x8058 /* RGBA8 */, Format::u8, 4, kRgba, kUnsignedByte},
    {0x822B /* RG8 */, Format::u8, 2, kRg, kUnsignedByte},
    {0x8229 /* R8 */, Format::u8, 1, kRed, kUnsignedByte},
    {0x805B /* RGBA16 */, Format::u16, 4, kRgba, kUnsignedShort},
    {0x822C /* RG16 */, Format::u16, 2, kRg, kUnsignedShort},
    {0x822A /* R16 */, Format::u16, 1, kRed, kUnsignedShort},
    {0x881A /* RGBA16F */, Format::f16, 4, kRgba, kHalf},
    {0x822F /* RG16F */, Format::f16, 2, kRg, kHalf},
    {0x822D /* R16F */, Format::f16, 1, kRed, kHalf},
    {0x8814 /* RGBA32F */, Format::f32, 4, kRgba, kFloat},
    {0x8230 /* RG32F */, Format::f32, 2, kRg, kFloat},
    {0x822E /* R32F */, Format::f32, 1, kRed, kFloat},
    {0x8D7C /* RGBA8UI */, Format::u8, 4, kRgbaInteger, kUnsignedByte},
    {0x8238 /* RG8UI */, Format::u8, 2, kRgInteger, kUnsignedByte},
    {0x8232 /* R8UI */, Format::u8, 1, kRedInteger, kUnsignedByte},
    {0x8D8E /* RGBA8I */, Format::s8, 4, kRgbaInteger, kByte},
    {0x8237 /* RG8I */, Format::s8, 2, kRgInteger, kByte},
    {0x8231 /* R8I */, Format::s8, 1, kRedInteger, kByte},
    {0x8D76 /* RGBA16UI */, Format::u16, 4, kRgbaInteger, kUnsignedShort},
    {0x823A /* RG16UI */, Format::u16, 2, kRgInteger, kUnsignedShort},
    {0x8234 /* R16UI */, Format::u16, 1, kRedInteger, kUnsignedShort},
    {0x8D88 /* RGBA16I */, Format::s16, 4, kRgbaInteger, kShort},
    {0x8239 /* RG16I */, Format::s16, 2, kRgInteger, kShort},
    {0x8233 /* R16I */, Format::s16, 1, kRedInteger, kShort},
    {0x8D70 /* RGBA32UI */, Format::u32, 4, kRgbaInteger, kUnsignedInt},
    {0x823C /* RG32UI */, Format::u32, 2, kRgInteger, kUnsignedInt},
    {0x8236 /* R32UI */, Format::u32, 1, kRedInteger, kUnsignedInt},
    {0x8D82 /* RGBA32I */, Format::s32, 4, kRgbaInteger, kInt},
    {0x823B /* RG32I */, Format::s32, 2, kRgInteger, kInt},
    {0x8235 /* R32I */, Format::s32, 1, kRedInteger, kInt},
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
        gl_.GetIntegerv(pack_ ? kPixelPackBinding : kPixelUnpackBinding, &buffer_);
        for (std::size_t i = 0; i < names().size(); ++i) {
            gl_.GetIntegerv(names()[i], &saved_[i]);
            gl_.PixelStorei(names()[i], i == 0 ? row_texels : i == 1 ? rows : i == 2 ? 1 : 0);
        }
        if (buffer_) gl_.BindBuffer(pack_ ? kPixelPackBuffer : kPixelUnpackBuffer, 0);
    }
    ~PixelState() {
        for (std::size_t i = 0; i < names().size(); ++i) gl_.PixelStorei(names()[i], saved_[i]);
        if (buffer_)
            gl_.BindBuffer(pack_ ? kPixelPackBuffer : kPixelUnpackBuffer,
                           static_cast<unsigned>(buffer_));
    }
    PixelState(const PixelState&) = delete;
    PixelState& operator=(const PixelState&) = delete;

private:
    using Names = std::array<unsigned, 6>;
    const Names& names() const {
        static constexpr Names pack{kPackRowLength, kPackImageHeight, kPackAlignment,
                                    kPackSkipRows,  kPackSkipPixels,  kPackSkipImages};
        static constexpr Names unpack{kUnpackRowLength, kUnpackImageHeight, kUnpackAlignment,
                                      kUnpackSkipRows,  kUnpackSkipPixels,  kUnpackSkipImages};
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
    auto bytes = buffer_parameter(gl, buffer, kBufferSize);
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
    bool known = target == kTexture2D || target == kTextureRectangle || target == kTexture3D ||
                 target == kTexture2DArray;
    require(known, CUDA_ERROR_INVALID_VALUE, "texture target is not supported");
    int own_target = 0, width = 0, height = 0, depth = 0, internal = 0;
    gl.GetTextureParameteriv(texture, kTextureTarget, &own_target);
    require(static_cast<unsigned>(own_target) == target, CUDA_ERROR_INVALID_VALUE,
            "the texture has another target");
    gl.GetTextureLevelParameteriv(texture, 0, kTextureWidth, &width);
    gl.GetTextureLevelParameteriv(texture, 0, kTextureHeight, &height);
    gl.GetTextureLevelParameteriv(texture, 0, kTextureDepth, &depth);
    gl.GetTextureLevelParameteriv(texture, 0, kTextureInternalFormat, &internal);
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
    bool flat = target == kTexture2D || target == kTextureRectangle;
    d.Depth = flat ? 0 : static_cast<std::size_t>(depth);
    d.Format = static_cast<CUarray_format>(format->format);
    d.NumChannels = format->channels;
    d.Flags =
        (flags & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST ? CUDA_ARRAY3D_SURFACE_LDST : 0) |
        (flags & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER ? CUDA_ARRAY3D_TEXTURE_GATHER : 0) |
        (target == kTexture2DArray ? CUDA_ARRAY3D_LAYERED : 0);
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
    require(buffer_parameter(gl, name_, kBufferSize) == static_cast<std::int64_t>(bytes_),
            CUDA_ERROR_MAP_FAILED, "the GL buffer has new storage: register it again");
    gl.Finish();
    void* p = nullptr;
    if (buffer_parameter(gl, name_, kBufferMapped)) {
        auto flags = static_cast<unsigned>(buffer_parameter(gl, name_, kBufferAccessFlags));
        constexpr unsigned needed = kMapRead | kMapWrite | kMapPersistent | kMapCoherent;
        bool whole =
            buffer_parameter(gl, name_, kBufferMapOffset) == 0 &&
            buffer_parameter(gl, name_, kBufferMapLength) == static_cast<std::int64_t>(bytes_);
        require((flags & needed) == needed && whole, CUDA_ERROR_MAP_FAILED,
                "the GL buffer is mapped, but not persistently for reading and writing");
        gl.GetNamedBufferPointerv(name_, kBufferMapPointer, &p);
        access_ = Access::persistent;
    } else {
        // Asked before, because a program may take GL's error messages for its own failures.
        auto flags = static_cast<unsigned>(buffer_parameter(gl, name_, kBufferStorageFlags));
        bool fixed = buffer_parameter(gl, name_, kBufferImmutable);
        constexpr unsigned needed = kMapRead | kMapWrite;
        if (gl.is_software && (!fixed || (flags & needed) == needed)) {
            bool discard = map_flags_ == CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD;
            unsigned access = kMapWrite | (discard ? kMapInvalidateBuffer : kMapRead);
            p = gl.MapNamedBufferRange(name_, 0, static_cast<std::ptrdiff_t>(bytes_), access);
            access_ = Access::direct;
        } else {
            require(!fixed || (flags & kDynamicStorage), CUDA_ERROR_MAP_FAILED,
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
        if (target_ == kTexture2D || target_ == kTextureRectangle)
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
