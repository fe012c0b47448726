// SPDX-License-Identifier: MIT
// cuBLAS: its functions, handles and errors. Opened when first used; what multiplies arrays by it
// is in matmul.h.
#pragma once

#include "engine/core/api.h"
#include "engine/core/dtype.h"
#include "gpu/libraries/cublas_abi.h"
#include "gpu/libraries/gemm.h"
#include "gpu/libraries/library.h"
#include "gpu/libraries/stream_handles.h"
#include "gpu/stream.h"

#include <string_view>

namespace lathe::gpu {

struct CublasApi {
    Library library;
    cublas_abi::Create* create = nullptr;
    cublas_abi::Destroy* destroy = nullptr;
    cublas_abi::SetStream* set_stream = nullptr;
    cublas_abi::SetMathMode* set_math_mode = nullptr;
    cublas_abi::StatusText* status_name = nullptr;
    cublas_abi::Gemm* gemm = nullptr;
    cublas_abi::GemmStridedBatched* gemm_strided_batched = nullptr;
    cublas_abi::GetrfBatched* getrf_batched[4]{}; ///< float32, float64, complex64, complex128
    cublas_abi::GetrsBatched* getrs_batched[4]{};
};

/// The library, opened by the first call, on any thread. Throws LibraryMissing; a later call tries
/// again. LATHE_CUBLAS names a file.
LATHE_API const CublasApi& cublas();

using CublasHandle = StreamHandles<cublas_abi::Handle>::Lent;
/// For calls on `stream`. Throws LibraryError.
LATHE_API CublasHandle cublas_handle(StreamView stream);

/// Throws LibraryError, "cublasGemmEx failed: CUBLAS_STATUS_NOT_SUPPORTED - m 3 …", unless 0.
LATHE_API void check_cublas(cublas_abi::Status status, std::string_view routine,
                            std::string_view detail = {});

/// cudaDataType of float16, float32, float64, complex64, complex128; throws lathe::Error for
/// others.
LATHE_API int cuda_data_type(DType dtype);

/// float32 products may be rounded to TF32's ten bits of mantissa from now on: much faster, and
/// about 1e-3 off. False at first. For all threads.
LATHE_API void allow_tf32(bool allowed) noexcept;
LATHE_API bool is_tf32_allowed() noexcept;

/// result = first · second, asynchronous on `stream`; sums of float16 are float32. Throws
/// LibraryMissing, LibraryError.
LATHE_API void run_gemm(const Gemm& gemm, DType dtype, CUdeviceptr first, CUdeviceptr second,
                        CUdeviceptr result, StreamView stream);

} // namespace lathe::gpu
