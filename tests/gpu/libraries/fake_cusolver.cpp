// SPDX-License-Identifier: MIT
// A library with the names of cuSOLVER's functions that Lathe uses: textbook algorithms (Golub and
// Van Loan, Matrix Computations, 4th ed.: 3.4 LU, 4.2 Cholesky, 5.1 Householder, 8.5 Jacobi, 8.6
// one-sided Jacobi), in complex doubles whatever the type.
#include "gpu/libraries/cusolver_abi.h"
#include "tests/gpu/libraries/fake_device.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

namespace {

using namespace lathe::gpu::cusolver_abi;
using fake::Matrix;
using fake::Number;

constexpr Status kInvalidValue = 3;
constexpr std::size_t kDeviceBytes = 64; // asked for, written to, so that too little memory shows

Status ask(std::size_t* device, std::size_t* host) {
    *device = kDeviceBytes;
    *host = 24;
    return 0;
}

bool begin(void* device, std::size_t device_bytes, void* host, std::size_t host_bytes) {
    fake::wait_for_device();
    if (!device || device_bytes < kDeviceBytes || !host || host_bytes < 24) return false;
    std::fill_n(static_cast<char*>(device), kDeviceBytes, 'x');
    std::fill_n(static_cast<char*>(host), 24, 'x');
    return true;
}

double dot_real(const Matrix& a, std::int64_t i, std::int64_t j, Number& product) {
    product = 0;
    double size = 0;
    for (std::int64_t k = 0; k < a.rows; ++k) {
        product += std::conj(a(k, i)) * a(k, j);
        size += std::norm(a(k, j));
    }
    return size;
}

/// Columns i and j of a turned so that x = c x - s* e y, y = s e* x + c y zeroes what is between
/// them: app = |x|^2, aqq = |y|^2, apq = x^H y.
void turn(Matrix& a, std::int64_t i, std::int64_t j, double app, double aqq, Number apq) {
    const double size = std::abs(apq);
    const Number phase = apq / size;
    const double tau = (aqq - app) / (2 * size);
    const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::hypot(1, tau));
    const double c = 1 / std::hypot(1, t), s = c * t;
    for (std::int64_t k = 0; k < a.rows; ++k) {
        const Number x = a(k, i), y = a(k, j) * std::conj(phase);
        a(k, i) = c * x - s * y;
        a(k, j) = s * x + c * y;
    }
}

/// a becomes a V with orthogonal columns; V.
Matrix orthogonalise(Matrix& a) {
    const std::int64_t n = a.columns;
    Matrix both{a.rows + n, n};
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < a.rows; ++i) both(i, j) = a(i, j);
        both(a.rows + j, j) = 1;
    }
    for (int sweep = 0; sweep < 60; ++sweep) {
        bool has_turned = false;
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = i + 1; j < n; ++j) {
                Matrix pair{a.rows, 2};
                for (std::int64_t k = 0; k < a.rows; ++k) {
                    pair(k, 0) = both(k, i);
                    pair(k, 1) = both(k, j);
                }
                Number between, ignored;
                const double app = dot_real(pair, 0, 0, ignored);
                const double aqq = dot_real(pair, 0, 1, between);
                if (std::abs(between) <= 1e-16 * std::sqrt(app * aqq) || between == 0.0) continue;
                turn(both, i, j, app, aqq, between);
                has_turned = true;
            }
        if (!has_turned) break;
    }
    Matrix v{n, n};
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < a.rows; ++i) a(i, j) = both(i, j);
        for (std::int64_t i = 0; i < n; ++i) v(i, j) = both(a.rows + i, j);
    }
    return v;
}

/// Columns from `from` on replaced by ones orthogonal to all before: unit vectors made so.
void complete(Matrix& q, std::int64_t from) {
    std::int64_t next = 0;
    for (std::int64_t j = from; j < q.columns; ++j) {
        double size = 0;
        while (size < 1e-2) {
            for (std::int64_t i = 0; i < q.rows; ++i) q(i, j) = i == next % q.rows ? 1.0 : 0.0;
            ++next;
            for (int again = 0; again < 2; ++again)
                for (std::int64_t k = 0; k < j; ++k) {
                    Number along = 0;
                    for (std::int64_t i = 0; i < q.rows; ++i) along += std::conj(q(i, k)) * q(i, j);
                    for (std::int64_t i = 0; i < q.rows; ++i) q(i, j) -= along * q(i, k);
                }
            size = 0;
            for (std::int64_t i = 0; i < q.rows; ++i) size += std::norm(q(i, j));
        }
        for (std::int64_t i = 0; i < q.rows; ++i) q(i, j) /= std::sqrt(size);
    }
}

void factor_cholesky(int type, void* to, std::int64_t n, std::int64_t leading, int* info) {
    Matrix a{type, to, leading, n, n};
    *info = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        double rest = a(k, k).real();
        for (std::int64_t j = 0; j < k; ++j) rest -= std::norm(a(k, j));
        if (!(rest > 0)) {
            *info = static_cast<int>(k + 1);
            return;
        }
        a(k, k) = std::sqrt(rest);
        for (std::int64_t i = k + 1; i < n; ++i) {
            for (std::int64_t j = 0; j < k; ++j) a(i, k) -= a(i, j) * std::conj(a(k, j));
            a(i, k) /= a(k, k);
        }
    }
    a.write(type, to, leading);
}

} // namespace

extern "C" {

Status cusolverDnCreate(Handle* handle) {
    *handle = reinterpret_cast<Handle>(new char);
    return 0;
}
Status cusolverDnCreateParams(Parameters* made) {
    *made = reinterpret_cast<Parameters>(new char);
    return 0;
}
Status cusolverDnSetStream(Handle handle, CUstream) { return handle ? 0 : 1; }

Status cusolverDnXgetrf_bufferSize(Handle, Parameters, std::int64_t, std::int64_t, int, const void*,
                                   std::int64_t, int, std::size_t* device, std::size_t* host) {
    return ask(device, host);
}
Status cusolverDnXgetrf(Handle, Parameters, std::int64_t m, std::int64_t n, int type, void* to,
                        std::int64_t leading, std::int64_t* pivots, int, void* device,
                        std::size_t device_bytes, void* host, std::size_t host_bytes, int* info) {
    if (m != n || leading < m || !begin(device, device_bytes, host, host_bytes))
        return kInvalidValue;
    Matrix a{type, to, leading, m, n};
    *info = fake::factor_lu(a, pivots);
    a.write(type, to, leading);
    return 0;
}
Status cusolverDnXgetrs(Handle, Parameters, int operation, std::int64_t n, std::int64_t columns,
                        int type, const void* from, std::int64_t leading,
                        const std::int64_t* pivots, int b_type, void* to, std::int64_t b_leading,
                        int* info) {
    if (operation != kNormal || type != b_type || b_leading < n) return kInvalidValue;
    fake::wait_for_device();
    const Matrix a{type, from, leading, n, n};
    Matrix b{type, to, b_leading, n, columns};
    fake::solve_by_lu(a, pivots, b);
    b.write(type, to, b_leading);
    *info = 0;
    return 0;
}

Status cusolverDnXpotrf_bufferSize(Handle, Parameters, int, std::int64_t, int, const void*,
                                   std::int64_t, int, std::size_t* device, std::size_t* host) {
    return ask(device, host);
}
Status cusolverDnXpotrf(Handle, Parameters, int triangle, std::int64_t n, int type, void* to,
                        std::int64_t leading, int, void* device, std::size_t device_bytes,
                        void* host, std::size_t host_bytes, int* info) {
    if (triangle != kLower || !begin(device, device_bytes, host, host_bytes)) return kInvalidValue;
    factor_cholesky(type, to, n, leading, info);
    return 0;
}

Status cusolverDnXgeqrf_bufferSize(Handle, Parameters, std::int64_t, std::int64_t, int, const void*,
                                   std::int64_t, int, const void*, int, std::size_t* device,
                                   std::size_t* host) {
    return ask(device, host);
}
Status cusolverDnXgeqrf(Handle, Parameters, std::int64_t m, std::int64_t n, int type, void* to,
                        std::int64_t leading, int tau_type, void* tau, int, void* device,
                        std::size_t device_bytes, void* host, std::size_t host_bytes, int* info) {
    if (type != tau_type || leading < m || !begin(device, device_bytes, host, host_bytes))
        return kInvalidValue;
    Matrix a{type, to, leading, m, n};
    for (std::int64_t k = 0; k < std::min(m, n); ++k) {
        double below = 0;
        for (std::int64_t i = k + 1; i < m; ++i) below += std::norm(a(i, k));
        const Number alpha = a(k, k);
        if (below == 0 && alpha.imag() == 0) {
            fake::store(type, tau, k, 0);
            continue;
        }
        const double size = std::sqrt(std::norm(alpha) + below);
        const double beta = alpha.real() > 0 ? -size : size;
        const Number factor = (beta - alpha) / beta;
        fake::store(type, tau, k, factor);
        for (std::int64_t i = k + 1; i < m; ++i) a(i, k) /= alpha - beta;
        a(k, k) = beta;
        for (std::int64_t j = k + 1; j < n; ++j) { // H^H from the left
            Number along = a(k, j);
            for (std::int64_t i = k + 1; i < m; ++i) along += std::conj(a(i, k)) * a(i, j);
            along *= std::conj(factor);
            a(k, j) -= along;
            for (std::int64_t i = k + 1; i < m; ++i) a(i, j) -= along * a(i, k);
        }
    }
    a.write(type, to, leading);
    *info = 0;
    return 0;
}

Status cusolverDnXsyevd_bufferSize(Handle, Parameters, int, int, std::int64_t, int, const void*,
                                   std::int64_t, int, const void*, int, std::size_t* device,
                                   std::size_t* host) {
    return ask(device, host);
}
Status cusolverDnXsyevd(Handle, Parameters, int vectors, int triangle, std::int64_t n, int type,
                        void* to, std::int64_t leading, int value_type, void* values, int,
                        void* device, std::size_t device_bytes, void* host, std::size_t host_bytes,
                        int* info) {
    if (value_type != (type & 1) || !begin(device, device_bytes, host, host_bytes))
        return kInvalidValue;
    Matrix a{type, to, leading, n, n};
    double largest = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        a(j, j) = a(j, j).real();
        for (std::int64_t i = 0; i < j; ++i)
            if (triangle == kLower) a(i, j) = std::conj(a(j, i));
            else a(j, i) = std::conj(a(i, j));
    }
    for (const Number& each : a.values) largest = std::max(largest, std::abs(each));
    // Made definite by a shift, singular values are eigenvalues and right vectors eigenvectors.
    const double shift = 2 * static_cast<double>(n) * largest + 1;
    Matrix shifted = a;
    for (std::int64_t j = 0; j < n; ++j) shifted(j, j) += shift;
    const Matrix v = orthogonalise(shifted);
    std::vector<double> found(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k) { // v^H a v keeps the accuracy that the shift takes
        Number value = 0;
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) value += std::conj(v(i, k)) * a(i, j) * v(j, k);
        found[static_cast<std::size_t>(k)] = value.real();
    }
    std::vector<std::int64_t> order(found.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto x, auto y) {
        return found[static_cast<std::size_t>(x)] < found[static_cast<std::size_t>(y)];
    });
    Matrix sorted{n, n};
    for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t from = order[static_cast<std::size_t>(k)];
        fake::store(value_type, values, k, found[static_cast<std::size_t>(from)]);
        for (std::int64_t i = 0; i < n; ++i) sorted(i, k) = v(i, from);
    }
    if (vectors == kVectors) sorted.write(type, to, leading);
    *info = 0;
    return 0;
}

Status cusolverDnXgesvd_bufferSize(Handle, Parameters, signed char, signed char, std::int64_t,
                                   std::int64_t, int, const void*, std::int64_t, int, const void*,
                                   int, const void*, std::int64_t, int, const void*, std::int64_t,
                                   int, std::size_t* device, std::size_t* host) {
    return ask(device, host);
}
Status cusolverDnXgesvd(Handle, Parameters, signed char u_job, signed char vh_job, std::int64_t m,
                        std::int64_t n, int type, void* from, std::int64_t leading, int value_type,
                        void* values, int u_type, void* u, std::int64_t u_leading, int vh_type,
                        void* vh, std::int64_t vh_leading, int, void* device,
                        std::size_t device_bytes, void* host, std::size_t host_bytes, int* info) {
    if (m < n || u_job != vh_job || u_type != type || vh_type != type || value_type != (type & 1) ||
        u_leading < m || vh_leading < n || !begin(device, device_bytes, host, host_bytes))
        return kInvalidValue;
    Matrix a{type, from, leading, m, n};
    const Matrix v = orthogonalise(a);
    std::vector<double> sizes(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < m; ++i)
            sizes[static_cast<std::size_t>(j)] += std::norm(a(i, j));
        sizes[static_cast<std::size_t>(j)] = std::sqrt(sizes[static_cast<std::size_t>(j)]);
    }
    std::vector<std::int64_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto x, auto y) {
        return sizes[static_cast<std::size_t>(x)] > sizes[static_cast<std::size_t>(y)];
    });
    Matrix left{m, u_job == 'A' ? m : n}, right{n, n};
    std::int64_t sound = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t j = order[static_cast<std::size_t>(k)];
        const double size = sizes[static_cast<std::size_t>(j)];
        fake::store(value_type, values, k, size);
        for (std::int64_t i = 0; i < n; ++i) right(k, i) = std::conj(v(i, j));
        if (size <= 1e-14 * sizes[static_cast<std::size_t>(order[0])]) continue;
        for (std::int64_t i = 0; i < m; ++i) left(i, k) = a(i, j) / size;
        sound = k + 1;
    }
    complete(left, sound);
    if (u_job != 'N') {
        left.write(type, u, u_leading);
        right.write(type, vh, vh_leading);
    }
    *info = 0;
    return 0;
}

} // extern "C"

namespace {

Status jacobi(int type, int vectors, int economy, int m, int n, void* from, int leading,
              void* values, void* u, int u_leading, void* v, int v_leading, int* info) {
    if (m < n || leading < m || u_leading < m || v_leading < n || !u || !v) return kInvalidValue;
    fake::wait_for_device();
    Matrix left{m, economy ? n : m}, right{n, n}; // without vectors they are memory all the same
    left.write(type, u, u_leading);
    right.write(type, v, v_leading);
    const signed char job = vectors != kVectors ? 'N' : economy ? 'S' : 'A';
    std::vector<Number> vh(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    std::size_t device_bytes = 0, host_bytes = 0;
    ask(&device_bytes, &host_bytes);
    std::vector<char> device(device_bytes), host(host_bytes);
    const Status status = cusolverDnXgesvd(
        nullptr, nullptr, job, job, m, n, type, from, leading, type & 1, values, type, u, u_leading,
        type, vh.data(), n, type, device.data(), device_bytes, host.data(), host_bytes, info);
    if (status || job == 'N') return status;
    const Matrix found{type, vh.data(), n, n, n};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) right(i, j) = std::conj(found(j, i));
    right.write(type, v, v_leading);
    return 0;
}

struct Sweeps {
    int most = 0, sorted = 0;
    double tolerance = 0;
};
bool is_set(JacobiParameters given) {
    const auto* const sweeps = reinterpret_cast<const Sweeps*>(given);
    return sweeps && sweeps->most > 0 && sweeps->sorted == 1 && sweeps->tolerance > 0;
}

/// Eigenvalues of the first `m` rows and columns by shifted QR steps, which leave the last row
/// small, one after the other (Golub and Van Loan, 7.5).
std::vector<Number> eigenvalues(Matrix a) {
    std::vector<Number> found;
    double size = 0;
    for (const Number& each : a.values) size = std::max(size, std::abs(each));
    for (std::int64_t m = a.rows; m > 0; --m) {
        for (int step = 0; step < 500 && m > 1; ++step) {
            double rest = 0;
            for (std::int64_t j = 0; j + 1 < m; ++j) rest += std::abs(a(m - 1, j));
            if (rest <= 1e-15 * size) break;
            const Number p = a(m - 2, m - 2), q = a(m - 1, m - 1);
            const Number half = (p - q) / 2.0,
                         root = std::sqrt(half * half + a(m - 2, m - 1) * a(m - 1, m - 2));
            const Number near = q + half, one = near + root, other = near - root;
            // Not quite: what is left may not be singular.
            const Number shift = (std::abs(one - q) < std::abs(other - q) ? one : other) +
                                 (step % 10 == 9 ? 0.1 : 1e-9) * size;
            Matrix orthogonal{m, m}, r{m, m};
            for (std::int64_t j = 0; j < m; ++j) {
                for (std::int64_t i = 0; i < m; ++i)
                    orthogonal(i, j) = a(i, j) - (i == j ? shift : Number{0});
                for (int again = 0; again < 2; ++again)
                    for (std::int64_t k = 0; k < j; ++k) {
                        Number along = 0;
                        for (std::int64_t i = 0; i < m; ++i)
                            along += std::conj(orthogonal(i, k)) * orthogonal(i, j);
                        for (std::int64_t i = 0; i < m; ++i)
                            orthogonal(i, j) -= along * orthogonal(i, k);
                        r(k, j) += along;
                    }
                double length = 0;
                for (std::int64_t i = 0; i < m; ++i) length += std::norm(orthogonal(i, j));
                r(j, j) = std::sqrt(length);
                for (std::int64_t i = 0; i < m; ++i) orthogonal(i, j) /= std::sqrt(length);
            }
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < m; ++j) {
                    a(i, j) = i == j ? shift : Number{0};
                    for (std::int64_t k = 0; k < m; ++k) a(i, j) += r(i, k) * orthogonal(k, j);
                }
        }
        found.push_back(a(m - 1, m - 1));
    }
    return found;
}

/// Of `a` for an eigenvalue: two steps of inverse iteration.
std::vector<Number> eigenvector(const Matrix& a, Number value) {
    const std::int64_t n = a.rows;
    Matrix shifted = a, x{n, 1};
    for (std::int64_t i = 0; i < n; ++i) {
        shifted(i, i) -= value + (std::abs(value) + 1) * 1e-12;
        x(i, 0) = 1.0 + 0.1 * static_cast<double>(i);
    }
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    fake::factor_lu(shifted, pivots.data());
    for (int step = 0; step < 3; ++step) {
        fake::solve_by_lu(shifted, pivots.data(), x);
        double length = 0;
        Number largest = 0;
        for (const Number& each : x.values) {
            length += std::norm(each);
            if (std::abs(each) > std::abs(largest)) largest = each;
        }
        const Number unit = std::sqrt(length) * largest / std::abs(largest);
        for (Number& each : x.values) each /= unit;
    }
    return x.values;
}

} // namespace

extern "C" {

Status cusolverDnCreateGesvdjInfo(JacobiParameters* made) {
    *made = reinterpret_cast<JacobiParameters>(new Sweeps);
    return 0;
}
Status cusolverDnDestroyGesvdjInfo(JacobiParameters given) {
    delete reinterpret_cast<Sweeps*>(given);
    return 0;
}
Status cusolverDnXgesvdjSetTolerance(JacobiParameters given, double tolerance) {
    reinterpret_cast<Sweeps*>(given)->tolerance = tolerance;
    return 0;
}
Status cusolverDnXgesvdjSetMaxSweeps(JacobiParameters given, int most) {
    reinterpret_cast<Sweeps*>(given)->most = most;
    return 0;
}
Status cusolverDnXgesvdjSetSortEig(JacobiParameters given, int sorted) {
    reinterpret_cast<Sweeps*>(given)->sorted = sorted;
    return 0;
}

Status cusolverDnXgeev_bufferSize(Handle, Parameters, int, int, std::int64_t, int, const void*,
                                  std::int64_t, int, const void*, int, const void*, std::int64_t,
                                  int, const void*, std::int64_t, int, std::size_t* device,
                                  std::size_t* host) {
    return ask(device, host);
}
Status cusolverDnXgeev(Handle, Parameters, int left, int right, std::int64_t n, int type,
                       void* from, std::int64_t leading, int value_type, void* values, int, void*,
                       std::int64_t left_leading, int right_type, void* vectors,
                       std::int64_t right_leading, int compute, void* device,
                       std::size_t device_bytes, void* host, std::size_t host_bytes, int* info) {
    if (left != kNoVectors || value_type != (type | 4) || right_type != type || compute != type ||
        left_leading < n || right_leading < n || (right == kVectors) != (vectors != nullptr) ||
        !begin(device, device_bytes, host, host_bytes))
        return kInvalidValue;
    const Matrix a{type, from, leading, n, n};
    std::vector<Number> found = eigenvalues(a);
    Matrix made{n, n};
    for (std::int64_t k = 0; k < n; ++k) {
        auto* const at = &found[static_cast<std::size_t>(k)];
        const bool is_real = std::abs(at->imag()) <= 1e-7 * std::abs(*at);
        if (type < 4 && is_real) *at = at->real();
        std::vector<Number> x = eigenvector(a, *at);
        for (std::int64_t i = 0; i < n; ++i) made(i, k) = x[static_cast<std::size_t>(i)];
        if (type >= 4 || is_real) continue;
        // A pair: the positive imaginary part first, its partner's vector as the imaginary parts.
        std::iter_swap(std::min_element(at + 1, found.data() + n,
                                        [&](Number p, Number q) {
                                            return std::abs(p - std::conj(*at)) <
                                                   std::abs(q - std::conj(*at));
                                        }),
                       at + 1);
        if (at->imag() < 0) *at = std::conj(*at);
        at[1] = std::conj(*at);
        x = eigenvector(a, *at);
        for (std::int64_t i = 0; i < n; ++i) {
            made(i, k) = x[static_cast<std::size_t>(i)].real();
            made(i, k + 1) = x[static_cast<std::size_t>(i)].imag();
        }
        ++k;
    }
    for (std::int64_t k = 0; k < n; ++k)
        fake::store(value_type, values, k, found[static_cast<std::size_t>(k)]);
    if (vectors) made.write(type, vectors, right_leading);
    *info = 0;
    return 0;
}

} // extern "C"

#define FAKE_JACOBI(name, type)                                                                    \
    extern "C" Status name##_bufferSize(Handle, int, int, int, int, const void*, int, const void*, \
                                        const void*, int, const void*, int, int* elements,         \
                                        JacobiParameters given) {                                  \
        *elements = 4;                                                                             \
        return is_set(given) ? 0 : kInvalidValue;                                                  \
    }                                                                                              \
    extern "C" Status name(Handle, int vectors, int economy, int m, int n, void* a, int leading,   \
                           void* values, void* u, int u_leading, void* v, int v_leading,           \
                           void* work, int elements, int* info, JacobiParameters given) {          \
        if (!work || elements < 4 || !is_set(given)) return kInvalidValue;                         \
        return jacobi(type, vectors, economy, m, n, a, leading, values, u, u_leading, v,           \
                      v_leading, info);                                                            \
    }                                                                                              \
    extern "C" Status name##Batched_bufferSize(Handle, int, int, int, const void*, int,            \
                                               const void*, const void*, int, const void*, int,    \
                                               int* elements, JacobiParameters given, int) {       \
        *elements = 4;                                                                             \
        return is_set(given) ? 0 : kInvalidValue;                                                  \
    }                                                                                              \
    extern "C" Status name##Batched(Handle, int vectors, int m, int n, void* a, int leading,       \
                                    void* values, void* u, int u_leading, void* v, int v_leading,  \
                                    void* work, int elements, int* info, JacobiParameters given,   \
                                    int count) {                                                   \
        if (!work || elements < 4 || m > 32 || u_leading != m || !is_set(given))                   \
            return kInvalidValue;                                                                  \
        const auto at = [](void* from, int of, std::int64_t index) {                               \
            const int bytes = of == 0 ? 4 : of == 5 ? 16 : 8;                                      \
            return static_cast<void*>(static_cast<char*>(from) + index * bytes);                   \
        };                                                                                         \
        for (int i = 0; i < count; ++i)                                                            \
            if (const Status status =                                                              \
                    jacobi(type, vectors, 0, m, n, at(a, type, i * leading * n), leading,          \
                           at(values, type & 1, i * n), at(u, type, i * m * m), m,                 \
                           at(v, type, i * n * n), v_leading, info + i))                           \
                return status;                                                                     \
        return 0;                                                                                  \
    }
FAKE_JACOBI(cusolverDnSgesvdj, 0)
FAKE_JACOBI(cusolverDnDgesvdj, 1)
FAKE_JACOBI(cusolverDnCgesvdj, 4)
FAKE_JACOBI(cusolverDnZgesvdj, 5)

namespace {

Status expand(int type, int m, int n, int k, void* to, int leading, const void* tau, void* work,
              int elements, int* info) {
    fake::wait_for_device();
    if (n > m || k > n || !work || elements < 1) return kInvalidValue;
    const Matrix reflectors{type, to, leading, m, k};
    Matrix q{m, n};
    for (int j = 0; j < n; ++j) q(j, j) = 1;
    for (int step = k; step-- > 0;)
        for (int j = 0; j < n; ++j) {
            Number along = q(step, j);
            for (int i = step + 1; i < m; ++i) along += std::conj(reflectors(i, step)) * q(i, j);
            along *= fake::load(type, tau, step);
            q(step, j) -= along;
            for (int i = step + 1; i < m; ++i) q(i, j) -= along * reflectors(i, step);
        }
    q.write(type, to, leading);
    *info = 0;
    return 0;
}

} // namespace

#define FAKE_Q(name, type)                                                                         \
    extern "C" Status name##_bufferSize(Handle, int, int, int, const void*, int, const void*,      \
                                        int* elements) {                                           \
        *elements = 4;                                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    extern "C" Status name(Handle, int m, int n, int k, void* a, int leading, const void* tau,     \
                           void* work, int elements, int* info) {                                  \
        return expand(type, m, n, k, a, leading, tau, work, elements, info);                       \
    }
FAKE_Q(cusolverDnSorgqr, 0)
FAKE_Q(cusolverDnDorgqr, 1)
FAKE_Q(cusolverDnCungqr, 4)
FAKE_Q(cusolverDnZungqr, 5)

#define FAKE_CHOLESKY(name, type)                                                                  \
    extern "C" Status name(Handle, int triangle, int n, void** matrices, int leading, int* info,   \
                           int count) {                                                            \
        if (triangle != kLower || leading < n) return kInvalidValue;                               \
        fake::wait_for_device();                                                                   \
        for (int i = 0; i < count; ++i) factor_cholesky(type, matrices[i], n, leading, info + i);  \
        return 0;                                                                                  \
    }
FAKE_CHOLESKY(cusolverDnSpotrfBatched, 0)
FAKE_CHOLESKY(cusolverDnDpotrfBatched, 1)
FAKE_CHOLESKY(cusolverDnCpotrfBatched, 4)
FAKE_CHOLESKY(cusolverDnZpotrfBatched, 5)

extern "C" Status cusolverDnXsyevBatched_bufferSize(Handle, Parameters, int, int, std::int64_t, int,
                                                    const void*, std::int64_t, int, const void*,
                                                    int, std::size_t* device, std::size_t* host,
                                                    std::int64_t) {
    return ask(device, host);
}
extern "C" Status cusolverDnXsyevBatched(Handle handle, Parameters parameters, int vectors,
                                         int triangle, std::int64_t n, int type, void* to,
                                         std::int64_t leading, int value_type, void* values,
                                         int compute, void* device, std::size_t device_bytes,
                                         void* host, std::size_t host_bytes, int* info,
                                         std::int64_t count) {
    const auto bytes = [](int of) { return of == 0 ? 4 : of == 5 ? 16 : 8; };
    for (std::int64_t i = 0; i < count; ++i)
        if (const Status status =
                cusolverDnXsyevd(handle, parameters, vectors, triangle, n, type,
                                 static_cast<char*>(to) + i * n * leading * bytes(type), leading,
                                 value_type, static_cast<char*>(values) + i * n * bytes(value_type),
                                 compute, device, device_bytes, host, host_bytes, info + i))
            return status;
    return 0;
}
