// SPDX-License-Identifier: MIT
// What is used of cuBLAS's C interface, so that nobody needs its headers: types of functions and
// values of enumerations, from NVIDIA's cuBLAS documentation for CUDA 12 and 13. Enumerations
// travel as int. tests/gpu/libraries/test_library_abi.cpp compares with cublas_v2.h where it is.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace lathe::gpu::cublas_abi {

using Handle = struct OpaqueHandle*;
using Status = int; ///< 0: success

// cublasOperation_t
inline constexpr int kNormal = 0, kTransposed = 1, kConjugateTransposed = 2;
// cudaDataType
inline constexpr int kFloat32 = 0, kFloat64 = 1, kFloat16 = 2, kComplex64 = 4, kComplex128 = 5;
// cublasComputeType_t
inline constexpr int kComputeFloat32 = 68, kComputeFloat64 = 70, kComputeFastTf32 = 77;
// cublasGemmAlgo_t
inline constexpr int kDefaultAlgorithm = -1;
// cublasMath_t: sums of float16 products stay float32 where a product is split among blocks
inline constexpr int kDisallowReducedPrecisionReduction = 16;

using Create = Status(Handle*);
using Destroy = Status(Handle);
using SetStream = Status(Handle, CUstream);
using SetMathMode = Status(Handle, int mode);
using StatusText = const char*(Status);
using Gemm = Status(Handle, int first_operation, int second_operation, std::int64_t m,
                    std::int64_t n, std::int64_t k, const void* alpha, const void* first,
                    int first_type, std::int64_t first_leading, const void* second, int second_type,
                    std::int64_t second_leading, const void* beta, void* result, int result_type,
                    std::int64_t result_leading, int compute_type, int algorithm);
using GemmStridedBatched = Status(Handle, int first_operation, int second_operation, std::int64_t m,
                                  std::int64_t n, std::int64_t k, const void* alpha,
                                  const void* first, int first_type, std::int64_t first_leading,
                                  long long first_stride, const void* second, int second_type,
                                  std::int64_t second_leading, long long second_stride,
                                  const void* beta, void* result, int result_type,
                                  std::int64_t result_leading, long long result_stride,
                                  std::int64_t count, int compute_type, int algorithm);

} // namespace lathe::gpu::cublas_abi
