// SPDX-License-Identifier: MIT
// Kernels in the place of a Painting's whose counts and hazards are known: 16 blocks of 256
// threads paint 4096 pixels.
#pragma once

namespace lathe {

// Each line that counts has one access. A warp's 32 threads are two rows of 16.
inline constexpr const char* kCostlySource = R"cu(// What each line costs is known.
extern "C" __global__ void paint(uchar4* picture, int size, int step, float level) //@ 0..1 =0.5
{
    __shared__ float tile[256 * 8];
    const int t = threadIdx.y * 16 + threadIdx.x;
    const int block = blockIdx.y * 4 + blockIdx.x;
    tile[t * 8] = step + t;
    __syncthreads();
    float v = tile[(255 - t) * 8];
    if (t % 4 == 0)
        for (int k = 0; k < step % 64 + 40; ++k)
            v = v * 0.75f + sinf(v);
    const unsigned char c = 100 + 50 * (v - floorf(v));
    const uchar4 color = make_uchar4(c, 60, 255.0f * level, 255);
    picture[t * 16 + block] = color;
}
)cu";
inline constexpr int kSharedStore = 7, kBarrier = 8, kBranch = 10, kLoopBody = 12, kStride16 = 15;

// Line 7 waits for line 6 once the barrier stands between them.
inline constexpr const char* kRacySource = R"cu(// Turns each row around.
extern "C" __global__ void paint(uchar4* picture, int size, int step, float level) //@ 0..1 =0.5
{
    __shared__ int row[256];
    const int t = threadIdx.y * 16 + threadIdx.x, block = blockIdx.y * 4 + blockIdx.x;
    row[t] = t + step;
    const int other = row[255 - t];
    picture[block * 256 + t] = make_uchar4(other % 256, 90, 255.0f * level, 255);
}
)cu";
inline constexpr int kRacyWrite = 6, kRacyRead = 7;

} // namespace lathe
