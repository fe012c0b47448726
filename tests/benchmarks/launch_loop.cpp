// SPDX-License-Identifier: MIT
// The loops that calls from Python are measured against: cuLaunchKernel alone, and cuGraphLaunch,
// in C++, in the same process and context. bench_calls.py loads them by ctypes.
#include <cuda.h>

#include <dlfcn.h>

namespace {

struct Loop {
    void* driver = nullptr;
    decltype(&cuLaunchKernel) launch = nullptr;
    decltype(&cuGraphLaunch) launch_graph = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr buffers[3] = {};
    CUstream stream = nullptr;
    CUgraphExec graphs[2] = {};
};

Loop loop;

template <class F> F find(const char* name) {
    return reinterpret_cast<F>(dlsym(loop.driver, name));
}

int launch(int count, CUstream stream) {
    float s = 2;
    int n = 256;
    void* arguments[] = {&loop.buffers[0], &loop.buffers[1], &loop.buffers[2], &s, &n};
    for (int i = 0; i < count; ++i)
        if (const CUresult code =
                loop.launch(loop.function, 1, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr))
            return code;
    return CUDA_SUCCESS;
}

} // namespace

extern "C" {

/// Loads the kernel k(float*, float*, float*, float, int) of `image` into the current context.
/// Returns a CUresult, -1 where `library` is no driver.
__attribute__((visibility("default"))) int launch_loop_open(const char* library,
                                                            const void* image) {
    loop.driver = dlopen(library, RTLD_NOW);
    if (!loop.driver) return -1;
    const auto load = find<decltype(&cuModuleLoadDataEx)>("cuModuleLoadDataEx");
    const auto get = find<decltype(&cuModuleGetFunction)>("cuModuleGetFunction");
    const auto allocate = find<decltype(&cuMemAlloc)>("cuMemAlloc_v2");
    loop.launch = find<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    if (!load || !get || !allocate || !loop.launch) return -1;
    CUmodule module = nullptr;
    if (const CUresult code = load(&module, image, 0, nullptr, nullptr)) return code;
    if (const CUresult code = get(&loop.function, module, "k")) return code;
    for (CUdeviceptr& buffer : loop.buffers)
        if (const CUresult code = allocate(&buffer, 1024)) return code;
    return CUDA_SUCCESS;
}

/// Launches it `count` times on the default stream. Returns the first failure.
__attribute__((visibility("default"))) int launch_loop_run(int count) {
    return launch(count, nullptr);
}

/// Captures `kernels` launches on a stream of their own as graph 0 or 1, after launch_loop_open.
/// Returns as that.
__attribute__((visibility("default"))) int launch_loop_capture(int kernels, int number) {
    const auto create = find<decltype(&cuStreamCreateWithPriority)>("cuStreamCreateWithPriority");
    const auto begin = find<decltype(&cuStreamBeginCapture)>("cuStreamBeginCapture_v2");
    const auto end = find<decltype(&cuStreamEndCapture)>("cuStreamEndCapture");
    const auto instantiate =
        find<decltype(&cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
    loop.launch_graph = find<decltype(&cuGraphLaunch)>("cuGraphLaunch");
    if (!create || !begin || !end || !instantiate || !loop.launch_graph) return -1;
    if (!loop.stream)
        if (const CUresult code = create(&loop.stream, CU_STREAM_NON_BLOCKING, 0)) return code;
    if (const CUresult code = begin(loop.stream, CU_STREAM_CAPTURE_MODE_RELAXED)) return code;
    if (const int code = launch(kernels, loop.stream)) return code;
    CUgraph graph = nullptr;
    if (const CUresult code = end(loop.stream, &graph)) return code;
    return instantiate(&loop.graphs[number], graph, 0);
}

/// Launches a graph `count` times on that stream. Returns the first failure.
__attribute__((visibility("default"))) int launch_loop_run_graph(int count, int number) {
    for (int i = 0; i < count; ++i)
        if (const CUresult code = loop.launch_graph(loop.graphs[number], loop.stream)) return code;
    return CUDA_SUCCESS;
}

} // extern "C"
