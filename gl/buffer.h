// SPDX-License-Identifier: MIT
// A GL buffer of fixed size. On a software GL its storage is memory of ours with guards around it
// (GL_AMD_pinned_memory), or else mapped for life, so that a CPU or the software CUDA device writes
// what GL draws, with no copy, and a kernel that overruns it faults instead of damaging GL.
#pragma once

#include "engine/core/api.h"
#include "gl/object.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lathe::gl {

enum class Storage {
    automatic, ///< mapped on a software GL, device on a GPU
    mapped,    ///< in the CPU's reach for life, coherent, read and write
    device,    ///< in the GPU's memory; upload() and download() copy
};

class LATHE_API Buffer {
public:
    Buffer() = default;
    /// Allocates `bytes` (> 0), zeroed; GL's own size is rounded up to 16, which wrap() and driver
    /// calls see. glNamedBufferStorage. Throws gl::Error where it fails.
    explicit Buffer(std::size_t bytes, Storage storage = Storage::automatic);
    /// Allocates and fills.
    explicit Buffer(std::span<const std::byte> content, Storage storage = Storage::automatic);
    /// Borrows a buffer of the current context; its size is asked from GL, mapped() is null
    /// unless it is mapped now or made by this class with Storage::mapped.
    static Buffer wrap(unsigned id);

    unsigned id() const noexcept { return name_.get().id; }
    std::size_t bytes() const noexcept { return name_ ? bytes_ : 0; }
    explicit operator bool() const noexcept { return bool(name_); }
    /// The persistent mapping, or null where the storage is not mapped. GL sees CPU writes made
    /// before a draw call; the CPU sees GL's writes after glFinish or a fence.
    std::byte* mapped() const noexcept { return name_ ? mapped_ : nullptr; }

    /// Copies into the buffer, ordered with GL commands. Throws gl::Error out of range.
    void upload(std::span<const std::byte> content, std::size_t offset = 0);
    /// Copies out of the buffer; waits for GL commands that write it. Throws gl::Error out of
    /// range.
    void download(std::span<std::byte> content, std::size_t offset = 0) const;

    /// Binds the buffer to a texture unit, as texels of a sized internal format of GL (GL_R32F)
    /// that shaders fetch by number where they lie; `texels` is how many they may fetch. The GL
    /// texture is made at a format's first use and dies with the buffer. Throws gl::Error where
    /// this GL fetches fewer. glTextureBuffer, glBindTextureUnit.
    void bind_texels(unsigned unit, unsigned format, std::size_t texels) const;

    /// Gives the GL name away; the caller deletes it.
    [[nodiscard]] unsigned release() noexcept { return name_.release().id; }

private:
    struct TexelView {
        unsigned format;
        std::size_t most; ///< that shaders may fetch
        Object<Kind::texture> texture;
    };

    Object<Kind::buffer> name_;
    mutable std::vector<TexelView> views_;
    std::size_t bytes_ = 0;
    std::byte* mapped_ = nullptr;
    bool whole_ = false; ///< storage goes on beyond bytes_ to whole 16 bytes
};

} // namespace lathe::gl
