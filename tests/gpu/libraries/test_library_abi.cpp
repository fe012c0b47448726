// SPDX-License-Identifier: MIT
// What gpu/libraries/*_abi.h say of NVIDIA's libraries, against the libraries' own headers. All of
// it is done by the compiler; nothing is opened or linked.
#include "gpu/libraries/cublas_abi.h"
#include "gpu/libraries/cusolver_abi.h"

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace lathe::gpu {
namespace {

/// Whether arguments travel alike: addresses as addresses, with the same constness, numbers and
/// enumerations of one size.
template <class A, class B> constexpr bool is_same_argument() {
    if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
        using To = std::remove_pointer_t<A>;
        using From = std::remove_pointer_t<B>;
        if constexpr (std::is_function_v<To> || std::is_function_v<From>) return false;
        return std::is_const_v<To> == std::is_const_v<From>;
    } else {
        return !std::is_pointer_v<A> && !std::is_pointer_v<B> && sizeof(A) == sizeof(B) &&
               (std::is_integral_v<A> || std::is_enum_v<A>) &&
               (std::is_integral_v<B> || std::is_enum_v<B>);
    }
}

template <class Ours, class Theirs> struct IsSame : std::false_type {};
template <class R, class... A, class S, class... B>
struct IsSame<R(A...), S(B...)>
    : std::bool_constant<sizeof...(A) == sizeof...(B) && is_same_argument<R, S>()> {};
template <class R, class... A, class S, class... B>
    requires(sizeof...(A) == sizeof...(B))
struct IsSame<R(A...), S(B...)>
    : std::bool_constant<is_same_argument<R, S>() && (is_same_argument<A, B>() && ...)> {};

#define SAME(ours, theirs) static_assert(IsSame<ours, decltype(theirs)>::value, #theirs)

SAME(cublas_abi::Create, cublasCreate_v2);
SAME(cublas_abi::Destroy, cublasDestroy_v2);
SAME(cublas_abi::SetStream, cublasSetStream_v2);
SAME(cublas_abi::SetMathMode, cublasSetMathMode);
SAME(cublas_abi::StatusText, cublasGetStatusName);
SAME(cublas_abi::Gemm, cublasGemmEx_64);
SAME(cublas_abi::GemmStridedBatched, cublasGemmStridedBatchedEx_64);

static_assert(cublas_abi::kNormal == CUBLAS_OP_N && cublas_abi::kTransposed == CUBLAS_OP_T &&
              cublas_abi::kConjugateTransposed == CUBLAS_OP_C);
static_assert(cublas_abi::kFloat32 == CUDA_R_32F && cublas_abi::kFloat64 == CUDA_R_64F &&
              cublas_abi::kFloat16 == CUDA_R_16F && cublas_abi::kComplex64 == CUDA_C_32F &&
              cublas_abi::kComplex128 == CUDA_C_64F);
static_assert(cublas_abi::kComputeFloat32 == CUBLAS_COMPUTE_32F &&
              cublas_abi::kComputeFloat64 == CUBLAS_COMPUTE_64F &&
              cublas_abi::kComputeFastTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(cublas_abi::kDefaultAlgorithm == CUBLAS_GEMM_DEFAULT &&
              cublas_abi::kDisallowReducedPrecisionReduction ==
                  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);

SAME(cublas_abi::GetrfBatched, cublasSgetrfBatched);
SAME(cublas_abi::GetrfBatched, cublasDgetrfBatched);
SAME(cublas_abi::GetrfBatched, cublasCgetrfBatched);
SAME(cublas_abi::GetrfBatched, cublasZgetrfBatched);
SAME(cublas_abi::GetrsBatched, cublasSgetrsBatched);
SAME(cublas_abi::GetrsBatched, cublasDgetrsBatched);
SAME(cublas_abi::GetrsBatched, cublasCgetrsBatched);
SAME(cublas_abi::GetrsBatched, cublasZgetrsBatched);

SAME(cusolver_abi::Create, cusolverDnCreate);
SAME(cusolver_abi::CreateParameters, cusolverDnCreateParams);
SAME(cusolver_abi::SetStream, cusolverDnSetStream);
SAME(cusolver_abi::GetrfBuffers, cusolverDnXgetrf_bufferSize);
SAME(cusolver_abi::Getrf, cusolverDnXgetrf);
SAME(cusolver_abi::Getrs, cusolverDnXgetrs);
SAME(cusolver_abi::PotrfBuffers, cusolverDnXpotrf_bufferSize);
SAME(cusolver_abi::Potrf, cusolverDnXpotrf);
SAME(cusolver_abi::GeqrfBuffers, cusolverDnXgeqrf_bufferSize);
SAME(cusolver_abi::Geqrf, cusolverDnXgeqrf);
SAME(cusolver_abi::SyevdBuffers, cusolverDnXsyevd_bufferSize);
SAME(cusolver_abi::Syevd, cusolverDnXsyevd);
SAME(cusolver_abi::GesvdBuffers, cusolverDnXgesvd_bufferSize);
SAME(cusolver_abi::Gesvd, cusolverDnXgesvd);
SAME(cusolver_abi::CreateJacobi, cusolverDnCreateGesvdjInfo);
SAME(cusolver_abi::DestroyJacobi, cusolverDnDestroyGesvdjInfo);
SAME(cusolver_abi::SetJacobiNumber, cusolverDnXgesvdjSetMaxSweeps);
SAME(cusolver_abi::SetJacobiNumber, cusolverDnXgesvdjSetSortEig);
SAME(cusolver_abi::GesvdjBuffer, cusolverDnSgesvdj_bufferSize);
SAME(cusolver_abi::GesvdjBuffer, cusolverDnZgesvdj_bufferSize);
SAME(cusolver_abi::Gesvdj, cusolverDnSgesvdj);
SAME(cusolver_abi::Gesvdj, cusolverDnDgesvdj);
SAME(cusolver_abi::Gesvdj, cusolverDnCgesvdj);
SAME(cusolver_abi::Gesvdj, cusolverDnZgesvdj);
SAME(cusolver_abi::GesvdjBatchedBuffer, cusolverDnSgesvdjBatched_bufferSize);
SAME(cusolver_abi::GesvdjBatchedBuffer, cusolverDnZgesvdjBatched_bufferSize);
SAME(cusolver_abi::GesvdjBatched, cusolverDnSgesvdjBatched);
SAME(cusolver_abi::GesvdjBatched, cusolverDnDgesvdjBatched);
SAME(cusolver_abi::GesvdjBatched, cusolverDnCgesvdjBatched);
SAME(cusolver_abi::GesvdjBatched, cusolverDnZgesvdjBatched);
SAME(cusolver_abi::GeevBuffers, cusolverDnXgeev_bufferSize);
SAME(cusolver_abi::Geev, cusolverDnXgeev);
SAME(cusolver_abi::PotrfBatched, cusolverDnSpotrfBatched);
SAME(cusolver_abi::PotrfBatched, cusolverDnDpotrfBatched);
SAME(cusolver_abi::PotrfBatched, cusolverDnCpotrfBatched);
SAME(cusolver_abi::PotrfBatched, cusolverDnZpotrfBatched);
SAME(cusolver_abi::SyevBatchedBuffers, cusolverDnXsyevBatched_bufferSize);
SAME(cusolver_abi::SyevBatched, cusolverDnXsyevBatched);
SAME(cusolver_abi::OrgqrBuffer, cusolverDnSorgqr_bufferSize);
SAME(cusolver_abi::Orgqr, cusolverDnSorgqr);
SAME(cusolver_abi::Orgqr, cusolverDnDorgqr);
SAME(cusolver_abi::Orgqr, cusolverDnCungqr);
SAME(cusolver_abi::Orgqr, cusolverDnZungqr);

static_assert(cusolver_abi::kLower == CUBLAS_FILL_MODE_LOWER &&
              cusolver_abi::kUpper == CUBLAS_FILL_MODE_UPPER &&
              cusolver_abi::kNormal == CUBLAS_OP_N &&
              cusolver_abi::kNoVectors == CUSOLVER_EIG_MODE_NOVECTOR &&
              cusolver_abi::kVectors == CUSOLVER_EIG_MODE_VECTOR);

static_assert(std::is_same_v<decltype(cusolverDnXgesvdjSetTolerance),
                             cusolverStatus_t(gesvdjInfo_t, double)>);

TEST(LibraryAbi, IsThatOfTheHeaders) { SUCCEED() << "compared when this file was compiled"; }

} // namespace
} // namespace lathe::gpu
