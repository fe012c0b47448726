// SPDX-License-Identifier: MIT
// Every operation on 128-bit integers, one pair of operands a thread.
typedef __int128 s128;
typedef unsigned __int128 u128;

extern "C" __global__ void int128(const u128* operands, u128* results, double* reals) {
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    const u128 a = operands[2 * i], b = operands[2 * i + 1];
    const s128 x = (s128)a, y = (s128)b;
    const unsigned n = (unsigned)b & 127;
    const bool least = a == (u128)1 << 127 && y == -1; // whose quotient C++ leaves open
    u128* out = results + 16 * i;
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = b ? a / b : 1;
    out[4] = b ? a % b : 2;
    out[5] = b && !least ? (u128)(x / y) : 3;
    out[6] = b && !least ? (u128)(x % y) : 4;
    out[7] = a << n;
    out[8] = a >> n;
    out[9] = (u128)(x >> n);
    out[10] = (a & b) ^ ~(a | b);
    out[11] = (a < b) | (x < y) << 1 | (a == b) << 2 | (a <= b) << 3 | (x <= y) << 4 | (a != b) << 5;
    out[12] = 0 - a;
    out[13] = (unsigned long long)b ? a / (unsigned long long)b : 5; // by 64 bits
    out[14] = (unsigned)b ? a % (unsigned)b : 6;                     // by 32 bits
    const double wide = (double)a;
    out[15] = wide < 1e38 ? (u128)(wide * 1.5) : 7;
    reals[4 * i] = wide;
    reals[4 * i + 1] = (double)x;
    reals[4 * i + 2] = (float)a;
    reals[4 * i + 3] = (float)x;
}
