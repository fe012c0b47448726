// SPDX-License-Identifier: MIT
// The few OpenGL 4.5 functions that interop needs, taken from the calling thread's current
// context. No GL library is linked or loaded: where the program has none, there is no context.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lathe::soft {

struct GlFunctions {
    using Enum = unsigned;
    using Id = unsigned;
    using Offset = std::ptrdiff_t;

    void (*Finish)() = nullptr;
    Enum (*GetError)() = nullptr;
    const unsigned char* (*GetString)(Enum) = nullptr;
    void (*GetIntegerv)(Enum, int*) = nullptr;
    void (*PixelStorei)(Enum, int) = nullptr;
    void (*BindBuffer)(Enum, Id) = nullptr;
    unsigned char (*IsBuffer)(Id) = nullptr;
    unsigned char (*IsTexture)(Id) = nullptr;
    void (*GetNamedBufferParameteri64v)(Id, Enum, std::int64_t*) = nullptr;
    void (*GetNamedBufferPointerv)(Id, Enum, void**) = nullptr;
    void* (*MapNamedBufferRange)(Id, Offset, Offset, unsigned) = nullptr;
    unsigned char (*UnmapNamedBuffer)(Id) = nullptr;
    void (*GetNamedBufferSubData)(Id, Offset, Offset, void*) = nullptr;
    void (*NamedBufferSubData)(Id, Offset, Offset, const void*) = nullptr;
    void (*GetTextureParameteriv)(Id, Enum, int*) = nullptr;
    void (*GetTextureLevelParameteriv)(Id, int, Enum, int*) = nullptr;
    void (*GetTextureImage)(Id, int, Enum, Enum, int, void*) = nullptr;
    void (*TextureSubImage2D)(Id, int, int, int, int, int, Enum, Enum, const void*) = nullptr;
    void (*TextureSubImage3D)(Id, int, int, int, int, int, int, int, Enum, Enum,
                              const void*) = nullptr;

    /// True where the renderer is known to run on the CPU: a mapping is then the storage itself.
    bool is_software = false;
};

/// Functions of the current context; fails with CUDA_ERROR_INVALID_GRAPHICS_CONTEXT where no
/// context is current or it is older than OpenGL 4.5.
const GlFunctions& current_gl();

} // namespace lathe::soft
