// SPDX-License-Identifier: MIT
// What hand-written assembler adds: scoped registers, vectors, 128-bit loads, video and extended precision.
extern "C" __global__ void inline_asm(unsigned* out, const uint4* in) {
    unsigned low, high, d;
    uint4 v;
    asm volatile("{ .reg .u64 t; mul.wide.u32 t, %2, %3; mov.b64 {%0, %1}, t; }" : "=r"(low), "=r"(high) : "r"(out[1]), "r"(out[2]));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(in));
    asm("vadd.u32.u32.u32.sat %0, %1, %2;" : "=r"(d) : "r"(low), "r"(high));
    asm("add.cc.u32 %0, %0, %1; addc.u32 %0, %0, 0;" : "+r"(d) : "r"(v.x));
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(low) : "r"(v.y), "r"(v.z), "r"(v.w));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(high) : "r"(v.y), "r"(v.z), "r"(v.w));
    asm volatile("{ .reg .pred p, q; setp.lt.and.u32 p|q, %0, 5, !p; @!q bra L%=; st.global.u32 [%1], %0; L%=: }" :: "r"(d), "l"(out));
    out[3] = low + high + d;
}
