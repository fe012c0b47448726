// SPDX-License-Identifier: MIT
#include "gpu/libraries/cusolver.h"

#include "gpu/libraries/cusolver_call.h"

#include <algorithm>
#include <optional>

namespace lathe::gpu {

using namespace solver;

void factor_lu(Array& a, Array& pivots, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "LU is for square matrices");
    Call call{stream, of, "cusolverDnXgetrf"};
    call.check(api.getrf_buffers(call.handle.get(), api.parameters, of.rows, of.columns, call.type,
                                 of.at(0), of.leading(), call.type, &call.device_bytes,
                                 &call.host_bytes));
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.getrf(call.handle.get(), api.parameters, of.rows, of.columns, call.type,
                             of.at(i), of.leading(),
                             static_cast<std::int64_t*>(
                                 row_at(pivots, i, DType::int64, of.count, of.rows, "pivots")),
                             call.type, call.device, call.device_bytes, call.host, call.host_bytes,
                             info_at(info, i, of)));
}

void solve_by_lu(const Array& lu, const Array& pivots, Array& b, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{lu, "lu"}, right{b, "b"};
    require(right.rows == of.rows && right.count == of.count && right.dtype == of.dtype,
            "right sides must have a row for each column of their matrix, and its type");
    Call call{stream, of, "cusolverDnXgetrs"};
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.getrs(call.handle.get(), api.parameters, abi::kNormal, of.rows,
                             right.columns, call.type, of.at(i), of.leading(),
                             static_cast<const std::int64_t*>(
                                 row_at(pivots, i, DType::int64, of.count, of.rows, "pivots")),
                             call.type, right.at(i), right.leading(), info_at(info, i, of)));
}

void factor_cholesky(Array& a, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "Cholesky's factor is for square matrices");
    Call call{stream, of, "cusolverDnXpotrf"};
    call.check(api.potrf_buffers(call.handle.get(), api.parameters, abi::kLower, of.rows, call.type,
                                 of.at(0), of.leading(), call.type, &call.device_bytes,
                                 &call.host_bytes));
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.potrf(call.handle.get(), api.parameters, abi::kLower, of.rows, call.type,
                             of.at(i), of.leading(), call.type, call.device, call.device_bytes,
                             call.host, call.host_bytes, info_at(info, i, of)));
}

void factor_qr(Array& a, Array& tau, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    const std::int64_t reflectors = std::min(of.rows, of.columns);
    const auto factors = [&](std::int64_t i) {
        return row_at(tau, i, of.dtype, of.count, reflectors, "tau");
    };
    Call call{stream, of, "cusolverDnXgeqrf"};
    call.check(api.geqrf_buffers(call.handle.get(), api.parameters, of.rows, of.columns, call.type,
                                 of.at(0), of.leading(), call.type, factors(0), call.type,
                                 &call.device_bytes, &call.host_bytes));
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.geqrf(call.handle.get(), api.parameters, of.rows, of.columns, call.type,
                             of.at(i), of.leading(), call.type, factors(i), call.type, call.device,
                             call.device_bytes, call.host, call.host_bytes, info_at(info, i, of)));
}

void expand_q(Array& a, const Array& tau, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    require(of.columns <= of.rows && of.rows < (std::int64_t{1} << 31),
            "Q has at most as many columns as rows, below 2^31");
    const CusolverApi::Q& q = of.dtype == DType::float32     ? api.single_q
                              : of.dtype == DType::float64   ? api.double_q
                              : of.dtype == DType::complex64 ? api.complex_q
                                                             : api.double_complex_q;
    const auto m = static_cast<int>(of.rows), n = static_cast<int>(of.columns);
    const std::int64_t reflectors = of.count ? tau.size() / of.count : 0;
    require(reflectors <= of.columns, "Q has a column for each reflector");
    const auto k = static_cast<int>(reflectors);
    const auto factors = [&](std::int64_t i) {
        return row_at(tau, i, of.dtype, of.count, reflectors, "tau");
    };
    Call call{stream, of, "cusolverDn orgqr"};
    int elements = 0;
    call.check(q.buffer(call.handle.get(), m, n, k, of.at(0), m, factors(0), &elements));
    call.device_bytes = static_cast<std::size_t>(elements) * item_bytes(of.dtype);
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(q.run(call.handle.get(), m, n, k, of.at(i), m, factors(i), call.device, elements,
                         info_at(info, i, of)));
}

void eigen_of_hermitian(Array& a, Array& values, Array& info, bool is_lower, bool wants_vectors,
                        StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "eigenvalues are for square matrices");
    const int triangle = is_lower ? abi::kLower : abi::kUpper;
    const int vectors = wants_vectors ? abi::kVectors : abi::kNoVectors;
    const auto row = [&](std::int64_t i) {
        return row_at(values, i, real_for(of.dtype), of.count, of.rows, "values");
    };
    Call call{stream, of, "cusolverDnXsyevd"};
    call.check(api.syevd_buffers(call.handle.get(), api.parameters, vectors, triangle, of.rows,
                                 call.type, of.at(0), of.leading(), call.real_type, row(0),
                                 call.type, &call.device_bytes, &call.host_bytes));
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.syevd(call.handle.get(), api.parameters, vectors, triangle, of.rows,
                             call.type, of.at(i), of.leading(), call.real_type, row(i), call.type,
                             call.device, call.device_bytes, call.host, call.host_bytes,
                             info_at(info, i, of)));
}

void singular_values(Array& a, Array& values, Array* u, Array* vh, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"};
    require(of.columns <= of.rows, "singular values are for matrices with as many rows as columns, "
                                   "or more");
    require(!u == !vh, "u and vh are wanted both or none");
    std::optional<Matrices> left, right;
    if (u) {
        left.emplace(*u, "u");
        right.emplace(*vh, "vh");
        require(left->rows == of.rows && right->rows == of.columns &&
                    right->columns == of.columns && left->count == of.count &&
                    right->count == of.count && left->dtype == of.dtype && right->dtype == of.dtype,
                "u and vh must fit their matrix");
        require(left->columns == of.rows || left->columns == of.columns,
                "u has as many columns as the matrix has columns or rows");
    }
    const auto job = static_cast<signed char>(!u ? 'N' : left->columns == of.columns ? 'S' : 'A');
    const auto row = [&](std::int64_t i) {
        return row_at(values, i, real_for(of.dtype), of.count, of.columns, "values");
    };
    const auto at = [](const std::optional<Matrices>& matrices, std::int64_t i) {
        return matrices ? matrices->at(i) : nullptr;
    };
    const std::int64_t u_leading = of.leading(), vh_leading = std::max<std::int64_t>(of.columns, 1);
    Call call{stream, of, "cusolverDnXgesvd"};
    call.check(api.gesvd_buffers(call.handle.get(), api.parameters, job, job, of.rows, of.columns,
                                 call.type, of.at(0), of.leading(), call.real_type, row(0),
                                 call.type, at(left, 0), u_leading, call.type, at(right, 0),
                                 vh_leading, call.type, &call.device_bytes, &call.host_bytes));
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.gesvd(call.handle.get(), api.parameters, job, job, of.rows, of.columns,
                             call.type, of.at(i), of.leading(), call.real_type, row(i), call.type,
                             at(left, i), u_leading, call.type, at(right, i), vh_leading, call.type,
                             call.device, call.device_bytes, call.host, call.host_bytes,
                             info_at(info, i, of)));
}

} // namespace lathe::gpu
