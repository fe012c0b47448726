// SPDX-License-Identifier: MIT
#include "gpu/inspect/roofline.h"

#include "gpu/compiler.h"
#include "gpu/inspect/launch_times.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/module.h"
#include "gpu/stream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <string>

namespace lathe::gpu {

namespace {

/// Chains of multiply-adds that do not wait for each other, few or many: what is best depends on
/// the processor.
constexpr const char* kSource = R"(
template <class T, int kChains> __device__ void multiply_add(T* out, int rounds) {
    T a[kChains], x = T(1) + T(threadIdx.x) / 4096, y = T(1) / 1024;
    for (int k = 0; k < kChains; ++k) a[k] = T(k);
    for (int i = 0; i < rounds; ++i)
        #pragma unroll
        for (int k = 0; k < kChains; ++k) a[k] = a[k] * x + y;
    T sum = 0;
    for (int k = 0; k < kChains; ++k) sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" {
__global__ void lathe_peak_floats_1(float* out, int rounds) { multiply_add<float, 1>(out, rounds); }
__global__ void lathe_peak_floats_2(float* out, int rounds) { multiply_add<float, 2>(out, rounds); }
__global__ void lathe_peak_floats_4(float* out, int rounds) { multiply_add<float, 4>(out, rounds); }
__global__ void lathe_peak_doubles_1(double* out, int rounds) {
    multiply_add<double, 1>(out, rounds);
}
__global__ void lathe_peak_doubles_2(double* out, int rounds) {
    multiply_add<double, 2>(out, rounds);
}
__global__ void lathe_peak_doubles_4(double* out, int rounds) {
    multiply_add<double, 4>(out, rounds);
}
__global__ void lathe_peak_memory(float* out, const float* in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + out[i];
}
__global__ void lathe_peak_cache(float* out, const float* in, int each, int rounds) {
    int begin = blockIdx.x * each;
    for (int r = 0; r < rounds; ++r)
        for (int i = begin + threadIdx.x; i < begin + each; i += blockDim.x)
            out[i] = in[i] + out[i];
}
}
)";
constexpr unsigned kThreads = 128, kBlocks = 64;
constexpr unsigned kMany = 8 << 20; ///< floats of each array, which no cache holds
constexpr unsigned kFew = 4096;     ///< the same, which the nearest cache holds
constexpr double kBytesEach = 12;   ///< of a sum of two floats: two read, one written

std::atomic<const DevicePeaks*> known_peaks{nullptr};

/// The least seconds of a launch.
template <class Launch> double best_of(const Kernel& kernel, const Launch& launch) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLong{200};
    constexpr int kLeast = 4, kMost = 200;
    const auto total = [&] {
        for (const LaunchTime& sum : launch_times())
            if (sum.kernel == kernel.name()) return sum;
        return LaunchTime{};
    };
    double best = std::numeric_limits<double>::infinity();
    const auto begin = Clock::now();
    for (int tries = 0; tries < kLeast || (tries < kMost && Clock::now() - begin < kLong);
         ++tries) {
        const LaunchTime before = total();
        launch();
        StreamView::legacy().synchronize();
        const LaunchTime after = total();
        if (after.launches > before.launches)
            best = std::min(best, std::chrono::duration<double>(after.time - before.time).count());
    }
    return best;
}

DevicePeaks measure() {
    const TimingScope timing;
    const Module module = [] {
        const BestCodeScope best_code;
        return Module{compile_or_throw({.source = kSource, .name = "lathe_peaks.cu"})};
    }();
    const DeviceBuffer sums{std::size_t{kBlocks} * kThreads * sizeof(double)};
    const auto flops = [&](const char* name) {
        double most = 0;
        for (const int chains : {1, 2, 4}) {
            const Kernel kernel = module.kernel(name + std::to_string(chains));
            const int rounds = 4096 / chains;
            const double seconds = best_of(
                kernel, [&] { launch(kernel, {{kBlocks}, {kThreads}}, sums.address(), rounds); });
            most = std::max(most, 2.0 * chains * rounds * kBlocks * kThreads / seconds);
        }
        return most;
    };
    const auto floats = [](std::size_t count) {
        DeviceBuffer made{count * sizeof(float)};
        fill(made.span<float>(), 1.0f); // memory that nobody has written may be one page
        return made;
    };
    DevicePeaks peaks;
    peaks.flops = flops("lathe_peak_floats_");
    peaks.double_flops = flops("lathe_peak_doubles_");
    {
        const DeviceBuffer out = floats(kMany), in = floats(kMany);
        const Kernel kernel = module.kernel("lathe_peak_memory");
        constexpr unsigned kBlock = 1024;
        peaks.bandwidth = kBytesEach * kMany / best_of(kernel, [&] {
                              launch(kernel, {{kMany / kBlock}, {kBlock}}, out, in);
                          });
    }
    const DeviceBuffer out = floats(kFew), in = floats(kFew);
    const Kernel kernel = module.kernel("lathe_peak_cache");
    constexpr unsigned kParts = 16;
    constexpr int kRounds = 1024;
    peaks.cache_bandwidth =
        kBytesEach * kFew * kRounds / best_of(kernel, [&] {
            launch(kernel, {{kParts}, {kThreads}}, out, in, int(kFew / kParts), kRounds);
        });
    return peaks;
}

} // namespace

const DevicePeaks& device_peaks() {
    static const DevicePeaks peaks = measure();
    known_peaks = &peaks;
    return peaks;
}

const DevicePeaks* known_device_peaks() { return known_peaks; }

double KernelRate::intensity() const {
    if (bytes > 0) return flops / bytes;
    return flops > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double KernelRate::flops_per_second() const { return seconds > 0 ? flops / seconds : 0; }

double KernelRate::bytes_per_second() const { return seconds > 0 ? bytes / seconds : 0; }

bool KernelRate::is_double() const { return 2 * double_flops > flops; }

double KernelRate::peak_flops(const DevicePeaks& peaks) const {
    return is_double() ? peaks.double_flops : peaks.flops;
}

double KernelRate::roof(const DevicePeaks& peaks) const {
    return std::min(peak_flops(peaks), intensity() * peaks.bandwidth);
}

bool KernelRate::is_bound_by_memory(const DevicePeaks& peaks) const {
    return intensity() * peaks.bandwidth < peak_flops(peaks);
}

double KernelRate::share(const DevicePeaks& peaks) const {
    return flops > 0 ? flops_per_second() / roof(peaks) : bytes_per_second() / peaks.bandwidth;
}

} // namespace lathe::gpu
