// SPDX-License-Identifier: MIT
// What the calls of cuSOLVER share: its functions, handles, memory for them, checks of arrays. For
// the sources of this folder; cusolver.h and batched.h are for others.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/array/stream_uses.h"
#include "gpu/libraries/cublas.h"
#include "gpu/libraries/cusolver_abi.h"
#include "gpu/libraries/library.h"
#include "gpu/libraries/stream_handles.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

namespace lathe::gpu::solver {

namespace abi = cusolver_abi;

struct LATHE_API CusolverApi {
    Library library;
    abi::Create* create = nullptr;
    abi::CreateParameters* create_parameters = nullptr;
    abi::SetStream* set_stream = nullptr;
    abi::GetrfBuffers* getrf_buffers = nullptr;
    abi::Getrf* getrf = nullptr;
    abi::Getrs* getrs = nullptr;
    abi::PotrfBuffers* potrf_buffers = nullptr;
    abi::Potrf* potrf = nullptr;
    abi::GeqrfBuffers* geqrf_buffers = nullptr;
    abi::Geqrf* geqrf = nullptr;
    abi::SyevdBuffers* syevd_buffers = nullptr;
    abi::Syevd* syevd = nullptr;
    abi::GesvdBuffers* gesvd_buffers = nullptr;
    abi::Gesvd* gesvd = nullptr;
    abi::PotrfBatched* potrf_batched[4]{};                   ///< by element_number
    abi::SyevBatchedBuffers* syev_batched_buffers = nullptr; ///< both null before CUDA 12.6
    abi::SyevBatched* syev_batched = nullptr;
    struct Q {
        abi::OrgqrBuffer* buffer = nullptr;
        abi::Orgqr* run = nullptr;
    };
    Q single_q, double_q, complex_q, double_complex_q;
    abi::CreateJacobi* create_jacobi = nullptr;
    abi::DestroyJacobi* destroy_jacobi = nullptr;
    abi::SetJacobiTolerance* set_jacobi_tolerance = nullptr;
    abi::SetJacobiNumber *set_jacobi_sweeps = nullptr, *set_jacobi_sorted = nullptr;
    abi::GesvdjBuffer* gesvdj_buffer[4]{}; ///< by element_number
    abi::Gesvdj* gesvdj[4]{};
    abi::GesvdjBatchedBuffer* gesvdj_batched_buffer[4]{};
    abi::GesvdjBatched* gesvdj_batched[4]{};
    abi::GeevBuffers* geev_buffers = nullptr; ///< both null before CUDA 12.6
    abi::Geev* geev = nullptr;
    abi::Parameters parameters = nullptr;

    CusolverApi();
};

/// The library, opened by the first call. Throws LibraryMissing.
LATHE_API const CusolverApi& cusolver();

/// 0 to 3: float32, float64, complex64, complex128; throws lathe::Error for others.
LATHE_API std::size_t element_number(DType dtype);

/// The matrices of one call's array, by columns without gaps: (count, columns, rows) in C order.
struct LATHE_API Matrices {
    /// Throws lathe::Error unless the array is so.
    Matrices(const Array& array, const char* name);
    void* at(std::int64_t index) const {
        return reinterpret_cast<void*>(address + static_cast<CUdeviceptr>(index) * bytes);
    }
    /// cuSOLVER wants 1 at least.
    std::int64_t leading() const { return rows > 0 ? rows : 1; }

    CUdeviceptr address, bytes = 0;
    std::int64_t count = 0, rows = 0, columns = 0;
    DType dtype = DType::float64;
};

/// Throws lathe::Error, naming cuSOLVER, unless it holds.
LATHE_API void require(bool holds, const char* what);

/// A row of a compact array: pivots, tau, values of one matrix. Throws lathe::Error unless the
/// array is (count, length) of `dtype`.
LATHE_API void* row_at(const Array& array, std::int64_t index, DType dtype, std::int64_t count,
                       std::int64_t length, const char* name);
LATHE_API int* info_at(const Array& info, std::int64_t index, const Matrices& of);

/// A handle on the stream, and the memory that calls ask for; released in the stream's order.
class LATHE_API Call {
public:
    /// `of` and `routine` are for messages and must outlive the call.
    Call(StreamView stream, const Matrices& of, const char* routine);
    /// Waits for the stream where the library was given memory of the host.
    ~Call() noexcept(false);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Throws LibraryError with the status's name and the matrices' sizes, unless it is 0.
    void check(abi::Status status) const { check(status, routine_); }
    /// As many bytes as device_bytes and host_bytes say, in `device` and `host`.
    void allocate();
    StreamUses& uses() noexcept { return uses_; }

    StreamHandles<abi::Handle>::Lent handle;
    const int type, real_type; ///< cudaDataType of the elements, and of real values
    std::size_t device_bytes = 0, host_bytes = 0;
    void *device = nullptr, *host = nullptr;

private:
    void check(abi::Status status, const char* routine) const;

    const Matrices& of_;
    const char* routine_;
    StreamView stream_;
    StreamUses uses_;
    std::vector<std::byte> host_memory_;
};

} // namespace lathe::gpu::solver
