// SPDX-License-Identifier: MIT
#include "gpu/libraries/spectra.h"

#include "gpu/libraries/cusolver_call.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace lathe::gpu {

using namespace solver;

namespace {

/// How exactly: to the rounding of the type, in as many sweeps as may be needed; largest first.
class JacobiParameters {
public:
    JacobiParameters(const CusolverApi& api, const Call& call, DType dtype) : api_{api} {
        call.check(api.create_jacobi(&made_));
        const bool is_single = real_for(dtype) == DType::float32;
        call.check(api.set_jacobi_tolerance(made_, is_single
                                                       ? std::numeric_limits<float>::epsilon()
                                                       : std::numeric_limits<double>::epsilon()));
        call.check(api.set_jacobi_sweeps(made_, 100));
        call.check(api.set_jacobi_sorted(made_, 1));
    }
    JacobiParameters(const JacobiParameters&) = delete;
    JacobiParameters& operator=(const JacobiParameters&) = delete;
    ~JacobiParameters() {
        if (made_) api_.destroy_jacobi(made_);
    }
    abi::JacobiParameters get() const noexcept { return made_; }

private:
    const CusolverApi& api_;
    abi::JacobiParameters made_ = nullptr;
};

} // namespace

void singular_values_by_jacobi(Array& a, Array& values, Array& u, Array& v, Array& info,
                               bool wants_vectors, StreamView stream) {
    const CusolverApi& api = cusolver();
    const Matrices of{a, "a"}, left{u, "u"}, right{v, "v"};
    require(of.columns <= of.rows && of.rows < (std::int64_t{1} << 31) &&
                of.count < (std::int64_t{1} << 31),
            "singular values are for matrices with as many rows as columns, or more, below 2^31");
    require(left.rows == of.rows && (left.columns == of.rows || left.columns == of.columns) &&
                right.rows == of.columns && right.columns == of.columns && left.count == of.count &&
                right.count == of.count && left.dtype == of.dtype && right.dtype == of.dtype,
            "u and v must fit their matrix");
    const auto m = static_cast<int>(of.rows), n = static_cast<int>(of.columns);
    const auto leading = static_cast<int>(of.leading()), v_leading = std::max(n, 1);
    const int vectors = wants_vectors ? abi::kVectors : abi::kNoVectors;
    const std::size_t type = element_number(of.dtype);
    const auto row = [&](std::int64_t i) {
        return row_at(values, i, real_for(of.dtype), of.count, of.columns, "values");
    };
    Call call{stream, of, "cusolverDn gesvdj"};
    const JacobiParameters parameters{api, call, of.dtype};
    int elements = 0;
    const auto allocate = [&] {
        call.device_bytes = static_cast<std::size_t>(elements) * item_bytes(of.dtype);
        call.allocate();
    };
    if (of.count > 1 && of.rows <= kMostRowsOfJacobiStacks && left.columns == of.rows) {
        const auto count = static_cast<int>(of.count);
        call.check(api.gesvdj_batched_buffer[type](
            call.handle.get(), vectors, m, n, of.at(0), leading, row(0), left.at(0), leading,
            right.at(0), v_leading, &elements, parameters.get(), count));
        allocate();
        call.check(api.gesvdj_batched[type](call.handle.get(), vectors, m, n, of.at(0), leading,
                                            row(0), left.at(0), leading, right.at(0), v_leading,
                                            call.device, elements, info_at(info, 0, of),
                                            parameters.get(), count));
        return;
    }
    const int economy = left.columns == of.columns;
    call.check(api.gesvdj_buffer[type](call.handle.get(), vectors, economy, m, n, of.at(0), leading,
                                       row(0), left.at(0), leading, right.at(0), v_leading,
                                       &elements, parameters.get()));
    allocate();
    for (std::int64_t i = 0; i < of.count; ++i)
        call.check(api.gesvdj[type](call.handle.get(), vectors, economy, m, n, of.at(i), leading,
                                    row(i), left.at(i), leading, right.at(i), v_leading,
                                    call.device, elements, info_at(info, i, of), parameters.get()));
}

bool eigen_of_any(Array& a, Array& values, Array* vectors, Array& info, StreamView stream) {
    const CusolverApi& api = cusolver();
    if (!api.geev || !api.geev_buffers) return false;
    const Matrices of{a, "a"};
    require(of.rows == of.columns, "eigenvalues are for square matrices");
    std::optional<Matrices> right;
    if (vectors) {
        right.emplace(*vectors, "vectors");
        require(right->rows == of.rows && right->columns == of.rows && right->count == of.count &&
                    right->dtype == of.dtype,
                "vectors must fit their matrix");
    }
    const bool is_single = real_for(of.dtype) == DType::float32;
    const DType complex = is_single ? DType::complex64 : DType::complex128;
    const auto row = [&](std::int64_t i) {
        return row_at(values, i, complex, of.count, of.rows, "values");
    };
    const auto at = [&](std::int64_t i) { return right ? right->at(i) : nullptr; };
    const int wanted = vectors ? abi::kVectors : abi::kNoVectors;
    Call call{stream, of, "cusolverDnXgeev"};
    const int value_type = cuda_data_type(complex);
    call.check(api.geev_buffers(call.handle.get(), api.parameters, abi::kNoVectors, wanted, of.rows,
                                call.type, of.at(0), of.leading(), value_type, row(0), call.type,
                                nullptr, of.leading(), call.type, at(0), of.leading(), call.type,
                                &call.device_bytes, &call.host_bytes));
    call.allocate();
    for (std::int64_t i = 0; i < of.count; ++i) {
        call.check(api.geev(call.handle.get(), api.parameters, abi::kNoVectors, wanted, of.rows,
                            call.type, of.at(i), of.leading(), value_type, row(i), call.type,
                            nullptr, of.leading(), call.type, at(i), of.leading(), call.type,
                            call.device, call.device_bytes, call.host, call.host_bytes,
                            info_at(info, i, of)));
        // Its part on the host has the same memory each time.
        if (of.count > 1) stream.synchronize();
    }
    return true;
}

} // namespace lathe::gpu
