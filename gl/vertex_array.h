// SPDX-License-Identifier: MIT
// Which buffer feeds which vertex attribute, and which one has the numbers of vertices.
#pragma once

#include "engine/core/api.h"
#include "gl/object.h"

#include <cstddef>

namespace lathe::gl {

class Buffer;

enum class Component { float32, uint8 };

struct Attribute {
    int components = 3; ///< 1..4
    Component type = Component::float32;
    std::size_t offset = 0;       ///< bytes from the buffer's begin to the first element
    std::size_t stride_bytes = 0; ///< from one element to the next; 0 where packed
    bool normalized = false;      ///< integers become 0..1; integers that are not become floats
    bool per_instance = false;    ///< an element an instance, not a vertex
};

class LATHE_API VertexArray {
public:
    /// Makes an empty one in the current context.
    VertexArray();
    static VertexArray wrap(unsigned id);

    unsigned id() const noexcept { return name_.get().id; }
    /// Feeds `index` from `buffer`, which must live until the last draw.
    /// Throws gl::Error where a stride or offset is beyond GL's limits.
    void set(unsigned index, const Buffer& buffer, const Attribute& attribute);
    /// Where indexed drawing finds the numbers of its vertices; lives until the last draw, too.
    void set_elements(const Buffer& buffer);
    void bind() const;

    [[nodiscard]] unsigned release() noexcept { return name_.release().id; }

private:
    explicit VertexArray(Object<Kind::vertex_array> name) : name_{std::move(name)} {}
    Object<Kind::vertex_array> name_;
};

} // namespace lathe::gl
