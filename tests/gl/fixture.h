// SPDX-License-Identifier: MIT
// A headless context for a test's life.
#pragma once

#include "gl/error.h"
#include "gl/framebuffer.h"
#include "gl/headless_context.h"
#include "gl/program.h"
#include "gl/vertex_array.h"
#include "tests/temp_folder.h"

#include <glad/gl.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace lathe::test {

struct GlTest : testing::Test {
    gl::HeadlessContext context;
};

/// A vertex shader of three vertices that cover the picture.
inline constexpr const char* kTriangle =
    "void main() { vec2 p = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);\n"
    "gl_Position = vec4(p, 0, 1); }\n";

/// A resource root of its own, so that shaders can be written here.
struct ShaderTest : GlTest {
    const TempFolder root;
    ShaderTest() {
        std::filesystem::create_directories(root / "shaders");
        setenv("LATHE_ROOT", root.path().c_str(), 1);
    }
    ~ShaderTest() override { unsetenv("LATHE_ROOT"); }
    void write(const std::string& name, const std::string& text) {
        std::ofstream{root / "shaders" / name} << text;
    }
    /// The picture of kTriangle by a program.
    static auto drawn(const gl::Program& program, const gl::Framebuffer& f) {
        const gl::VertexArray empty;
        f.bind();
        program.use();
        empty.bind();
        glDrawArrays(GL_TRIANGLES, 0, 3);
        gl::check("drawing");
        return f.read();
    }
};

template <class T> std::span<const std::byte> bytes_of(const std::vector<T>& v) {
    return std::as_bytes(std::span{v});
}
template <class T> std::vector<T> values_of(const std::vector<std::byte>& bytes) {
    std::vector<T> v(bytes.size() / sizeof(T));
    std::memcpy(v.data(), bytes.data(), v.size() * sizeof(T));
    return v;
}

} // namespace lathe::test
