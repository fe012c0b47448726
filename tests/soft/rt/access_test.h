// SPDX-License-Identifier: MIT
// What tests of exact checks share: launches that are refused with their place, and allowed ones.
#pragma once

#include "tests/soft/rt/driver_test.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace lathe::test {

class AccessTest : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        const char* checks = std::getenv("LATHE_SOFT_CHECKS");
        if (checks && std::strcmp(checks, "exact") != 0) GTEST_SKIP() << "checks by pages";
    }

    struct Where {
        unsigned line = 0, thread = 0, block = 0;
        CUdeviceptr address = 0; ///< 0: not compared
        const char* text = "";
        CUresult code = CUDA_ERROR_ILLEGAL_ADDRESS;
    };

    /// The launch ends at this place, and the next one runs.
    template <class... Args>
    void refused(CUfunction f, const Shape& s, const Where& where, Args... args) {
        CHECK_CU(launch(f, s, args...));
        ASSERT_EQ(cuCtxSynchronize(), where.code) << latheSoftGetLastErrorText();
        const LatheSoftFault fault = last_fault();
        EXPECT_EQ(fault.line, where.line) << fault.message;
        EXPECT_EQ(fault.thread[0], where.thread) << fault.message;
        EXPECT_EQ(fault.block[0], where.block) << fault.message;
        if (where.address) { EXPECT_EQ(fault.address, where.address) << fault.message; }
        EXPECT_NE(std::strstr(fault.message, where.text), nullptr) << fault.message;
        EXPECT_STREQ(fault.kernel, "k");
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    }
    template <class... Args> void allowed(CUfunction f, const Shape& s, Args... args) {
        CHECK_CU(launch(f, s, args...));
        const CUresult result = cuCtxSynchronize();
        EXPECT_EQ(result, CUDA_SUCCESS) << last_fault().message << ", line " << last_fault().line;
    }
};

} // namespace lathe::test
