// SPDX-License-Identifier: MIT
// What a frame costs before its kernel does anything: a launch, and map + launch + unmap of shared
// objects. One line a figure; medians. LATHE_DEVICE chooses the device.
#include "engine/core/error.h"
#include "engine/core/statistics.h"
#include "engine/interop/shared_buffer.h"
#include "engine/interop/shared_texture.h"
#include "gl/headless_context.h"
#include "gpu/compiler.h"
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "gpu/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace lathe;
using Clock = std::chrono::steady_clock;

constexpr const char* kSource = R"(
extern "C" __global__ void empty4(float* p, float a, int n, float* q) {}
extern "C" __global__ void touch(float* p) { if (threadIdx.x == 0) p[0] += 1; }
extern "C" __global__ void touch_surface(cudaSurfaceObject_t s) {
    if (threadIdx.x == 0) surf2Dwrite(make_float4(1, 2, 3, 4), s, 0, 0);
}
)";

double microseconds(Clock::duration d) {
    return std::chrono::duration<double, std::micro>(d).count();
}

// Median over `rounds` of the time of one call.
template <class F> double median_of(int rounds, F call) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const auto start = Clock::now();
        call();
        times.push_back(microseconds(Clock::now() - start));
    }
    return median(std::move(times));
}

void bench_launch(const gpu::Module& module, gpu::StreamView stream) {
    const gpu::Kernel kernel = module.kernel("empty4");
    const gpu::DeviceBuffer p{1024};
    const gpu::LaunchConfig config{{1}, {32}, 0, stream};
    constexpr int kLaunches = 20'000;
    const auto loop = [&](auto launch_once) {
        return median_of(5,
                         [&] {
                             for (int i = 0; i < kLaunches; ++i) launch_once();
                             stream.synchronize();
                         }) /
               kLaunches;
    };
    loop([&] { gpu::launch(kernel, config, p, 1.f, 3, p); }); // warm
    fmt::print("launch, typed and checked, 4 arguments   {:8.3f} us\n",
               loop([&] { gpu::launch(kernel, config, p, 1.f, 3, p); }));
    CUdeviceptr address = p.address();
    float a = 1;
    int n = 3;
    void* arguments[] = {&address, &a, &n, &address};
    fmt::print("launch, untyped                          {:8.3f} us\n",
               loop([&] { kernel.launch(config, arguments); }));
    const auto raw = gpu::driver().cuLaunchKernel;
    fmt::print("launch, cuLaunchKernel alone             {:8.3f} us\n", loop([&] {
                   raw(kernel.get(), 1, 1, 1, 32, 1, 1, 0, stream.get(), arguments, nullptr);
               }));
}

void bench_interop(const gpu::Module& module, gpu::StreamView stream) {
    const gl::HeadlessContext context;
    fmt::print("GL {} on {}; {}: {}\n", context.info().version, context.info().renderer,
               name_of(interop_mode()), interop_reason());
    SharedBuffer buffer{64 << 20};
    SharedTexture texture{2048, 2048, gl::Format::rgba32f};
    const gpu::Kernel touch = module.kernel("touch");
    const gpu::Kernel touch_surface = module.kernel("touch_surface");
    const gpu::LaunchConfig config{{1}, {32}, 0, stream};
    const auto frames = [&](const char* what, auto frame) {
        reset_interop_stats();
        for (int i = 0; i < 20; ++i) frame();
        const double median = median_of(200, frame); // before the counter is read
        fmt::print("{} {:8.3f} us, {} bytes copied a frame\n", what, median,
                   interop_stats().bytes_copied / 220);
        stream.synchronize();
    };
    frames("map + launch + unmap, 64 MiB buffer      ", [&] {
        const Mapping mapping = buffer.map(stream);
        gpu::launch(touch, config, mapping.span<float>());
    });
    frames("map + launch + unmap, 2048^2 rgba32f     ", [&] {
        const Mapping mapping = texture.map(stream);
        gpu::launch(touch_surface, config, mapping.surface());
    });
    frames("map + 2 launches + unmap, both in a call ", [&] {
        const Mapping mapping{{&buffer, &texture}, stream};
        gpu::launch(touch, config, mapping.span<float>(0));
        gpu::launch(touch_surface, config, mapping.surface(1));
    });
}

} // namespace

int main() try {
    fmt::print("{}\n", gpu::status_report().summary());
    gpu::Context::primary().make_current();
    const gpu::Module module{gpu::compile_or_throw({.source = kSource, .name = "bench.cu"})};
    const gpu::Stream stream{gpu::StreamConfig{}};
    bench_launch(module, stream);
    bench_interop(module, stream);
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "bench_launch: %s\n", e.what());
    return 1;
}
