// SPDX-License-Identifier: MIT
// What things cost beside the same draw in plain GL, by turns in one process: points, a mesh, a
// picture. The others have no such draw and stand alone. Milliseconds of a headless frame of
// 1280 × 720 with glFinish, medians, as one JSON object a line. Arguments: frames of each, "full"
// or "small"; small unless given on a software GL. `lathe bench scene` runs it and makes a table.
#include "engine/app/app.h"
#include "engine/app/window.h"
#include "engine/core/statistics.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/shared_array.h"
#include "engine/scene/drawn_copies.h"
#include "gl/buffer.h"
#include "gl/program.h"
#include "gl/sync.h"
#include "gl/vertex_array.h"
#include "gpu/memory.h"

#include <glad/gl.h>

#include <glm/mat4x4.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lathe;

AppConfig config() {
    AppConfig c;
    c.width = 1280;
    c.height = 720;
    c.headless = true;
    return c;
}

class Bench {
public:
    explicit Bench(int frames) : app{config()}, frames_{frames} {
        app.on_draw([this](const DrawView& view) {
            if (plain) (*plain)(view);
        });
    }

    bool software() { return app.window().gl_info().is_software; }

    void say_where() {
        fmt::print(R"({{"gl": "{}", "device": "{}", "frames": {}}})"
                   "\n",
                   app.window().gl_info().renderer, app.device().name(), frames_);
    }

    /// Frames by turns: the thing, and plain GL where there is some.
    void compare(std::string_view name, const std::function<void()>& thing,
                 const std::function<void(const DrawView&)>& gl = {}) {
        std::vector<double> ours, theirs;
        std::uint64_t host = 0, device = 0; // bytes that the thing's frames copied
        for (int i = 0; i < frames_ + 3; ++i) {
            const Copied before = copied();
            const double a = frame(thing, {});
            const Copied after = copied();
            const double b = gl ? frame({}, gl) : 0;
            if (i < 3) continue; // programs are compiled
            ours.push_back(a);
            theirs.push_back(b);
            host += after.host - before.host;
            device += after.device - before.device;
        }
        fmt::print(R"({{"name": "{}", "ours": {:.4f}, "plain": {:.4f}, "host": {}, "device": {}}})"
                   "\n",
                   name, median(ours), median(theirs), host / std::uint64_t(frames_),
                   device / std::uint64_t(frames_));
        std::fflush(stdout);
    }

    gpu::Array floats(const gpu::Extents& shape, const std::vector<float>& values) {
        return app.array<float>(shape, std::span{values});
    }
    const gl::Buffer& buffer(const gpu::Array& array) {
        return *place_in_gl(array, *app.frame_map())->buffer;
    }

    App app;

private:
    struct Copied {
        std::uint64_t host, device;
    };
    Copied copied() {
        const DrawnBytes& drawn = app.drawn_bytes();
        return {interop_stats().bytes_copied + drawn.uploaded, drawn.copied};
    }

    double frame(const std::function<void()>& thing,
                 const std::function<void(const DrawView&)>& gl) {
        if (gl) plain = gl;
        else plain.reset();
        gl::finish();
        const auto begin = std::chrono::steady_clock::now();
        if (!app.begin_frame()) return 0;
        app.begin_step();
        if (thing) thing();
        app.end_frame();
        gl::finish();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count();
    }

    std::optional<std::function<void(const DrawView&)>> plain;
    int frames_;
};

gl::Program program(std::string vertex, std::string fragment) {
    const std::vector<gl::ShaderSource> sources{
        {gl::Stage::vertex, "plain.vert", std::move(vertex)},
        {gl::Stage::fragment, "plain.frag", std::move(fragment)}};
    return gl::Program::from_sources(sources);
}

std::vector<float> cloud(std::size_t count) {
    std::mt19937 engine{1};
    std::uniform_real_distribution<float> place{-1, 1};
    std::vector<float> places(3 * count);
    for (float& each : places) each = place(engine);
    return places;
}

void points(Bench& bench, std::size_t count) {
    const gpu::Array places = bench.floats({std::int64_t(count), 3}, cloud(count));
    gl::Program plain = program(R"(
layout(location = 0) in vec3 position;
uniform mat4 to_clip;
void main() { gl_Position = to_clip * vec4(position, 1.0); gl_PointSize = 1.0; }
)",
                                R"(
out vec4 color;
void main() { color = vec4(0.95, 0.8, 0.55, 1.0); }
)");
    gl::VertexArray array;
    array.set(0, bench.buffer(places), {.components = 3});
    bench.compare(
        fmt::format("{} points of a pixel", count),
        [&] {
            bench.app.view().points(places, {.size = 1, .blend = Blend::opaque, .round = false});
        },
        [&](const DrawView& view) {
            const glm::mat4 m = view.projection * view.view;
            plain.set_matrix("to_clip", &m[0][0]);
            plain.use();
            array.bind();
            glEnable(GL_DEPTH_TEST);
            glEnable(GL_PROGRAM_POINT_SIZE);
            glDrawArrays(GL_POINTS, 0, GLsizei(count));
        });
}

void spheres(Bench& bench, std::size_t count) {
    const gpu::Array places = bench.floats({std::int64_t(count), 3}, cloud(count));
    bench.compare(fmt::format("{} spheres", count),
                  [&] { bench.app.view().points(places, {.radius = 0.005f}); });
}

/// A torus of about `count` triangles.
void mesh(Bench& bench, std::size_t count) {
    const auto side = std::int64_t(std::sqrt(double(count) / 2));
    std::vector<float> places;
    std::vector<std::int32_t> triangles;
    for (std::int64_t i = 0; i < side; ++i)
        for (std::int64_t j = 0; j < side; ++j) {
            const double u = 6.2831853 * double(i) / double(side),
                         v = 6.2831853 * double(j) / double(side), r = 0.7 + 0.3 * std::cos(v);
            places.insert(places.end(), {float(r * std::cos(u)), float(0.3 * std::sin(v)),
                                         float(r * std::sin(u))});
            const auto at = [&](std::int64_t a, std::int64_t b) {
                return std::int32_t((i + a) % side * side + (j + b) % side);
            };
            triangles.insert(triangles.end(),
                             {at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)});
        }
    const gpu::Array vertices = bench.floats({side * side, 3}, places);
    const gpu::Array corners =
        bench.app.array<std::int32_t>({2 * side * side, 3}, std::span{std::as_const(triangles)});
    gl::Program plain = program(R"(
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
    gl::VertexArray array;
    array.set(0, bench.buffer(vertices), {.components = 3});
    glVertexArrayElementBuffer(array.id(), bench.buffer(corners).id());
    bench.compare(
        fmt::format("mesh of {} triangles", 2 * side * side),
        [&] { bench.app.view().mesh(vertices, corners); },
        [&](const DrawView& view) {
            const glm::mat4 m = view.projection * view.view;
            plain.set_matrix("to_eye", &view.view[0][0]);
            plain.set_matrix("to_clip", &m[0][0]);
            plain.use();
            array.bind();
            glEnable(GL_DEPTH_TEST);
            glDrawElements(GL_TRIANGLES, GLsizei(6 * side * side), GL_UNSIGNED_INT, nullptr);
        });
}

/// Through a colormap in a texture; the numbers come from a buffer texture.
void picture(Bench& bench, int side) {
    const std::vector<float> values(std::size_t(side) * std::size_t(side), 0.4f);
    const gpu::Array array = bench.floats({side, side}, values);
    gl::Program plain = program(R"(
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
    const gl::VertexArray corners;
    bench.compare(
        fmt::format("picture of {0} x {0} floats", side),
        [&] { bench.app.view().image(array, {.range = ValueRange{0, 1}}); },
        [&](const DrawView&) {
            bench.buffer(array).bind_texels(0, GL_R32F, values.size());
            Colormap::named("viridis").texture().bind(1);
            plain.set("side", side);
            plain.use();
            corners.bind();
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        });
}

void volumes(Bench& bench, int side) {
    std::vector<float> values;
    const auto of = [&](int i) { return 2 * double(i) / side - 1; };
    for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
                values.push_back(
                    float(std::exp(-4 * (of(x) * of(x) + of(y) * of(y) + of(z) * of(z)))));
    const gpu::Array array = bench.floats({side, side, side}, values);
    float turn = 0;
    for (const auto& [name, mode] : {std::pair{"greatest value", VolumeMode::mip},
                                     {"fog", VolumeMode::emission},
                                     {"surface", VolumeMode::surface}})
        bench.compare(fmt::format("volume of {}^3, {}", side, name), [&] {
            bench.app.view().orbit_camera().yaw = turn += 0.02f;
            bench.app.view().volume(array, {.mode = mode});
        });
}

/// Segments of 100 lines that wind about an axis.
void tubes(Bench& bench, std::size_t segments) {
    constexpr std::int64_t kLines = 100;
    const auto points = std::int64_t(segments) / kLines + 1;
    std::vector<float> places;
    for (std::int64_t line = 0; line < kLines; ++line)
        for (std::int64_t i = 0; i < points; ++i) {
            const double t = double(i) / double(points), phase = 6.2831853 * double(line) / kLines,
                         angle = phase + 12 * t, r = 0.3 + 0.6 * t;
            places.insert(places.end(), {float(r * std::cos(angle)), float(2 * t - 1),
                                         float(r * std::sin(angle))});
        }
    const gpu::Array array = bench.floats({kLines, points, 3}, places);
    bench.compare(fmt::format("tubes of {} segments", kLines * (points - 1)),
                  [&] { bench.app.view().tubes(array, {.radius = 0.01f}); });
}

void arrows(Bench& bench, std::size_t count) {
    const std::vector<float> at = cloud(count);
    std::vector<float> along(at.size());
    for (std::size_t i = 0; i < at.size(); i += 3) along[i] = -at[i + 2], along[i + 2] = at[i];
    const gpu::Array places = bench.floats({std::int64_t(count), 3}, at);
    const gpu::Array vectors = bench.floats({std::int64_t(count), 3}, along);
    bench.compare(fmt::format("{} arrows", count),
                  [&] { bench.app.view().arrows(places, vectors, {.scale = 0.1f}); });
}

/// Octahedra, of eight triangles.
void instances(Bench& bench, std::size_t count) {
    const gpu::Array vertices =
        bench.floats({6, 3}, {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1});
    const std::vector<std::int32_t> corners{0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                            2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    const gpu::Array triangles = bench.app.array<std::int32_t>({8, 3}, std::span{corners});
    const gpu::Array places = bench.floats({std::int64_t(count), 3}, cloud(count));
    bench.compare(fmt::format("{} instances of 8 triangles", count), [&] {
        bench.app.view().instances(vertices, triangles, places, {.scale = 0.02f});
    });
}

} // namespace

int main(int argc, char** argv) {
    Bench bench{argc > 1 ? std::max(1, std::atoi(argv[1])) : 25};
    const bool small = argc > 2 ? std::string_view{argv[2]} == "small" : bench.software();
    bench.say_where();
    points(bench, small ? 1'000'000 : 10'000'000);
    spheres(bench, small ? 100'000 : 1'000'000);
    mesh(bench, small ? 100'000 : 1'000'000);
    picture(bench, small ? 1024 : 4096);
    volumes(bench, small ? 128 : 512);
    tubes(bench, 10'000);
    arrows(bench, 10'000);
    instances(bench, 10'000);
}
