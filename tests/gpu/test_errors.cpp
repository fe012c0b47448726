// SPDX-License-Identifier: MIT
// Failed driver calls: PyCUDA's wording, the detail, what a bad kernel leaves behind.
#include "engine/core/log.h"
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "tests/gpu/device_test.h"

namespace lathe::gpu {
namespace {

using ErrorTest = DeviceTest;

TEST_F(ErrorTest, MessageIsRoutineTextAndDetail) {
    try {
        DeviceBuffer buffer{std::size_t{1} << 60};
        FAIL() << "an exbibyte was allocated";
    } catch (const Error& e) {
        EXPECT_EQ(e.routine(), "cuMemAlloc");
        EXPECT_EQ(e.code(), CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(std::string{e.what()}.find(
                      "cuMemAlloc failed: out of memory - 1152921504606846976 bytes"),
                  0u)
            << e.what();
        EXPECT_FALSE(e.context_lost());
        EXPECT_EQ(e.fault(), nullptr);
    }
}

TEST_F(ErrorTest, DetailIsMadeOnFailureOnly) {
    int made = 0;
    const auto detail = [&] {
        ++made;
        return "detail";
    };
    int count = 0;
    CU_TRY(cuDeviceGetCount(&count), "{}", detail());
    EXPECT_EQ(made, 0);
    const auto fail = [&] {
        CUdevice device = 0;
        CU_TRY(cuDeviceGet(&device, 12345), "{}", detail());
    };
    EXPECT_THROW(fail(), Error);
    EXPECT_EQ(made, 1);
}

TEST_F(ErrorTest, ErrorsWithoutADetailEndWithTheText) {
    const Error e{"cuEventQuery", CUDA_ERROR_INVALID_HANDLE};
    EXPECT_EQ(std::string{e.what()}.find("cuEventQuery failed: invalid resource handle"), 0u)
        << e.what();
}

TEST_F(ErrorTest, TheErrorKnowsWhereItWasThrown) {
    try {
        Device{12345};
        FAIL();
    } catch (const lathe::Error& e) {
        EXPECT_NE(std::string{e.where().file_name()}.find("device.cpp"), std::string::npos);
    }
}

constexpr const char* kBadKernel = "extern \"C\" __global__ void bad(int* p, int n) {\n"
                                   "    int i = threadIdx.x;\n"
                                   "    if (i == 5)\n"
                                   "        p[n] = i;\n" // line 4
                                   "}\n";

// A GPU's context, and with it the process, is lost to this: a process of its own.
void run_bad_kernel() {
    Context::primary().make_current();
    log::add_sink([](const log::Record& r) {
        if (r.level == log::Level::error) std::fprintf(stderr, "logged: %s\n", r.text.c_str());
    });
    log::set_level(log::Level::error);
    {
        const Module module = compile_module(kBadKernel);
        const DeviceBuffer buffer{1024};
        const Stream stream{StreamConfig{}};
        try {
            launch(module.kernel("bad"), {{3}, {32}, 0, stream}, buffer, 1 << 26);
            stream.synchronize();
            std::fprintf(stderr, "no error\n");
        } catch (const Error& e) {
            std::fprintf(stderr, "caught %s code %d: %s\n", e.routine().c_str(),
                         static_cast<int>(e.code()), e.what());
            // Either the device says where, or the context is gone and says so.
            if (const Fault* f = e.fault())
                std::fprintf(stderr, "place: %s thread %u line %d file %s\n", f->kernel.c_str(),
                             f->thread[0], f->line, f->file.c_str());
            else if (e.context_lost()) std::fprintf(stderr, "context lost\n");
        }
    } // buffer, stream and module are released here
    std::fprintf(stderr, "released\n");
    std::_Exit(0);
}

TEST_F(ErrorTest, IllegalAddressIsReportedOnceAndReleasesStaySilent) {
    testing::FLAGS_gtest_death_test_style = "threadsafe"; // a driver does not survive a fork
    EXPECT_EXIT(run_bad_kernel(), testing::ExitedWithCode(0),
                // What lies there may be no memory (700), or a window that is not global (717).
                "caught cuStreamSynchronize code 7(00|17): cuStreamSynchronize failed: (an illegal "
                "memory access was encountered|operation not supported on global/shared address "
                "space)[^\n]*\n"
                "(place: bad thread 5 line 4 file [^\n]*test.cu|context lost)\n"
                "released");
}

} // namespace
} // namespace lathe::gpu
