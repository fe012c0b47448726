// SPDX-License-Identifier: MIT
// A library with the names of cuBLAS's functions that Lathe uses. Refuses what cuBLAS refuses.
#include "gpu/libraries/cublas_abi.h"
#include "tests/gpu/libraries/fake_device.h"

#include <algorithm>
#include <type_traits>

namespace {

using namespace lathe::gpu::cublas_abi;

constexpr Status kInvalidValue = 7, kNotSupported = 15;

Status multiply(int first_operation, int second_operation, std::int64_t m, std::int64_t n,
                std::int64_t k, const void* alpha, const void* a, int type, std::int64_t lda,
                long long a_stride, const void* b, std::int64_t ldb, long long b_stride,
                const void* beta, void* c, std::int64_t ldc, long long c_stride, std::int64_t count,
                int compute, int algorithm) {
    const bool first_turned = first_operation == kTransposed,
               second_turned = second_operation == kTransposed;
    const std::int64_t one = 1;
    if (m < 0 || n < 0 || k < 0 || lda < std::max(one, first_turned ? k : m) ||
        ldb < std::max(one, second_turned ? n : k) || ldc < std::max(one, m))
        return kInvalidValue;
    const bool is_double = type == kFloat64 || type == kComplex128;
    if (algorithm != kDefaultAlgorithm || (compute == kComputeFloat64) != is_double ||
        (compute == kComputeFastTf32 && type == kFloat16))
        return kNotSupported;
    fake::wait_for_device();
    // Scalars have the compute type, complex where the matrices are.
    const int scale = type == kFloat16 ? kFloat32 : type;
    const fake::Number times = fake::load(scale, alpha, 0), plus = fake::load(scale, beta, 0);
    for (std::int64_t batch = 0; batch < count; ++batch)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) {
                fake::Number sum = 0;
                for (std::int64_t l = 0; l < k; ++l)
                    sum +=
                        fake::load(type, a,
                                   batch * a_stride + (first_turned ? l + i * lda : i + l * lda)) *
                        fake::load(type, b,
                                   batch * b_stride + (second_turned ? j + l * ldb : l + j * ldb));
                const std::int64_t at = batch * c_stride + i + j * ldc;
                fake::Number value = times * sum;
                if (plus != 0.0) value += plus * fake::load(type, c, at);
                fake::store(type, c, at, value);
            }
    return 0;
}

} // namespace

extern "C" {

Status cublasCreate_v2(Handle* handle) {
    *handle = reinterpret_cast<Handle>(new char);
    return 0;
}
Status cublasDestroy_v2(Handle handle) {
    delete reinterpret_cast<char*>(handle);
    return 0;
}
Status cublasSetStream_v2(Handle handle, CUstream) { return handle ? 0 : 1; }
Status cublasSetMathMode(Handle handle, int) { return handle ? 0 : 1; }
const char* cublasGetStatusName(Status status) {
    return status == kInvalidValue ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_NOT_SUPPORTED";
}
Status cublasGemmEx_64(Handle, int first_operation, int second_operation, std::int64_t m,
                       std::int64_t n, std::int64_t k, const void* alpha, const void* a, int a_type,
                       std::int64_t lda, const void* b, int b_type, std::int64_t ldb,
                       const void* beta, void* c, int c_type, std::int64_t ldc, int compute,
                       int algorithm) {
    if (a_type != b_type || a_type != c_type) return kNotSupported;
    return multiply(first_operation, second_operation, m, n, k, alpha, a, a_type, lda, 0, b, ldb, 0,
                    beta, c, ldc, 0, 1, compute, algorithm);
}
Status cublasGemmStridedBatchedEx_64(Handle, int first_operation, int second_operation,
                                     std::int64_t m, std::int64_t n, std::int64_t k,
                                     const void* alpha, const void* a, int a_type, std::int64_t lda,
                                     long long a_stride, const void* b, int b_type,
                                     std::int64_t ldb, long long b_stride, const void* beta,
                                     void* c, int c_type, std::int64_t ldc, long long c_stride,
                                     std::int64_t count, int compute, int algorithm) {
    if (a_type != b_type || a_type != c_type) return kNotSupported;
    return multiply(first_operation, second_operation, m, n, k, alpha, a, a_type, lda, a_stride, b,
                    ldb, b_stride, beta, c, ldc, c_stride, count, compute, algorithm);
}

} // extern "C"

static_assert(std::is_same_v<decltype(cublasGemmEx_64), Gemm>);
static_assert(std::is_same_v<decltype(cublasGemmStridedBatchedEx_64), GemmStridedBatched>);
