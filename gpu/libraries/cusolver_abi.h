// SPDX-License-Identifier: MIT
// What is used of cuSOLVER's dense C interface (its 64-bit part, where the type of elements is an
// argument), so that nobody needs its headers. From NVIDIA's cuSOLVER documentation for CUDA 12 and
// 13; enumerations travel as int. tests/gpu/libraries/test_library_abi.cpp compares with
// cusolverDn.h where it is.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace lathe::gpu::cusolver_abi {

using Handle = struct OpaqueSolver*;
using Parameters = struct OpaqueParameters*;
using JacobiParameters = struct OpaqueJacobiParameters*; ///< gesvdjInfo_t
using Status = int;                                      ///< 0: success

// cublasFillMode_t, cublasOperation_t, cusolverEigMode_t
inline constexpr int kLower = 0, kUpper = 1, kNormal = 0, kNoVectors = 0, kVectors = 1;

using Create = Status(Handle*);
using CreateParameters = Status(Parameters*);
using SetStream = Status(Handle, CUstream);

using GetrfBuffers = Status(Handle, Parameters, std::int64_t m, std::int64_t n, int type,
                            const void* a, std::int64_t leading, int compute_type,
                            std::size_t* device_bytes, std::size_t* host_bytes);
using Getrf = Status(Handle, Parameters, std::int64_t m, std::int64_t n, int type, void* a,
                     std::int64_t leading, std::int64_t* pivots, int compute_type,
                     void* device_buffer, std::size_t device_bytes, void* host_buffer,
                     std::size_t host_bytes, int* info);
using Getrs = Status(Handle, Parameters, int operation, std::int64_t n, std::int64_t columns,
                     int type, const void* a, std::int64_t leading, const std::int64_t* pivots,
                     int b_type, void* b, std::int64_t b_leading, int* info);
using PotrfBuffers = Status(Handle, Parameters, int triangle, std::int64_t n, int type,
                            const void* a, std::int64_t leading, int compute_type,
                            std::size_t* device_bytes, std::size_t* host_bytes);
using Potrf = Status(Handle, Parameters, int triangle, std::int64_t n, int type, void* a,
                     std::int64_t leading, int compute_type, void* device_buffer,
                     std::size_t device_bytes, void* host_buffer, std::size_t host_bytes,
                     int* info);
using GeqrfBuffers = Status(Handle, Parameters, std::int64_t m, std::int64_t n, int type,
                            const void* a, std::int64_t leading, int tau_type, const void* tau,
                            int compute_type, std::size_t* device_bytes, std::size_t* host_bytes);
using Geqrf = Status(Handle, Parameters, std::int64_t m, std::int64_t n, int type, void* a,
                     std::int64_t leading, int tau_type, void* tau, int compute_type,
                     void* device_buffer, std::size_t device_bytes, void* host_buffer,
                     std::size_t host_bytes, int* info);
using SyevdBuffers = Status(Handle, Parameters, int vectors, int triangle, std::int64_t n, int type,
                            const void* a, std::int64_t leading, int value_type, const void* values,
                            int compute_type, std::size_t* device_bytes, std::size_t* host_bytes);
using Syevd = Status(Handle, Parameters, int vectors, int triangle, std::int64_t n, int type,
                     void* a, std::int64_t leading, int value_type, void* values, int compute_type,
                     void* device_buffer, std::size_t device_bytes, void* host_buffer,
                     std::size_t host_bytes, int* info);
using GesvdBuffers = Status(Handle, Parameters, signed char u_job, signed char vh_job,
                            std::int64_t m, std::int64_t n, int type, const void* a,
                            std::int64_t leading, int value_type, const void* values, int u_type,
                            const void* u, std::int64_t u_leading, int vh_type, const void* vh,
                            std::int64_t vh_leading, int compute_type, std::size_t* device_bytes,
                            std::size_t* host_bytes);
using Gesvd = Status(Handle, Parameters, signed char u_job, signed char vh_job, std::int64_t m,
                     std::int64_t n, int type, void* a, std::int64_t leading, int value_type,
                     void* values, int u_type, void* u, std::int64_t u_leading, int vh_type,
                     void* vh, std::int64_t vh_leading, int compute_type, void* device_buffer,
                     std::size_t device_bytes, void* host_buffer, std::size_t host_bytes,
                     int* info);
// Of S, D, C and Z alike: elements by address only.
using OrgqrBuffer = Status(Handle, int m, int n, int k, const void* a, int leading, const void* tau,
                           int* elements);
using Orgqr = Status(Handle, int m, int n, int k, void* a, int leading, const void* tau, void* work,
                     int elements, int* info);
// Of S, D, C and Z alike: the matrices by their addresses, in memory of the device.
using PotrfBatched = Status(Handle, int triangle, int n, void** matrices, int leading, int* info,
                            int count);
// Of S, D, C and Z alike: elements by address only. `v` is no conjugated transpose. Its address and
// u's are wanted without vectors, too.
using CreateJacobi = Status(JacobiParameters*);
using DestroyJacobi = Status(JacobiParameters);
using SetJacobiTolerance = Status(JacobiParameters, double);
using SetJacobiNumber = Status(JacobiParameters, int);
using GesvdjBuffer = Status(Handle, int vectors, int economy, int m, int n, const void* a,
                            int leading, const void* values, const void* u, int u_leading,
                            const void* v, int v_leading, int* elements, JacobiParameters);
using Gesvdj = Status(Handle, int vectors, int economy, int m, int n, void* a, int leading,
                      void* values, void* u, int u_leading, void* v, int v_leading, void* work,
                      int elements, int* info, JacobiParameters);
using GesvdjBatchedBuffer = Status(Handle, int vectors, int m, int n, const void* a, int leading,
                                   const void* values, const void* u, int u_leading, const void* v,
                                   int v_leading, int* elements, JacobiParameters, int count);
using GesvdjBatched = Status(Handle, int vectors, int m, int n, void* a, int leading, void* values,
                             void* u, int u_leading, void* v, int v_leading, void* work,
                             int elements, int* info, JacobiParameters, int count);
// Since CUDA 12.6.
using GeevBuffers = Status(Handle, Parameters, int left, int right, std::int64_t n, int type,
                           const void* a, std::int64_t leading, int value_type, const void* values,
                           int left_type, const void* left_vectors, std::int64_t left_leading,
                           int right_type, const void* right_vectors, std::int64_t right_leading,
                           int compute_type, std::size_t* device_bytes, std::size_t* host_bytes);
using Geev = Status(Handle, Parameters, int left, int right, std::int64_t n, int type, void* a,
                    std::int64_t leading, int value_type, void* values, int left_type,
                    void* left_vectors, std::int64_t left_leading, int right_type,
                    void* right_vectors, std::int64_t right_leading, int compute_type,
                    void* device_buffer, std::size_t device_bytes, void* host_buffer,
                    std::size_t host_bytes, int* info);
using SyevBatchedBuffers = Status(Handle, Parameters, int vectors, int triangle, std::int64_t n,
                                  int type, const void* a, std::int64_t leading, int value_type,
                                  const void* values, int compute_type, std::size_t* device_bytes,
                                  std::size_t* host_bytes, std::int64_t count);
using SyevBatched = Status(Handle, Parameters, int vectors, int triangle, std::int64_t n, int type,
                           void* a, std::int64_t leading, int value_type, void* values,
                           int compute_type, void* device_buffer, std::size_t device_bytes,
                           void* host_buffer, std::size_t host_bytes, int* info,
                           std::int64_t count);

} // namespace lathe::gpu::cusolver_abi
