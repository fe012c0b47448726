// SPDX-License-Identifier: MIT
// Gravity of all bodies on all bodies, and the leapfrog that moves
// them. G is 1. Masses are the fourth number of a position.
//
// A block has BLOCK threads in EACH rows, and as many bodies. A
// thread holds EACH bodies in registers: all rows hold the same ones,
// and each row adds up another part of a tile. So a read of shared
// memory serves EACH interactions, and a body has EACH threads; grids
// are two-dimensional, so it also has a block in each slice of the
// bodies that pull. That fills a GPU with few bodies, too.

#ifndef REAL
#define REAL float // the check compiles with -DREAL=double, too
#endif
typedef REAL real;

#define BLOCK   256            // threads of a block, bodies of a tile
#define EACH    4              // bodies of a thread, rows of threads
#define COLUMNS (BLOCK / EACH) // threads of a row

struct __align__(16) Body {
    real x, y, z, mass;
};
struct Vector {
    real x, y, z;
};

// Adds the acceleration at `here` by body `b`: Plummer's softening,
// m d / (d^2 + softening^2)^(3/2). 13 instructions, of which a GPU
// has one, rsqrt, in a unit beside the others; 20 flops by
// convention.
__device__ __forceinline__ void pull(Vector& sum, const Vector& here,
                                     const Body& b, real soft2)
{
    real dx = b.x - here.x;
    real dy = b.y - here.y;
    real dz = b.z - here.z;
    real inverse = rsqrt(dx * dx + (dy * dy + (dz * dz + soft2)));
    real scale = (b.mass * inverse) * (inverse * inverse);
    sum.x += scale * dx;
    sum.y += scale * dy;
    sum.z += scale * dz;
}

// Block (i, s) sums what the bodies of slice s do to the bodies of
// block i. position: (n); pulls: (slices, n). `slice` bodies, a
// multiple of BLOCK, are a slice.
__global__ void __launch_bounds__(BLOCK, 4)
    attract(const Body* position, Body* pulls, int n, int slice,
            real softening) //@ 0.01..0.5 =0.06 log
{
    __shared__ Body tile[BLOCK];
    __shared__ Vector part[EACH][BLOCK];

    int column = threadIdx.x, row = threadIdx.y;
    int thread = row * COLUMNS + column;
    int block = blockIdx.x * BLOCK;
    // A body meets itself, at distance 0: the sum must not be 0.
    real soft2 = softening * softening + real(1e-24);

    Vector here[EACH], sum[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        Body b = position[min(block + k * COLUMNS + column, n - 1)];
        here[k] = {b.x, b.y, b.z};
        sum[k] = {0, 0, 0};
    }

    int end = min((int(blockIdx.y) + 1) * slice, n);
    for (int from = blockIdx.y * slice; from < end; from += BLOCK) {
        Body none = {0, 0, 0, 0}; // fills the last tile
        tile[thread] =
            from + thread < n ? position[from + thread] : none;
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < COLUMNS; ++j) {
            Body b = tile[row * COLUMNS + j]; // for a whole warp
#pragma unroll
            for (int k = 0; k < EACH; ++k)
                pull(sum[k], here[k], b, soft2);
        }
        __syncthreads();
    }

#pragma unroll
    for (int k = 0; k < EACH; ++k)
        part[row][k * COLUMNS + column] = sum[k];
    __syncthreads();
    int i = block + thread;
    if (i >= n) return;
    Vector total = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
        total.x += part[k][thread].x;
        total.y += part[k][thread].y;
        total.z += part[k][thread].z;
    }
    pulls[blockIdx.y * n + i] = {total.x, total.y, total.z, 0};
}

// A kick and a drift. velocity: (n), the fourth number is not used;
// speed: (n), what colours show.
__global__ void move(Body* position, Body* velocity,
                     const Body* pulls, float* speed, int n,
                     int slices,
                     real kick,  //@ hidden
                     real drift) //@ hidden
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Vector a = {0, 0, 0};
#pragma unroll 4
    for (int s = 0; s < slices; ++s) {
        Body part = pulls[s * n + i];
        a.x += part.x;
        a.y += part.y;
        a.z += part.z;
    }
    Body v = velocity[i];
    v.x += kick * a.x;
    v.y += kick * a.y;
    v.z += kick * a.z;
    velocity[i] = v;

    Body p = position[i];
    p.x += drift * v.x;
    p.y += drift * v.y;
    p.z += drift * v.z;
    position[i] = p;
    speed[i] = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}
