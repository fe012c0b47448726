// SPDX-License-Identifier: MIT
// Whole kernels through compiled code.
#include "tests/soft/jit/mini_runtime.h"

#include <gtest/gtest.h>

namespace lathe::soft::test {
namespace {

constexpr const char* kSaxpy = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u32 saxpy_param_0, .param .f32 saxpy_param_1,
                      .param .u64 saxpy_param_2, .param .u64 saxpy_param_3)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u32 %r2, [saxpy_param_0];
    ld.param.f32 %f1, [saxpy_param_1];
    ld.param.u64 %rd1, [saxpy_param_2];
    ld.param.u64 %rd2, [saxpy_param_3];
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r4, %r3, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra $L__BB0_2;
    cvta.to.global.u64 %rd3, %rd1;
    mul.wide.s32 %rd4, %r1, 4;
    add.s64 %rd5, %rd3, %rd4;
    ld.global.f32 %f2, [%rd5];
    cvta.to.global.u64 %rd6, %rd2;
    add.s64 %rd7, %rd6, %rd4;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd7], %f4;
$L__BB0_2:
    ret;
}
)";

TEST(Kernels, Saxpy) {
    Program program{kSaxpy};
    for (bool by_thread : {false, true}) {
        std::vector<float> x(1000), y(1000);
        for (int k = 0; k < 1000; ++k) {
            x[static_cast<std::size_t>(k)] = static_cast<float>(k);
            y[static_cast<std::size_t>(k)] = 1.0f;
        }
        Shape shape{{4, 1, 1}, {256, 1, 1}, 0, by_thread};
        program.run(shape, 900u, 2.0f, x.data(), y.data());
        for (std::size_t k = 0; k < 1000; ++k) {
            EXPECT_EQ(y[k], k < 900 ? 2.0f * static_cast<float>(k) + 1.0f : 1.0f);
        }
    }
    EXPECT_FALSE(program.info().needs_fibers);
    EXPECT_EQ(program.info().param_bytes, 24u);
}

} // namespace
} // namespace lathe::soft::test
