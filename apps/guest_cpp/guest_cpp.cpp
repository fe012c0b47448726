// SPDX-License-Identifier: MIT
// OpenGL of the program's own around Lathe's arrays: a lit surface whose heights a kernel computes.
// The vertex shader reads the array's buffer where it lies.
#include <lathe/app.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include <glm/gtc/type_ptr.hpp>

#include <stdexcept>

namespace {

constexpr int kSide = 256;

constexpr const char* kVertex = R"(#version 450
layout(std430, binding = 0) readonly buffer Heights { float height[]; };
layout(location = 0) uniform mat4 world_to_clip;
layout(location = 1) uniform int side;
out vec3 normal;
float at(ivec2 p) {
    p = clamp(p, ivec2(0), ivec2(side - 1));
    return height[p.y * side + p.x];
}
void main() {
    const ivec2 corner[6] = ivec2[](ivec2(0), ivec2(1, 0), ivec2(0, 1),
                                    ivec2(1, 0), ivec2(1), ivec2(0, 1));
    int square = gl_VertexID / 6;
    ivec2 p = ivec2(square % (side - 1), square / (side - 1)) + corner[gl_VertexID % 6];
    vec2 slope = vec2(at(p + ivec2(1, 0)) - at(p - ivec2(1, 0)),
                      at(p + ivec2(0, 1)) - at(p - ivec2(0, 1))) * float(side) / 4;
    normal = normalize(vec3(-slope.x, 1, -slope.y));
    vec2 plane = 2 * vec2(p) / float(side - 1) - 1;
    gl_Position = world_to_clip * vec4(plane.x, at(p), plane.y, 1);
})";

constexpr const char* kFragment = R"(#version 450
in vec3 normal;
out vec4 color;
void main() {
    vec3 n = normalize(normal);
    float light = 0.25 + 0.75 * max(dot(n, normalize(vec3(0.4, 0.8, 0.3))), 0);
    float glint = pow(max(dot(n, normalize(vec3(0.5, 0.7, -0.5))), 0), 60);
    color = vec4(light * vec3(0.1, 0.45, 0.7) + 0.6 * glint, 1);
})";

class Surface final : public lathe::Renderer {
public:
    Surface(lathe::App& app, const lathe::gpu::Array& heights) : app_{app}, heights_{heights} {
        for (const auto& [kind, text] :
             {std::pair{GL_VERTEX_SHADER, kVertex}, std::pair{GL_FRAGMENT_SHADER, kFragment}}) {
            const GLuint shader = glCreateShader(GLenum(kind));
            glShaderSource(shader, 1, &text, nullptr);
            glCompileShader(shader);
            glAttachShader(program_, shader);
            glDeleteShader(shader);
        }
        glLinkProgram(program_);
        GLint linked = 0;
        glGetProgramiv(program_, GL_LINK_STATUS, &linked);
        if (!linked) throw std::runtime_error{"the surface's shaders do not link"};
        glCreateVertexArrays(1, &no_attributes_);
    }

    void draw(const lathe::DrawView& view) override {
        const auto [buffer, offset] = app_.gl_buffer(heights_);
        const glm::mat4 world_to_clip = view.projection * view.view;
        glUseProgram(program_);
        glUniformMatrix4fv(0, 1, GL_FALSE, glm::value_ptr(world_to_clip));
        glUniform1i(1, kSide);
        glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, buffer, GLintptr(offset),
                          GLsizeiptr(heights_.bytes()));
        glBindVertexArray(no_attributes_);
        glEnable(GL_DEPTH_TEST);
        glDrawArrays(GL_TRIANGLES, 0, 6 * (kSide - 1) * (kSide - 1));
    }

private:
    lathe::App& app_;
    lathe::gpu::Array heights_;
    GLuint program_ = glCreateProgram(), no_attributes_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    lathe::App app{argc, argv, {.title = "guest"}};
    const auto heights = app.array<float>({kSide, kSide});
    auto& drops = app.kernel("drops.cu", "drops");
    app.add_renderer(std::make_shared<Surface>(app, heights));
    app.use_camera(lathe::Camera::orbit);
    app.orbit_camera().distance = 2.4f;
    return app.run(
        [&](const lathe::Step& step) { drops.over(heights.shape())(heights, kSide, step.time); });
}
