// SPDX-License-Identifier: MIT
// What things cost beside the same draw in plain GL, by turns in one process: points, spheres, a
// mesh, a picture, volumes. The others have no such draw and stand alone. Milliseconds of a
// headless frame of 1280 × 720 with glFinish, medians, as one JSON object a line. Arguments: frames
// of each, "full" or "small"; small unless given on a software GL. `lathe bench scene` runs it and
// makes a table.
#include "engine/app/app.h"
#include "engine/app/window.h"
#include "engine/core/statistics.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/shared_array.h"
#include "engine/scene/drawn_copies.h"
#include "gl/buffer.h"
#include "gl/sync.h"
#include "gpu/memory.h"
#include "tests/benchmarks/plain_draws.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lathe;
using namespace lathe::benchmarks;

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
            if (plain_) plain_(view);
        });
    }

    bool software() { return app.window().gl_info().is_software; }

    void say_where() {
        fmt::print(R"({{"gl": "{}", "device": "{}", "frames": {}}})"
                   "\n",
                   app.window().gl_info().renderer, app.device().name(), frames_);
    }

    /// Frames by turns: the thing, and plain GL where there is some.
    void compare(std::string_view name, const std::function<void()>& thing, const Draw& gl = {}) {
        std::vector<double> ours, theirs;
        std::uint64_t host = 0, device = 0; // bytes that the thing's frames copied
        for (int i = 0; i < frames_ + 3; ++i) {
            frame(thing, {}); // what the other's frame left in the GPU's caches does not count
            const Copied before = copied();
            const double a = frame(thing, {});
            const Copied after = copied();
            if (gl) frame({}, gl);
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

    double frame(const std::function<void()>& thing, const Draw& gl) {
        plain_ = gl;
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

    Draw plain_;
    int frames_;
};

std::vector<float> cloud(std::size_t count) {
    std::mt19937 engine{1};
    std::uniform_real_distribution<float> place{-1, 1};
    std::vector<float> places(3 * count);
    for (float& each : places) each = place(engine);
    return places;
}

void points(Bench& bench, std::size_t count) {
    const gpu::Array places = bench.floats({std::int64_t(count), 3}, cloud(count));
    bench.compare(
        fmt::format("{} points of a pixel", count),
        [&] {
            bench.app.view().points(places, {.size = 1, .blend = Blend::opaque, .round = false});
        },
        plain_points(bench.buffer(places), count));
}

void spheres(Bench& bench, std::size_t count) {
    const gpu::Array places = bench.floats({std::int64_t(count), 3}, cloud(count));
    constexpr float kRadius = 0.005f;
    bench.compare(
        fmt::format("{} spheres", count),
        [&] { bench.app.view().points(places, {.radius = kRadius}); },
        plain_spheres(bench.buffer(places), count, kRadius));
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
    const auto count_made = std::size_t(2 * side * side);
    bench.compare(
        fmt::format("mesh of {} triangles", count_made),
        [&] { bench.app.view().mesh(vertices, corners); },
        plain_mesh(bench.buffer(vertices), bench.buffer(corners), count_made));
}

void picture(Bench& bench, int side) {
    const std::vector<float> values(std::size_t(side) * std::size_t(side), 0.4f);
    const gpu::Array array = bench.floats({side, side}, values);
    bench.compare(
        fmt::format("picture of {0} x {0} floats", side),
        [&] { bench.app.view().image(array, {.range = ValueRange{0, 1}}); },
        plain_picture(bench.buffer(array), side));
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
        bench.compare(
            fmt::format("volume of {}^3, {}", side, name),
            [&] {
                bench.app.view().orbit_camera().yaw = turn += 0.01f;
                bench.app.view().volume(array, {.mode = mode});
            },
            plain_volume(bench.buffer(array), side, mode));
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
