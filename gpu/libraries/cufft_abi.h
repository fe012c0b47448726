// SPDX-License-Identifier: MIT
// What is used of cuFFT's C interface, so that nobody needs its headers: types of functions and
// values of enumerations, from NVIDIA's cuFFT documentation for CUDA 12 and 13. Enumerations travel
// as int. tests/gpu/libraries/test_cufft_abi.cpp compares with cufft.h where it is.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace lathe::gpu::cufft_abi {

using Plan = int;
using Status = int; ///< 0: success

// cufftType
inline constexpr int kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kD2Z = 0x6a, kZ2D = 0x6c, kZ2Z = 0x69;
inline constexpr int kForward = -1, kInverse = 1;

using Create = Status(Plan*);
using Destroy = Status(Plan);
using SetAutoAllocation = Status(Plan, int on);
using MakePlanMany64 = Status(Plan, int rank, long long* sizes, long long* in_embed,
                              long long in_stride, long long in_distance, long long* out_embed,
                              long long out_stride, long long out_distance, int type,
                              long long count, std::size_t* work_bytes);
using SetWorkArea = Status(Plan, void* work);
using SetStream = Status(Plan, CUstream);
/// cufftExecC2C, Z2Z: pointers to pairs of float or of double.
using ExecuteComplex = Status(Plan, void* in, void* out, int direction);
/// cufftExecR2C, D2Z, C2R, Z2D.
using ExecuteReal = Status(Plan, void* in, void* out);

} // namespace lathe::gpu::cufft_abi
