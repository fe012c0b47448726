// SPDX-License-Identifier: MIT
// For libraries that stand in for NVIDIA's in tests: they compute on the host, in the memory of the
// software device, as naively as can be, and share no code with what they test.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace fake {

using Number = std::complex<double>;

/// Work issued before must be done: the real library would come after it on its stream.
inline void wait_for_device() {
    using Synchronize = int();
    static Synchronize* const synchronize = [] {
        const char* path = nullptr;
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* found) {
                if (std::string_view{info->dlpi_name}.ends_with("liblathe_soft.so"))
                    *static_cast<const char**>(found) = info->dlpi_name;
                return 0;
            },
            &path);
        void* const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
        return library ? reinterpret_cast<Synchronize*>(dlsym(library, "cuCtxSynchronize"))
                       : nullptr;
    }();
    if (synchronize) synchronize();
}

// cudaDataType: 0 float, 1 double, 2 half, 4 and 5 complex.
inline Number load(int type, const void* from, std::int64_t index) {
    switch (type) {
    case 0: return static_cast<const float*>(from)[index];
    case 1: return static_cast<const double*>(from)[index];
    case 2: return static_cast<double>(static_cast<const _Float16*>(from)[index]);
    case 4: return static_cast<const std::complex<float>*>(from)[index];
    default: return static_cast<const std::complex<double>*>(from)[index];
    }
}

inline void store(int type, void* to, std::int64_t index, Number value) {
    switch (type) {
    case 0: static_cast<float*>(to)[index] = static_cast<float>(value.real()); break;
    case 1: static_cast<double*>(to)[index] = value.real(); break;
    case 2: static_cast<_Float16*>(to)[index] = static_cast<_Float16>(value.real()); break;
    case 4: static_cast<std::complex<float>*>(to)[index] = std::complex<float>{value}; break;
    default: static_cast<std::complex<double>*>(to)[index] = value;
    }
}

/// A matrix by columns.
struct Matrix {
    Matrix(std::int64_t m, std::int64_t n)
        : rows{m}, columns{n}, values(static_cast<std::size_t>(m * n)) {}
    Matrix(int type, const void* from, std::int64_t leading, std::int64_t m, std::int64_t n)
        : Matrix{m, n} {
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) (*this)(i, j) = load(type, from, i + j * leading);
    }
    void write(int type, void* to, std::int64_t leading) const {
        for (std::int64_t j = 0; j < columns; ++j)
            for (std::int64_t i = 0; i < rows; ++i) store(type, to, i + j * leading, (*this)(i, j));
    }
    Number& operator()(std::int64_t i, std::int64_t j) {
        return values[static_cast<std::size_t>(i + j * rows)];
    }
    const Number& operator()(std::int64_t i, std::int64_t j) const {
        return values[static_cast<std::size_t>(i + j * rows)];
    }
    std::int64_t rows, columns;
    std::vector<Number> values;
};

/// L and U with partial pivoting, pivots from 1 on; the first column without one, or 0.
template <class Pivot> int factor_lu(Matrix& a, Pivot* pivots) {
    int info = 0;
    const std::int64_t n = a.columns;
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t largest = k;
        for (std::int64_t i = k; i < n; ++i)
            if (std::abs(a(i, k)) > std::abs(a(largest, k))) largest = i;
        pivots[k] = static_cast<Pivot>(largest + 1);
        for (std::int64_t j = 0; j < n; ++j) std::swap(a(k, j), a(largest, j));
        if (a(k, k) == 0.0) {
            if (info == 0) info = static_cast<int>(k + 1);
            continue;
        }
        for (std::int64_t i = k + 1; i < n; ++i) {
            a(i, k) /= a(k, k);
            for (std::int64_t j = k + 1; j < n; ++j) a(i, j) -= a(i, k) * a(k, j);
        }
    }
    return info;
}

template <class Pivot> void solve_by_lu(const Matrix& a, const Pivot* pivots, Matrix& b) {
    const std::int64_t n = a.columns, columns = b.columns;
    for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t k = 0; k < n; ++k) std::swap(b(k, j), b(pivots[k] - 1, j));
        for (std::int64_t k = 0; k < n; ++k)
            for (std::int64_t i = k + 1; i < n; ++i) b(i, j) -= a(i, k) * b(k, j);
        for (std::int64_t k = n; k-- > 0;) {
            b(k, j) /= a(k, k);
            for (std::int64_t i = 0; i < k; ++i) b(i, j) -= a(i, k) * b(k, j);
        }
    }
}

} // namespace fake
