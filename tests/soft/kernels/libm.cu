// SPDX-License-Identifier: MIT
// The mathematics library in both precisions, slow paths included.
template <class T> __device__ T all_of(T x) {
    T s, c;
    sincos(x, &s, &c);
    return s + c + exp(x) + log(x) + pow(x, T(1.7)) + sqrt(x) + tan(x) + tanh(x) + erf(x) + cbrt(x) + fmod(x, T(3)) +
           atan2(x, T(2)) + asinh(x) + lgamma(x) + rint(x) + floor(x) + copysign(x, T(-1)) + ldexp(x, 3);
}

extern "C" __global__ void libm_float(float* x) { x[threadIdx.x] = all_of(x[threadIdx.x]); }
extern "C" __global__ void libm_double(double* x) { x[threadIdx.x] = all_of(x[threadIdx.x]); }
extern "C" __global__ void rounding(float* x, double* d, int* i) {
    x[0] = __fadd_rz(x[1], x[2]) + __fmul_ru(x[1], x[2]) + __fdividef(x[1], x[2]) + __saturatef(x[3]);
    d[0] = __fma_rd(d[1], d[2], d[3]) + __drcp_rn(d[4]) + (double)x[5];
    i[0] = __float2int_rd(x[6]) + __double2int_rz(d[5]) + __mulhi(i[1], i[2]) + __float_as_int(x[7]);
}
