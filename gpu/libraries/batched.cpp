// SPDX-License-Identifier: MIT
#include "gpu/libraries/batched.h"

#include "gpu/array/kernel_cache.h"
#include "gpu/launch.h"
#include "gpu/libraries/cusolver_call.h"

#include <fmt/format.h>

namespace lathe::gpu {

using namespace solver;

namespace {

constexpr const char* kAddresses = R"(
extern "C" __global__ void matrix_addresses(unsigned long long* to, unsigned long long first,
                                            unsigned long long bytes, long long count) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * (long long)blockDim.x)
        to[i] = first + i * bytes;
}
)";

/// The matrices' addresses, in memory of the device.
void** addresses_of(const Matrices& of, StreamUses& uses) {
    const ArrayKernel& kernel = array_kernel("matrix_addresses", "matrix_addresses",
                                             [] { return std::string{kAddresses}; });
    Array& made = uses.empty(DType::uint64, Extents{of.count});
    launch(kernel.kernel,
           {{kernel.blocks_for(static_cast<std::uint64_t>(of.count))},
            {kernel.threads},
            0,
            uses.stream()},
           made.address(), of.address, of.bytes, of.count);
    return reinterpret_cast<void**>(made.address());
}

/// These routines count in int.
int small(std::int64_t number) {
    require(number < std::int64_t{1} << 31, "a size is beyond 2^31");
    return static_cast<int>(number);
}

int* pivots_of(const Array& pivots, const Matrices& of) {
    return static_cast<int*>(row_at(pivots, 0, DType::int32, of.count, of.rows, "pivots"));
}

void check(cublas_abi::Status status, const char* routine, const Matrices& of) {
    if (status != 0)
        check_cublas(
            status, routine,
            fmt::format("{} matrices of {}, {} rows", of.count, name_of(of.dtype), of.rows));
}

} // namespace

void factor_many_lu(Array& a, Array& pivots, Array& info, StreamView stream) {
    const CublasApi& api = cublas();
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "LU is for square matrices");
    StreamUses uses{stream};
    void** const matrices = addresses_of(of, uses);
    const CublasHandle handle = cublas_handle(stream);
    check(api.getrf_batched[element_number(of.dtype)](handle.get(), small(of.rows), matrices,
                                                      small(of.leading()), pivots_of(pivots, of),
                                                      info_at(info, 0, of), small(of.count)),
          "cublas getrfBatched", of);
}

void solve_many_by_lu(const Array& lu, const Array& pivots, Array& b, StreamView stream) {
    const CublasApi& api = cublas();
    const Matrices of{lu, "lu"}, right{b, "b"};
    require(right.rows == of.rows && right.count == of.count && right.dtype == of.dtype,
            "right sides must have a row for each column of their matrix, and its type");
    StreamUses uses{stream};
    void **const matrices = addresses_of(of, uses), **const columns = addresses_of(right, uses);
    const CublasHandle handle = cublas_handle(stream);
    int host_info = 0;
    check(api.getrs_batched[element_number(of.dtype)](
              handle.get(), cublas_abi::kNormal, small(of.rows), small(right.columns), matrices,
              small(of.leading()), pivots_of(pivots, of), columns, small(right.leading()),
              &host_info, small(of.count)),
          "cublas getrsBatched", of);
}

void factor_many_cholesky(Array& a, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "Cholesky's factor is for square matrices");
    Call call{stream, of, "cusolverDn potrfBatched"};
    call.check(api.potrf_batched[element_number(of.dtype)](
        call.handle.get(), abi::kLower, small(of.rows), addresses_of(of, call.uses()),
        small(of.leading()), info_at(info, 0, of), small(of.count)));
}

bool eigen_of_many_hermitian(Array& a, Array& values, Array& info, bool is_lower,
                             bool wants_vectors, StreamView stream) {
    const CusolverApi& api = cusolver();
    if (!api.syev_batched || !api.syev_batched_buffers) return false;
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "eigenvalues are for square matrices");
    const int triangle = is_lower ? abi::kLower : abi::kUpper;
    const int vectors = wants_vectors ? abi::kVectors : abi::kNoVectors;
    void* const row = row_at(values, 0, real_for(of.dtype), of.count, of.rows, "values");
    Call call{stream, of, "cusolverDnXsyevBatched"};
    call.check(api.syev_batched_buffers(call.handle.get(), api.parameters, vectors, triangle,
                                        of.rows, call.type, of.at(0), of.leading(), call.real_type,
                                        row, call.type, &call.device_bytes, &call.host_bytes,
                                        of.count));
    call.allocate();
    call.check(api.syev_batched(call.handle.get(), api.parameters, vectors, triangle, of.rows,
                                call.type, of.at(0), of.leading(), call.real_type, row, call.type,
                                call.device, call.device_bytes, call.host, call.host_bytes,
                                info_at(info, 0, of), of.count));
    return true;
}

} // namespace lathe::gpu
