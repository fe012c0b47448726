// SPDX-License-Identifier: MIT
// cuRAND's generators and distributions.
#include <curand_kernel.h>
template <class State> __device__ void draw(State& s, double* out) {
    *out++ = curand(&s) + curand_uniform(&s) + curand_uniform_double(&s) + curand_normal(&s) +
             curand_normal_double(&s);
    *out++ = curand_log_normal(&s, 1.0f, 2.0f) + curand_log_normal_double(&s, 1.0, 2.0) +
             curand_poisson(&s, 7.0);
}
extern "C" __global__ void random_numbers(double* out, curandStateScrambledSobol32_t* sobol,
                                          int n) {
    curandStateXORWOW_t xorwow;
    curandStatePhilox4_32_10_t philox;
    curandStateMRG32k3a_t mrg;
    curand_init(n, threadIdx.x, 0, &xorwow);
    curand_init(n, threadIdx.x, 0, &philox);
    curand_init(n, threadIdx.x, 0, &mrg);
    draw(xorwow, out);
    draw(philox, out + 2);
    draw(mrg, out + 4);
    out[6] = curand(sobol) + curand_uniform(sobol) + curand_normal(sobol);
    out[7] = curand_uniform4(&philox).z + curand_normal4(&philox).w + curand_normal2(&xorwow).x;
}
