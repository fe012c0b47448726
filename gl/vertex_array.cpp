// SPDX-License-Identifier: MIT
#include "gl/vertex_array.h"

#include "gl/buffer.h"
#include "gl/error.h"

#include <glad/gl.h>

namespace lathe::gl {
namespace {

GLenum gl_type(Component c) { return c == Component::uint8 ? GL_UNSIGNED_BYTE : GL_FLOAT; }

Object<Kind::vertex_array> make_vertex_array() {
    // The name is asked for first: without a context there is no function to call.
    Name name = name_here(0);
    glCreateVertexArrays(1, &name.id);
    return Object<Kind::vertex_array>{name};
}

} // namespace

VertexArray::VertexArray() : name_{make_vertex_array()} {}

VertexArray VertexArray::wrap(unsigned id) {
    return VertexArray{Object<Kind::vertex_array>::wrap(name_here(id))};
}

void VertexArray::set(unsigned index, const Buffer& buffer, const Attribute& a) {
    const std::size_t item = a.type == Component::uint8 ? 1 : 4;
    const std::size_t stride = a.stride_bytes ? a.stride_bytes : item * std::size_t(a.components);
    glVertexArrayVertexBuffer(id(), index, buffer.id(), GLintptr(a.offset), GLsizei(stride));
    glVertexArrayAttribFormat(id(), index, a.components, gl_type(a.type),
                              a.normalized ? GL_TRUE : GL_FALSE, 0);
    glVertexArrayAttribBinding(id(), index, index);
    glVertexArrayBindingDivisor(id(), index, a.per_instance ? 1 : 0);
    glEnableVertexArrayAttrib(id(), index);
    check("setting a vertex attribute");
}

void VertexArray::set_elements(const Buffer& buffer) {
    glVertexArrayElementBuffer(id(), buffer.id());
}

void VertexArray::bind() const { glBindVertexArray(id()); }

} // namespace lathe::gl
