// SPDX-License-Identifier: MIT
#include "gpu/libraries/cublas.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <complex>

namespace lathe::gpu {
namespace {

constexpr CudaLibraryName kName{"cuBLAS", "libcublas.so", {13, 12}, "cublas", "LATHE_CUBLAS"};

CublasApi open_cublas() {
    CublasApi api{.library = Library{kName}};
    api.library.find(api.create, "cublasCreate_v2");
    api.library.find(api.destroy, "cublasDestroy_v2");
    api.library.find(api.set_stream, "cublasSetStream_v2");
    api.library.find(api.set_math_mode, "cublasSetMathMode");
    api.library.find(api.status_name, "cublasGetStatusName");
    api.library.find(api.gemm, "cublasGemmEx_64");
    api.library.find(api.gemm_strided_batched, "cublasGemmStridedBatchedEx_64");
    constexpr std::array letters{'S', 'D', 'C', 'Z'};
    for (std::size_t k = 0; k < letters.size(); ++k) {
        api.library.find(api.getrf_batched[k],
                         fmt::format("cublas{}getrfBatched", letters[k]).c_str());
        api.library.find(api.getrs_batched[k],
                         fmt::format("cublas{}getrsBatched", letters[k]).c_str());
    }
    return api;
}

std::atomic<bool> tf32_allowed{false};

/// 1 and 0 in the type that the products are scaled in.
struct Scaling {
    const void *one, *zero;
    int compute_type;
};

Scaling scaling_of(DType dtype) {
    static constexpr std::array<float, 4> single{1, 0, 0, 0};
    static constexpr std::array<double, 4> two{1, 0, 0, 0};
    if (dtype == DType::float64 || dtype == DType::complex128)
        return {two.data(), two.data() + 2, cublas_abi::kComputeFloat64};
    const bool is_fast = dtype != DType::float16 && is_tf32_allowed();
    return {single.data(), single.data() + 2,
            is_fast ? cublas_abi::kComputeFastTf32 : cublas_abi::kComputeFloat32};
}

} // namespace

const CublasApi& cublas() {
    static const CublasApi& api = *new CublasApi{open_cublas()}; // kept for good
    return api;
}

CublasHandle cublas_handle(StreamView stream) {
    const CublasApi& api = cublas();
    static StreamHandles<cublas_abi::Handle>& handles = *new StreamHandles<cublas_abi::Handle>;
    CublasHandle lent = handles.borrow(stream, [&] {
        cublas_abi::Handle made = nullptr;
        check_cublas(api.create(&made), "cublasCreate");
        check_cublas(api.set_math_mode(made, cublas_abi::kDisallowReducedPrecisionReduction),
                     "cublasSetMathMode");
        return made;
    });
    // Each time: streams that are gone leave their numbers to others.
    check_cublas(api.set_stream(lent.get(), stream.get()), "cublasSetStream");
    return lent;
}

void check_cublas(cublas_abi::Status status, std::string_view routine, std::string_view detail) {
    if (status == 0) return;
    throw LibraryError{fmt::format("{} failed: {}{}{}", routine, cublas().status_name(status),
                                   detail.empty() ? "" : " - ", detail)};
}

int cuda_data_type(DType dtype) {
    switch (dtype) {
    case DType::float16: return cublas_abi::kFloat16;
    case DType::float32: return cublas_abi::kFloat32;
    case DType::float64: return cublas_abi::kFloat64;
    case DType::complex64: return cublas_abi::kComplex64;
    case DType::complex128: return cublas_abi::kComplex128;
    default: throw lathe::Error{fmt::format("cuBLAS has no matrices of {}", name_of(dtype))};
    }
}

void allow_tf32(bool allowed) noexcept { tf32_allowed = allowed; }
bool is_tf32_allowed() noexcept { return tf32_allowed; }

void run_gemm(const Gemm& gemm, DType dtype, CUdeviceptr first, CUdeviceptr second,
              CUdeviceptr result, StreamView stream) {
    const CublasApi& api = cublas();
    const CublasHandle handle = cublas_handle(stream);
    const int type = cuda_data_type(dtype);
    const auto [one, zero, compute] = scaling_of(dtype);
    const auto bytes = static_cast<CUdeviceptr>(item_bytes(dtype));
    const auto address = [&](CUdeviceptr base, const GemmMatrix& matrix) {
        return reinterpret_cast<void*>(base + static_cast<CUdeviceptr>(matrix.offset) * bytes);
    };
    const auto operation = [](const GemmMatrix& matrix) {
        return matrix.transposed ? cublas_abi::kTransposed : cublas_abi::kNormal;
    };
    const void *a = address(first, gemm.first), *b = address(second, gemm.second);
    void* c = address(result, gemm.result);
    const cublas_abi::Status status =
        gemm.count == 1
            ? api.gemm(handle.get(), operation(gemm.first), operation(gemm.second), gemm.m, gemm.n,
                       gemm.k, one, a, type, gemm.first.leading, b, type, gemm.second.leading, zero,
                       c, type, gemm.result.leading, compute, cublas_abi::kDefaultAlgorithm)
            : api.gemm_strided_batched(
                  handle.get(), operation(gemm.first), operation(gemm.second), gemm.m, gemm.n,
                  gemm.k, one, a, type, gemm.first.leading, gemm.first.stride, b, type,
                  gemm.second.leading, gemm.second.stride, zero, c, type, gemm.result.leading,
                  gemm.result.stride, gemm.count, compute, cublas_abi::kDefaultAlgorithm);
    if (status == 0) [[likely]]
        return;
    const char* routine = gemm.count == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx";
    check_cublas(status, routine,
                 fmt::format("{} matrices of {}, m {}, n {}, k {}, leading dimensions {}, {}, {}",
                             gemm.count, name_of(dtype), gemm.m, gemm.n, gemm.k, gemm.first.leading,
                             gemm.second.leading, gemm.result.leading));
}

} // namespace lathe::gpu
