// SPDX-License-Identifier: MIT
#include "gpu/libraries/cusolver_call.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace lathe::gpu::solver {
namespace {

constexpr CudaLibraryName kName{
    "cuSOLVER", "libcusolver.so", {12, 11}, "cusolver", "LATHE_CUSOLVER"};

/// cusolverStatus_t's names, by their numbers.
std::string status_text(abi::Status status) {
    static constexpr std::array names{
        "SUCCESS",          "NOT_INITIALIZED", "ALLOC_FAILED",
        "INVALID_VALUE",    "ARCH_MISMATCH",   "MAPPING_ERROR",
        "EXECUTION_FAILED", "INTERNAL_ERROR",  "MATRIX_TYPE_NOT_SUPPORTED",
        "NOT_SUPPORTED",    "ZERO_PIVOT",      "INVALID_LICENSE"};
    const auto number = static_cast<std::size_t>(status);
    if (number < names.size()) return fmt::format("CUSOLVER_STATUS_{}", names[number]);
    return fmt::format("status {}", status);
}

StreamHandles<abi::Handle>::Lent lend(StreamView stream) {
    static StreamHandles<abi::Handle>& handles = *new StreamHandles<abi::Handle>;
    return handles.borrow(stream, [] {
        abi::Handle made = nullptr;
        if (const abi::Status status = cusolver().create(&made))
            throw LibraryError{fmt::format("cusolverDnCreate failed: {}", status_text(status))};
        return made;
    });
}

} // namespace

CusolverApi::CusolverApi() : library{kName} {
    library.find(create, "cusolverDnCreate");
    library.find(create_parameters, "cusolverDnCreateParams");
    library.find(set_stream, "cusolverDnSetStream");
    library.find(getrf_buffers, "cusolverDnXgetrf_bufferSize");
    library.find(getrf, "cusolverDnXgetrf");
    library.find(getrs, "cusolverDnXgetrs");
    library.find(potrf_buffers, "cusolverDnXpotrf_bufferSize");
    library.find(potrf, "cusolverDnXpotrf");
    library.find(geqrf_buffers, "cusolverDnXgeqrf_bufferSize");
    library.find(geqrf, "cusolverDnXgeqrf");
    library.find(syevd_buffers, "cusolverDnXsyevd_bufferSize");
    library.find(syevd, "cusolverDnXsyevd");
    library.find(gesvd_buffers, "cusolverDnXgesvd_bufferSize");
    library.find(gesvd, "cusolverDnXgesvd");
    library.find(potrf_batched[0], "cusolverDnSpotrfBatched");
    library.find(potrf_batched[1], "cusolverDnDpotrfBatched");
    library.find(potrf_batched[2], "cusolverDnCpotrfBatched");
    library.find(potrf_batched[3], "cusolverDnZpotrfBatched");
    library.find_optional(syev_batched_buffers, "cusolverDnXsyevBatched_bufferSize");
    library.find_optional(syev_batched, "cusolverDnXsyevBatched");
    library.find_optional(geev_buffers, "cusolverDnXgeev_bufferSize");
    library.find_optional(geev, "cusolverDnXgeev");
    library.find(create_jacobi, "cusolverDnCreateGesvdjInfo");
    library.find(destroy_jacobi, "cusolverDnDestroyGesvdjInfo");
    library.find(set_jacobi_tolerance, "cusolverDnXgesvdjSetTolerance");
    library.find(set_jacobi_sweeps, "cusolverDnXgesvdjSetMaxSweeps");
    library.find(set_jacobi_sorted, "cusolverDnXgesvdjSetSortEig");
    for (std::size_t k = 0; k < 4; ++k) {
        const std::string name = fmt::format("cusolverDn{}gesvdj", "SDCZ"[k]);
        library.find(gesvdj_buffer[k], (name + "_bufferSize").c_str());
        library.find(gesvdj[k], name.c_str());
        library.find(gesvdj_batched_buffer[k], (name + "Batched_bufferSize").c_str());
        library.find(gesvdj_batched[k], (name + "Batched").c_str());
    }
    const auto find_q = [&](Q& q, const std::string& name) {
        library.find(q.buffer, (name + "_bufferSize").c_str());
        library.find(q.run, name.c_str());
    };
    find_q(single_q, "cusolverDnSorgqr");
    find_q(double_q, "cusolverDnDorgqr");
    find_q(complex_q, "cusolverDnCungqr");
    find_q(double_complex_q, "cusolverDnZungqr");
    if (const abi::Status status = create_parameters(&parameters))
        throw LibraryError{fmt::format("cusolverDnCreateParams failed: status {}", status)};
}

const CusolverApi& cusolver() {
    static const CusolverApi& api = *new CusolverApi; // kept for good
    return api;
}

std::size_t element_number(DType dtype) {
    switch (dtype) {
    case DType::float32: return 0;
    case DType::float64: return 1;
    case DType::complex64: return 2;
    case DType::complex128: return 3;
    default: throw lathe::Error{fmt::format("matrices of {} are not factored", name_of(dtype))};
    }
}

Matrices::Matrices(const Array& array, const char* name) : address{array.address()} {
    if (array.dimensions() != 3 || !array.is_c_contiguous())
        throw lathe::Error{fmt::format("cuSOLVER: {} must be matrices by columns, one after "
                                       "the other, got shape {}",
                                       name, to_string(array.shape()))};
    check_device(array, name);
    count = array.shape()[0];
    columns = array.shape()[1];
    rows = array.shape()[2];
    dtype = array.dtype(name);
    bytes = static_cast<CUdeviceptr>(rows * columns) * array.type().bytes;
}

void require(bool holds, const char* what) {
    if (!holds) throw lathe::Error{fmt::format("cuSOLVER: {}", what)};
}

/// A row of a compact array: pivots, tau, values, info of one matrix.
void* row_at(const Array& array, std::int64_t index, DType dtype, std::int64_t count,
             std::int64_t length, const char* name) {
    if (!(array.type() == ElementType{dtype}) || !array.is_c_contiguous() ||
        array.size() != count * length)
        throw lathe::Error{fmt::format("cuSOLVER: {} must be {} of {}, got {} of shape {}", name,
                                       count * length, name_of(dtype), array.size(),
                                       to_string(array.shape()))};
    return reinterpret_cast<void*>(array.address() +
                                   static_cast<CUdeviceptr>(index * length) * array.type().bytes);
}

int* info_at(const Array& info, std::int64_t index, const Matrices& of) {
    return static_cast<int*>(row_at(info, index, DType::int32, of.count, 1, "info"));
}

Call::Call(StreamView stream, const Matrices& of, const char* routine)
    : handle{lend(stream)}, type{cuda_data_type(of.dtype)},
      real_type{cuda_data_type(real_for(of.dtype))}, of_{of}, routine_{routine}, stream_{stream},
      uses_{stream} {
    check(cusolver().set_stream(handle.get(), stream.get()), "cusolverDnSetStream");
}

Call::~Call() noexcept(false) {
    if (!host_memory_.empty() && !std::uncaught_exceptions()) stream_.synchronize();
}

void Call::allocate() {
    if (device_bytes)
        device = reinterpret_cast<void*>(
            uses_.empty(DType::uint8, Extents{static_cast<std::int64_t>(device_bytes)}).address());
    host_memory_.resize(host_bytes);
    host = host_memory_.data();
}

void Call::check(abi::Status status, const char* routine) const {
    if (status == 0) return;
    throw LibraryError{fmt::format("{} failed: {} - {} matrices of {}, {} rows, {} columns",
                                   routine, status_text(status), of_.count, name_of(of_.dtype),
                                   of_.rows, of_.columns)};
}

} // namespace lathe::gpu::solver
