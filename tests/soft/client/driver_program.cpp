// SPDX-License-Identifier: MIT
// A program as others write them: cuda.h, -lcuda, and nothing of this project. Built for the legacy
// and, with CUDA_API_PER_THREAD_DEFAULT_STREAM, for the per-thread default stream. It goes through
// modules, streams, events, launches and copies, checks its numbers and prints "ok".
#include <cuda.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

static void check(CUresult result, const char* what, int line) {
    if (result == CUDA_SUCCESS) return;
    const char *name = nullptr, *text = nullptr;
    cuGetErrorName(result, &name);
    cuGetErrorString(result, &text);
    std::fprintf(stderr, "line %d: %s: %s (%s)\n", line, what, name ? name : "?",
                 text ? text : "?");
    std::exit(1);
}

static void expect(bool condition, const char* what, int line) {
    if (condition) return;
    std::fprintf(stderr, "line %d: expected %s\n", line, what);
    std::exit(1);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static const char kPtx[] = R"(
.version 7.0
.target sm_52
.address_size 64

.visible .const .align 4 .f32 bias = 0f00000000;

.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .f32 %f<6>;
    .reg .b64 %rd<6>;
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r2, %r2, %r3, %r4;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra done;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd1];
    ld.global.f32 %f3, [%rd2];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    ld.const.f32 %f5, [bias];
    add.f32 %f4, %f4, %f5;
    st.global.f32 [%rd2], %f4;
done:
    ret;
}
)";

static void saxpy(CUfunction f, CUstream stream, float bias) {
    const unsigned n = 100000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> x(n), y(n), result(n);
    for (unsigned i = 0; i < n; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1.0f;
    }
    CUdeviceptr dx = 0, dy = 0;
    CHECK(cuMemAlloc(&dx, bytes));
    CHECK(cuMemAllocAsync(&dy, bytes, stream));
    CUevent begin, end;
    CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuMemcpyHtoDAsync(dx, x.data(), bytes, stream));
    CHECK(cuMemcpyHtoDAsync(dy, y.data(), bytes, stream));
    CHECK(cuEventRecord(begin, stream));
    float a = 2.0f;
    unsigned count = n;
    void* arguments[] = {&a, &dx, &dy, &count};
    CHECK(cuLaunchKernel(f, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuMemcpyDtoHAsync(result.data(), dy, bytes, stream));
    CHECK(cuMemFreeAsync(dy, stream));
    CHECK(cuStreamSynchronize(stream));
    float milliseconds = -1;
    CHECK(cuEventElapsedTime(&milliseconds, begin, end));
    EXPECT(milliseconds >= 0);
    for (unsigned i = 0; i < n; ++i) EXPECT(result[i] == 2.0f * x[i] + 1.0f + bias);
    CHECK(cuMemFree(dx));
    CHECK(cuEventDestroy(begin));
    CHECK(cuEventDestroy(end));
}

int main() {
    CHECK(cuInit(0));
    int count = 0, version = 0;
    CHECK(cuDriverGetVersion(&version));
    CHECK(cuDeviceGetCount(&count));
    EXPECT(count == 1 && version >= 12000);
    CUdevice device = -1;
    CHECK(cuDeviceGet(&device, 0));
    CUcontext context = nullptr;
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CUmodule module = nullptr;
    CHECK(cuModuleLoadData(&module, kPtx));
    CUfunction f = nullptr;
    CHECK(cuModuleGetFunction(&f, module, "saxpy"));
    CUdeviceptr p = 0;
    size_t bytes = 0;
    CHECK(cuModuleGetGlobal(&p, &bytes, module, "bias"));
    EXPECT(bytes == sizeof(float));
    const float bias = 0.5f;
    CHECK(cuMemcpyHtoD(p, &bias, bytes));

    CUstream stream = nullptr;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    saxpy(f, stream, bias);
    saxpy(f, nullptr, bias);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] {
            CHECK(cuCtxSetCurrent(context));
            saxpy(f, nullptr, bias);
        });
    for (std::thread& thread : threads) thread.join();

    CUresult wrong = cuModuleGetFunction(&f, module, "absent");
    EXPECT(wrong == CUDA_ERROR_NOT_FOUND);
    CHECK(cuStreamDestroy(stream));
    CHECK(cuModuleUnload(module));
    CHECK(cuDevicePrimaryCtxRelease(device));
    std::puts("ok");
    return 0;
}
