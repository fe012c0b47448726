// SPDX-License-Identifier: MIT
// Half and bfloat16 arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_types(__half* h, __half2* h2, __nv_bfloat16* b, float* f) {
    h[0] = __hfma(h[1], h[2], h[3]);
    h2[0] = __hfma2(h2[1], h2[2], __hmul2(h2[3], h2[4]));
    h[4] = hexp(h[5]) + hsqrt(h[6]) + __float2half(f[0]);
    h2[5] = __hmax2(h2[6], __floats2half2_rn(f[1], f[2]));
    b[0] = __float2bfloat16(f[3]) + b[1] * b[2];
    f[4] = __half2float(h[7]) + __bfloat162float(b[3]);
    f[5] = __hlt(h[1], h[2]) ? 1.0f : __half2int_rn(h[3]);
}
