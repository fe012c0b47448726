// SPDX-License-Identifier: MIT
#include "tests/benchmarks/plain_draws.h"

#include "engine/render/colormap.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glad/gl.h>

#include <glm/mat4x4.hpp>

#include <memory>
#include <string>

namespace lathe::benchmarks {

namespace {

/// What a draw keeps; a std::function is copied, GL objects are not.
struct Kept {
    gl::Program program;
    gl::VertexArray array;
};

std::shared_ptr<Kept> kept(std::string vertex, std::string fragment) {
    const std::vector<gl::ShaderSource> sources{
        {gl::Stage::vertex, "plain.vert", std::move(vertex)},
        {gl::Stage::fragment, "plain.frag", std::move(fragment)}};
    return std::make_shared<Kept>(gl::Program::from_sources(sources), gl::VertexArray{});
}

void use(Kept& of, const DrawView& view) {
    const glm::mat4 to_clip = view.to_clip();
    of.program.set_matrix("to_eye", &view.view[0][0]);
    of.program.set_matrix("to_clip", &to_clip[0][0]);
    of.program.use();
    of.array.bind();
    glEnable(GL_DEPTH_TEST);
}

class VolumeTexture {
public:
    explicit VolumeTexture(int side) : side_{side} {
        glCreateTextures(GL_TEXTURE_3D, 1, &id_);
        glTextureStorage3D(id_, 1, GL_R32F, side, side, side);
        glTextureParameteri(id_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTextureParameteri(id_, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        for (const GLenum axis : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
            glTextureParameteri(id_, axis, GL_CLAMP_TO_EDGE);
    }
    ~VolumeTexture() { glDeleteTextures(1, &id_); }
    VolumeTexture(const VolumeTexture&) = delete;
    VolumeTexture& operator=(const VolumeTexture&) = delete;

    void fill(const gl::Buffer& values) const {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, values.id());
        glTextureSubImage3D(id_, 0, 0, 0, 0, side_, side_, side_, GL_RED, GL_FLOAT, nullptr);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }
    void bind(unsigned unit) const { glBindTextureUnit(unit, id_); }

private:
    int side_;
    unsigned id_ = 0;
};

/// A fragment's ray from the face it enters the box from -1 to 1 by, and what MODE makes of it.
constexpr const char* kMarch = R"(
layout(binding = 0) uniform sampler3D values;
layout(binding = 1) uniform sampler2D colormap;
uniform mat4 to_clip, from_clip;
uniform float a_step; // half a cell
in vec2 at;
out vec4 color; // premultiplied

float value_at(vec3 place) { return texture(values, 0.5 * place + 0.5).x; }
vec3 color_of(float value) {
    return texelFetch(colormap, ivec2(min(int(value * 256.0), 255), 0), 0).rgb;
}

void main() {
    vec4 near = from_clip * vec4(at, -1.0, 1.0), far = from_clip * vec4(at, 1.0, 1.0);
    vec3 eye = near.xyz / near.w, along = normalize(far.xyz / far.w - eye);
    vec3 a = (-1.0 - eye) / along, b = (1.0 - eye) / along;
    vec3 enters = min(a, b), leaves = max(a, b);
    float begin = max(max(max(enters.x, enters.y), enters.z), 0.0);
    float end = min(min(leaves.x, leaves.y), leaves.z);
    if (end <= begin) discard;
    float seen_at = end;
#if MODE == 0
    float greatest = 0.0;
    for (float t = begin; t < end; t += a_step) {
        float value = value_at(eye + t * along);
        if (value > greatest) { greatest = value; seen_at = t; }
    }
    float alpha = min(16.0 * greatest, 1.0);
    color = vec4(alpha * color_of(greatest), alpha);
#elif MODE == 1
    float through = 1.0;
    color = vec4(0.0);
    for (float t = begin; t < end && through > 0.005; t += a_step) {
        float value = value_at(eye + t * along);
        float rest = through * exp(-4.0 * a_step * value);
        color.rgb += (through - rest) * color_of(value);
        if (through > 0.5 && rest <= 0.5) seen_at = t;
        through = rest;
    }
    color.a = 1.0 - through;
#else
    const float level = 0.5;
    float t = begin, before = value_at(eye + t * along), value = before;
    while (t < end && (before < level) == (value < level)) {
        t += a_step;
        before = value;
        value = value_at(eye + t * along);
    }
    if (t >= end) discard;
    float low = t - a_step, high = t;
    for (int i = 0; i < 6; ++i) {
        float middle = 0.5 * (low + high);
        if ((value_at(eye + middle * along) < level) == (before < level)) low = middle;
        else high = middle;
    }
    seen_at = high;
    vec3 place = eye + seen_at * along;
    vec2 d = vec2(2.0 * a_step, 0.0);
    vec3 slope = vec3(value_at(place + d.xyy) - value_at(place - d.xyy),
                      value_at(place + d.yxy) - value_at(place - d.yxy),
                      value_at(place + d.yyx) - value_at(place - d.yyx));
    float light = 0.1 + 0.9 * abs(dot(normalize(slope), along));
    color = vec4(light * vec3(0.9, 0.86, 0.8), 1.0);
#endif
    if (color.a <= 0.0) discard;
    vec4 clip = to_clip * vec4(eye + seen_at * along, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
}
)";

} // namespace

Draw plain_points(const gl::Buffer& places, std::size_t count) {
    const auto of = kept(R"(
layout(location = 0) in vec3 position;
uniform mat4 to_clip;
void main() { gl_Position = to_clip * vec4(position, 1.0); gl_PointSize = 1.0; }
)",
                         R"(
out vec4 color;
void main() { color = vec4(0.95, 0.8, 0.55, 1.0); }
)");
    of->array.set(0, places, {.components = 3});
    return [of, count](const DrawView& view) {
        use(*of, view);
        glEnable(GL_PROGRAM_POINT_SIZE);
        glDrawArrays(GL_POINTS, 0, GLsizei(count));
    };
}

Draw plain_spheres(const gl::Buffer& places, std::size_t count, float radius) {
    const auto of = kept(R"(
layout(location = 0) in vec3 position;
uniform mat4 to_eye, projection;
uniform float radius;
flat out vec3 middle;
out vec3 place; // of eye space, as the middle
void main() {
    middle = vec3(to_eye * vec4(position, 1.0));
    // Seen from the eye, a sphere covers more than a circle of its radius.
    float grown = radius * inversesqrt(max(1.0 - radius * radius / dot(middle, middle), 1e-6));
    vec3 forward = normalize(middle), right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = middle + grown * (corner.x * right + corner.y * cross(right, forward));
    gl_Position = projection * vec4(place, 1.0);
}
)",
                         R"(
uniform mat4 projection;
uniform float radius;
flat in vec3 middle;
in vec3 place;
out vec4 color;
void main() {
    vec3 ray = normalize(place);
    float along = dot(ray, middle), under = along * along - dot(middle, middle) + radius * radius;
    if (under < 0.0) discard;
    vec3 surface = (along - sqrt(under)) * ray;
    vec4 clip = projection * vec4(surface, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    vec3 normal = (surface - middle) / radius;
    float light = 0.1 + 0.9 * max(dot(normal, normalize(vec3(-0.45, 0.55, 0.9))), 0.0);
    color = vec4(light * vec3(0.95, 0.8, 0.55), 1.0);
}
)");
    of->array.set(0, places, {.components = 3, .per_instance = true});
    of->program.set("radius", radius);
    return [of, count](const DrawView& view) {
        of->program.set_matrix("projection", &view.projection[0][0]);
        use(*of, view);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(count));
    };
}

Draw plain_mesh(const gl::Buffer& vertices, const gl::Buffer& corners, std::size_t triangles) {
    const auto of = kept(R"(
layout(location = 0) in vec3 position;
uniform mat4 to_eye, to_clip;
out vec3 place;
void main() {
    place = vec3(to_eye * vec4(position, 1.0));
    gl_Position = to_clip * vec4(position, 1.0);
}
)",
                         R"(
in vec3 place;
out vec4 color;
void main() {
    vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
    color = vec4(vec3(0.2 + 0.8 * abs(normal.z)), 1.0);
}
)");
    of->array.set(0, vertices, {.components = 3});
    of->array.set_elements(corners);
    return [of, triangles](const DrawView& view) {
        use(*of, view);
        glDrawElements(GL_TRIANGLES, GLsizei(3 * triangles), GL_UNSIGNED_INT, nullptr);
    };
}

Draw plain_picture(const gl::Buffer& numbers, int side) {
    const auto of = kept(R"(
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4((2.0 * at - 1.0) * vec2(9.0 / 16.0, 1.0), 0.0, 1.0);
}
)",
                         R"(
layout(binding = 0) uniform samplerBuffer numbers;
layout(binding = 1) uniform sampler2D colormap;
uniform int side;
in vec2 at;
out vec4 color;
void main() {
    ivec2 element = min(ivec2(at * float(side)), side - 1);
    float value = texelFetch(numbers, (side - 1 - element.y) * side + element.x).x;
    color = vec4(texelFetch(colormap, ivec2(min(int(value * 256.0), 255), 0), 0).rgb, 1.0);
}
)");
    of->program.set("side", side);
    return [of, &numbers, side](const DrawView&) {
        numbers.bind_texels(0, GL_R32F, std::size_t(side) * std::size_t(side));
        Colormap::named("viridis").texture().bind(1);
        of->program.use();
        of->array.bind();
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    };
}

Draw plain_volume(const gl::Buffer& values, int side, VolumeMode mode) {
    const auto of = kept(R"(
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0; // a triangle around the picture
    gl_Position = vec4(at, 0.0, 1.0);
}
)",
                         "#define MODE " + std::to_string(int(mode)) + kMarch);
    of->program.set("a_step", 1.0f / float(side));
    const auto texture = std::make_shared<VolumeTexture>(side);
    return [of, &values, texture](const DrawView& view) {
        const glm::mat4 from_clip = glm::inverse(view.to_clip());
        of->program.set_matrix("from_clip", &from_clip[0][0]);
        texture->fill(values);
        texture->bind(0);
        Colormap::named("viridis").texture().bind(1);
        use(*of, view);
        glEnable(GL_BLEND);
        glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glDisable(GL_BLEND);
    };
}

} // namespace lathe::benchmarks
