// SPDX-License-Identifier: MIT
// Which driver library is opened, and what is said where it cannot be: each case in a process of
// its own, because a driver once opened stays.
#include "gpu/driver/check.h"
#include "gpu/nvrtc.h"
#include "gpu/status.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lathe::gpu {
namespace {

// To be called in a death test's child.
template <class Body> void run_and_leave(Body body) {
    body();
    std::exit(0);
}
#define EXPECT_IN_CHILD(body, pattern)                                                             \
    EXPECT_EXIT(run_and_leave body, testing::ExitedWithCode(0), pattern)

void set(const char* name, const char* value) {
    if (value) setenv(name, value, 1);
    else unsetenv(name);
}

void say_driver_problem() { std::fprintf(stderr, "%s\n", driver_problem().c_str()); }

TEST(DriverChoiceDeathTest, NamedLibraryIsMissing) {
    EXPECT_IN_CHILD(
        ([] {
            set("LATHE_DRIVER_LIBRARY", "/nonexistent/libcuda.so");
            say_driver_problem();
        }),
        "LATHE_DRIVER_LIBRARY names /nonexistent/libcuda.so, which cannot be used: .*cannot open "
        "shared object file.*unset it");
}

TEST(DriverChoiceDeathTest, NamedLibraryIsNoDriver) {
    EXPECT_IN_CHILD(
        ([] {
            set("LATHE_DRIVER_LIBRARY", "libm.so.6");
            say_driver_problem();
        }),
        "libm.so.6 has no cuInit: it is no CUDA driver of version 12 or newer. Name a CUDA driver");
}

TEST(DriverChoiceDeathTest, UnknownDevice) {
    EXPECT_IN_CHILD(([] {
                        set("LATHE_DRIVER_LIBRARY", nullptr);
                        set("LATHE_DEVICE", "gpu");
                        say_driver_problem();
                    }),
                    "LATHE_DEVICE is \"gpu\"; it can be auto, hardware or software");
}

TEST(DriverChoiceDeathTest, SoftwareDeviceIsMissing) {
    EXPECT_IN_CHILD(
        ([] {
            set("LATHE_DRIVER_LIBRARY", nullptr);
            set("LATHE_DEVICE", "software");
            set("LATHE_SOFT_LIBRARY", "/nonexistent/liblathe_soft.so");
            say_driver_problem();
        }),
        "software CUDA device was not found; looked for /nonexistent/liblathe_soft.so. Build it "
        "with tools/build");
}

TEST(DriverChoiceDeathTest, AMissingDriverThrowsTheSameTextEachTime) {
    EXPECT_IN_CHILD(([] {
                        set("LATHE_DRIVER_LIBRARY", "/nonexistent");
                        for (int i = 0; i < 2; ++i) {
                            try {
                                CU_TRY(cuCtxSynchronize());
                            } catch (const lathe::Error& e) {
                                std::fprintf(stderr, "caught %d: %s\n", i, e.what());
                            }
                        }
                    }),
                    "caught 0: LATHE_DRIVER_LIBRARY[^\n]*\ncaught 1: LATHE_DRIVER_LIBRARY");
}

TEST(DriverChoiceDeathTest, MissingNvrtcNamesWhatBringsIt) {
    EXPECT_IN_CHILD(
        ([] {
            set("LATHE_DRIVER_LIBRARY", "/nonexistent");
            set("LATHE_NVRTC", "/nonexistent/libnvrtc.so.13");
            std::fprintf(stderr, "%s\n", nvrtc_problem().c_str());
        }),
        "NVRTC, the CUDA C\\+\\+ compiler, was not found: /nonexistent/libnvrtc.so.13.*Run "
        "tools/bootstrap, or pip install 'cuda-toolkit");
}

TEST(DriverChoiceDeathTest, TheReportNamesEachMissingThingAndItsRemedy) {
    EXPECT_IN_CHILD(
        ([] {
            set("LATHE_DRIVER_LIBRARY", "/nonexistent");
            set("LATHE_NVRTC", "/nonexistent");
            const StatusReport report = status_report();
            for (const Shortcoming& s : report.shortcomings)
                std::fprintf(stderr, "%s => %s\n", s.what.c_str(), s.mend.c_str());
            std::fprintf(stderr, "%s\n", report.summary().c_str());
        }),
        "LATHE_DRIVER_LIBRARY names /nonexistent.* => Name a CUDA driver.*NVRTC.* => Run "
        "tools/bootstrap.*no CUDA device · no NVRTC");
}

} // namespace
} // namespace lathe::gpu
