// SPDX-License-Identifier: MIT
// Compiles a kernel, launches it on an array, and sums the result.
#include <lathe/gpu.h>

#include <cstdio>

namespace gpu = lathe::gpu;

int main() {
    const char* source = R"(extern "C" __global__ void squares(float* x, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = float(i) * float(i);
    })";
    constexpr int n = 1000;
    gpu::Context::ensure_current();
    auto x = gpu::Array::empty(lathe::DType::float32, {n});
    const gpu::Module module{gpu::compile_or_throw({.source = source})};
    gpu::launch(module.kernel("squares"), {gpu::blocks_for({n}, {256}), {256}}, x.address(), n);

    const auto sum = gpu::reduce(gpu::Reduction::sum, x);
    float value = 0;
    gpu::copy_to_host(std::span{&value, 1}, gpu::DeviceSpan<const float>{sum.address(), 1});
    std::printf("%g\n", value);
    return value == 332833500.f ? 0 : 1; // exact in any order but for its last bits
}
