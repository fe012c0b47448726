// SPDX-License-Identifier: MIT
#include "gpu/libraries/cusolver.h"

#include "gpu/array/stream_uses.h"
#include "gpu/libraries/cublas.h"
#include "gpu/libraries/cusolver_abi.h"
#include "gpu/libraries/library.h"
#include "gpu/libraries/stream_handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace lathe::gpu {
namespace {

namespace abi = cusolver_abi;

constexpr LibraryName kName{"cuSOLVER", "libcusolver.so", {12, 11}, "cusolver", "LATHE_CUSOLVER"};

struct CusolverApi {
    Library library{kName};
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
    struct Q {
        abi::OrgqrBuffer* buffer = nullptr;
        abi::Orgqr* run = nullptr;
    };
    Q single_q, double_q, complex_q, double_complex_q;
    abi::Parameters parameters = nullptr;

    CusolverApi() {
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
};

const CusolverApi& cusolver() {
    static const CusolverApi& api = *new CusolverApi; // kept for good
    return api;
}

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

/// The matrices of one call's array.
struct Matrices {
    explicit Matrices(const Array& array, const char* name) : address{array.address()} {
        if (array.dimensions() != 3 || !array.is_c_contiguous())
            throw lathe::Error{fmt::format("cuSOLVER: {} must be matrices by columns, one after "
                                           "the other, got shape {}",
                                           name, to_string(array.shape()))};
        count = array.shape()[0];
        columns = array.shape()[1];
        rows = array.shape()[2];
        dtype = array.dtype(name);
        bytes = static_cast<CUdeviceptr>(rows * columns) * array.type().bytes;
    }
    void* at(std::int64_t index) const {
        return reinterpret_cast<void*>(address + static_cast<CUdeviceptr>(index) * bytes);
    }
    /// cuSOLVER wants 1 at least.
    std::int64_t leading() const { return rows > 0 ? rows : 1; }

    CUdeviceptr address, bytes = 0;
    std::int64_t count = 0, rows = 0, columns = 0;
    DType dtype = DType::float64;
};

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

/// A handle on the stream, and the memory that calls ask for; released in the stream's order.
class Call {
public:
    explicit Call(StreamView stream, const Matrices& of, const char* routine)
        : handle{lend(stream)}, type{cuda_data_type(of.dtype)}, real_type{cuda_data_type(
                                                                    real_for(of.dtype))},
          of_{of}, routine_{routine}, stream_{stream}, uses_{stream} {
        check(cusolver().set_stream(handle.get(), stream.get()), "cusolverDnSetStream");
    }
    ~Call() noexcept(false) {
        if (!host_memory_.empty() && !std::uncaught_exceptions()) stream_.synchronize();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    void check(abi::Status status) const { check(status, routine_); }
    void allocate() {
        if (device_bytes)
            device = reinterpret_cast<void*>(
                uses_.empty(DType::uint8, Extents{static_cast<std::int64_t>(device_bytes)})
                    .address());
        host_memory_.resize(host_bytes);
        host = host_memory_.data();
    }

    StreamHandles<abi::Handle>::Lent handle;
    const int type, real_type;
    std::size_t device_bytes = 0, host_bytes = 0;
    void *device = nullptr, *host = nullptr;

private:
    static StreamHandles<abi::Handle>::Lent lend(StreamView stream) {
        static StreamHandles<abi::Handle>& handles = *new StreamHandles<abi::Handle>;
        return handles.borrow(stream, [] {
            abi::Handle made = nullptr;
            if (const abi::Status status = cusolver().create(&made))
                throw LibraryError{fmt::format("cusolverDnCreate failed: {}", status_text(status))};
            return made;
        });
    }
    void check(abi::Status status, const char* routine) const {
        if (status == 0) return;
        throw LibraryError{fmt::format("{} failed: {} - {} matrices of {}, {} rows, {} columns",
                                       routine, status_text(status), of_.count, name_of(of_.dtype),
                                       of_.rows, of_.columns)};
    }

    const Matrices& of_;
    const char* routine_;
    StreamView stream_;
    StreamUses uses_;
    std::vector<std::byte> host_memory_;
};

} // namespace

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
