// SPDX-License-Identifier: MIT
// The grid's workspace, whose address is in %envreg1 and %envreg2, begins with zeros. Of its four
// words the first two are those of CUDA's cooperative groups; the third counts the blocks that came
// to the barrier, the fourth how often all came.
#include "gpu/soft/drv/device_library.h"

namespace lathe::soft {

bool is_in_device_library(std::string_view name) {
    return name == "cudaCGGetIntrinsicHandle" || name == "cudaCGSynchronize";
}

std::string_view device_library_ptx() {
    return R"(.version 6.0
.target sm_70
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    cvt.u64.u32 %rd1, %r1;
    cvt.u64.u32 %rd2, %r2;
    shl.b64 %rd1, %rd1, 32;
    or.b64 %rd3, %rd1, %rd2;
    st.param.b64 [handle], %rd3;
    ret;
}

.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [handle];
    bar.sync 0;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mov.u32 %r3, %tid.z;
    or.b32 %r1, %r1, %r2;
    or.b32 %r1, %r1, %r3;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra passed;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %nctaid.y;
    mov.u32 %r6, %nctaid.z;
    mul.lo.u32 %r4, %r4, %r5;
    mul.lo.u32 %r4, %r4, %r6;
    sub.u32 %r4, %r4, 1;
    ld.volatile.u32 %r7, [%rd1+12];
    membar.gl;
    atom.add.u32 %r8, [%rd1+8], 1;
    setp.ne.u32 %p2, %r8, %r4;
    @%p2 bra others;
    st.volatile.u32 [%rd1+8], 0;
    membar.gl;
    atom.add.u32 %r9, [%rd1+12], 1;
    bra passed;
others:
    ld.volatile.u32 %r10, [%rd1+12];
    setp.eq.u32 %p3, %r10, %r7;
    @%p3 bra others;
    membar.gl;
passed:
    bar.sync 0;
    mov.u32 %r11, 0;
    st.param.b32 [error], %r11;
    ret;
}
)";
}

} // namespace lathe::soft
