// SPDX-License-Identifier: MIT
// What driver-level tests share: a context on the software device, CUDA source to kernels, buffers.
#pragma once

#include "engine/core/error.h"
#include "gpu/soft/soft_api.h"
#include "tests/soft/support/nvrtc.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lathe::test {

#define CHECK_CU(call) ASSERT_EQ(call, CUDA_SUCCESS) << latheSoftGetLastErrorText()

/// The primary context, current while the test runs. Skips without NVRTC.
class DriverTest : public testing::Test {
protected:
    void SetUp() override {
        if (!has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
        CHECK_CU(cuInit(0));
        CHECK_CU(cuDevicePrimaryCtxRetain(&context_, 0));
        CHECK_CU(cuCtxPushCurrent(context_));
    }
    void TearDown() override {
        if (!context_) return;
        CUcontext popped;
        cuCtxPopCurrent(&popped);
        cuDevicePrimaryCtxRelease(0);
    }

    CUmodule load(const std::string& source, std::vector<std::string> options = {"-lineinfo"}) {
        std::string ptx = compile_to_ptx(source, "test.cu", std::move(options));
        CUmodule module = nullptr;
        EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS)
            << latheSoftGetLastErrorText();
        return module;
    }

    CUfunction function(CUmodule module, const char* name) {
        CUfunction f = nullptr;
        EXPECT_EQ(cuModuleGetFunction(&f, module, name), CUDA_SUCCESS)
            << name << ": " << latheSoftGetLastErrorText();
        return f;
    }

    /// The one kernel `k` of a source.
    CUfunction kernel(const std::string& source, std::vector<std::string> options = {"-lineinfo"}) {
        return function(load(source, std::move(options)), "k");
    }

    struct Shape {
        unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared_bytes = 0;
        CUstream stream = nullptr;
    };

    template <class... Args> CUresult launch(CUfunction f, const Shape& s, Args... args) {
        void* params[] = {static_cast<void*>(&args)..., nullptr};
        return cuLaunchKernel(f, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1],
                              s.block[2], s.shared_bytes, s.stream, params, nullptr);
    }

    static Shape shape(unsigned grid, unsigned block, unsigned shared_bytes = 0) {
        return {{grid, 1, 1}, {block, 1, 1}, shared_bytes, nullptr};
    }

    static LatheSoftFault last_fault() {
        LatheSoftFault fault{};
        latheSoftGetLastFault(&fault);
        return fault;
    }

    CUcontext context_ = nullptr;
};

/// Device memory with a host copy's type.
template <class T> class Buffer {
public:
    explicit Buffer(std::size_t count) : count_{count} {
        EXPECT_EQ(cuMemAlloc(&p_, count * sizeof(T)), CUDA_SUCCESS);
        clear();
    }
    explicit Buffer(const std::vector<T>& values) : Buffer(values.size()) {
        EXPECT_EQ(cuMemcpyHtoD(p_, values.data(), count_ * sizeof(T)), CUDA_SUCCESS);
    }
    ~Buffer() { cuMemFree(p_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    CUdeviceptr get() const { return p_; }
    std::size_t count() const { return count_; }
    std::vector<T> read() const {
        std::vector<T> values(count_);
        EXPECT_EQ(cuMemcpyDtoH(values.data(), p_, count_ * sizeof(T)), CUDA_SUCCESS);
        return values;
    }

private:
    // cuMemsetD8 returns before the zeros are there, and streams that do not wait for the legacy
    // stream would overtake it. An event is waited for, because that takes no stream's error.
    void clear() {
        CUevent zeros = nullptr;
        if (cuMemsetD8(p_, 0, count_ * sizeof(T)) != CUDA_SUCCESS) return; // a capture runs
        EXPECT_EQ(cuEventCreate(&zeros, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
        EXPECT_EQ(cuEventRecord(zeros, nullptr), CUDA_SUCCESS);
        EXPECT_EQ(cuEventSynchronize(zeros), CUDA_SUCCESS);
        EXPECT_EQ(cuEventDestroy(zeros), CUDA_SUCCESS);
    }

    CUdeviceptr p_ = 0;
    std::size_t count_;
};

} // namespace lathe::test
