// SPDX-License-Identifier: MIT
#include "gl/buffer.h"

#include "engine/core/guarded_memory.h"
#include "gl/context.h"
#include "gl/error.h"
#include "gl/object_registry.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace lathe::gl {
namespace {

constexpr GLbitfield kMapping =
    GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;

/// Storage is made of whole 16 bytes: NVIDIA's buffer textures read zeroes throughout a buffer of
/// 6 or 9 bytes, and so would shaders that read words lose the last one.
constexpr std::size_t kWhole = 16;

void require_range(std::size_t offset, std::size_t count, std::size_t bytes, const char* what) {
    if (offset > bytes || count > bytes - offset)
        throw Error{fmt::format("{} of {} bytes at offset {} is beyond the buffer's {} bytes", what,
                                count, offset, bytes)};
}

/// Makes memory of ours the storage of a buffer, by GL_AMD_pinned_memory.
std::byte* adopt_memory(Name name, std::size_t bytes) {
    GuardedMemory memory{bytes};
    std::byte* data = memory.data();
    glBindBuffer(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, name.id);
    glBufferData(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, GLsizeiptr(bytes), data, GL_DYNAMIC_COPY);
    glBindBuffer(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, 0);
    check(fmt::format("glBufferData on {} bytes of host memory", bytes));
    keep_memory(name, std::move(memory));
    return data;
}

} // namespace

Buffer::Buffer(std::size_t bytes, Storage storage) : bytes_{bytes}, whole_{true} {
    const Info& info = Context::require_current().info();
    if (bytes == 0) throw Error{"a GL buffer of 0 bytes was asked for; sizes are positive"};
    if (storage == Storage::automatic)
        storage = info.is_software ? Storage::mapped : Storage::device;
    unsigned id = 0;
    glCreateBuffers(1, &id);
    name_ = Object<Kind::buffer>{name_here(id)};
    const auto size = GLsizeiptr((bytes + kWhole - 1) / kWhole * kWhole);
    if (storage == Storage::mapped && info.is_software && info.has_pinned_memory) {
        mapped_ = adopt_memory(name_.get(), std::size_t(size));
        return;
    }
    const GLbitfield access = storage == Storage::mapped ? kMapping : 0;
    // Zeroes come with the storage or by the CPU, never by glClearNamedBufferData: on NVIDIA an
    // upload right after that call was lost, overtaken by the clear.
    const std::vector<std::byte> zeroes(access ? 0 : std::size_t(size));
    glNamedBufferStorage(id, size, access ? nullptr : zeroes.data(),
                         GL_DYNAMIC_STORAGE_BIT | access);
    check(fmt::format("glNamedBufferStorage of {} bytes", bytes));
    if (access) {
        mapped_ = static_cast<std::byte*>(glMapNamedBufferRange(id, 0, size, access));
        check(fmt::format("glMapNamedBufferRange of {} bytes", bytes));
        std::memset(mapped_, 0, std::size_t(size));
    }
}

Buffer::Buffer(std::span<const std::byte> content, Storage storage)
    : Buffer{content.size(), storage} {
    upload(content);
}

Buffer Buffer::wrap(unsigned id) {
    Buffer b;
    b.name_ = Object<Kind::buffer>::wrap(name_here(id));
    GLint64 bytes = 0;
    void* mapped = nullptr;
    glGetNamedBufferParameteri64v(id, GL_BUFFER_SIZE, &bytes);
    glGetNamedBufferPointerv(id, GL_BUFFER_MAP_POINTER, &mapped);
    check(fmt::format("wrapping GL buffer {}", id));
    b.bytes_ = std::size_t(bytes);
    b.mapped_ = mapped ? static_cast<std::byte*>(mapped) : memory_of(b.name_.get());
    return b;
}

void Buffer::upload(std::span<const std::byte> content, std::size_t offset) {
    require_range(offset, content.size(), this->bytes(), "an upload");
    if (content.empty()) return;
    // NVIDIA's buffer textures read zeroes after an upload of 6 or 9 bytes: the last word is
    // written whole.
    std::vector<std::byte> padded;
    if (whole_ && content.size() % 4 && offset + content.size() == bytes_) {
        padded.assign(content.begin(), content.end());
        padded.resize((content.size() + 3) / 4 * 4);
        content = padded;
    }
    glNamedBufferSubData(id(), GLintptr(offset), GLsizeiptr(content.size()), content.data());
    check("glNamedBufferSubData");
}

void Buffer::download(std::span<std::byte> content, std::size_t offset) const {
    require_range(offset, content.size(), this->bytes(), "a download");
    if (content.empty()) return;
    // Shader writes to storage buffers are seen by this call only after a barrier.
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glGetNamedBufferSubData(id(), GLintptr(offset), GLsizeiptr(content.size()), content.data());
    check("glGetNamedBufferSubData");
}

void Buffer::bind_texels(unsigned unit, unsigned format, std::size_t texels) const {
    auto view = std::find_if(views_.begin(), views_.end(),
                             [&](const TexelView& v) { return v.format == format; });
    if (view == views_.end()) {
        GLint most = 0;
        glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
        Name name = name_here(0);
        glCreateTextures(GL_TEXTURE_BUFFER, 1, &name.id);
        view = views_.insert(view, {format, std::size_t(most), Object<Kind::texture>{name}});
        glTextureBuffer(name.id, format, id());
    }
    if (texels > view->most)
        throw Error{fmt::format("{} elements are too many for this GL, which reads {} of a buffer",
                                texels, view->most)};
    glBindTextureUnit(unit, view->texture.get().id);
}

} // namespace lathe::gl
