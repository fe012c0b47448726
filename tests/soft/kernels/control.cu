// SPDX-License-Identifier: MIT
// printf, assert, switch, recursion, function pointers, tables of addresses.
struct Entry {
    const char* name;
    int value;
};
__device__ int numbers[4] = {1, 2, 3};
__device__ int* second = &numbers[1];
__device__ Entry entries[2] = {{"one", 1}, {"two", 2}};
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};

__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int cube(int x) { return x * x * x; }
__device__ int (*const table[2])(int) = {square, cube};
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ void give_up() { __trap(); }

struct Big {
    double values[6];
};
__device__ __noinline__ Big scaled(Big big, double factor) {
    for (double& value : big.values) value *= factor;
    return big;
}

extern "C" __global__ void control(int* out, int choice, Big big) {
    int result = 0;
    switch (choice) {
    case 0: result = out[1]; break;
    case 1: result = out[2] * 3; break;
    case 2: result = fibonacci(out[3]); break;
    case 3: result = out[4] / 7; break;
    case 4: result = table[out[5] & 1](out[6]); break;
    case 5: result = out[7] % out[8]; break;
    case 6: give_up(); break;
    default: result = *second + entries[choice & 1].value;
    }
    assert(result >= 0);
    printf("%d %f %s\n", result, (double)weights[choice % 3], entries[choice & 1].name);
    out[0] = result + (int)scaled(big, 2.0).values[choice % 6];
}
