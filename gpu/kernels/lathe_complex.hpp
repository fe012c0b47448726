// SPDX-License-Identifier: MIT
// Functions of complex numbers for the kernels of array operations: those that pycuda-complex.hpp
// does not have, and those that it has with the values of C's Annex G (G.6) for zeros, infinities
// and NaN, which NumPy and the Python array API standard have, too. Where C leaves a sign open it
// is +.
#pragma once

#include <pycuda-complex.hpp>

namespace lathe {

template <class T> __device__ __forceinline__ T infinite() { return T(1) / T(0); }
template <class T> __device__ __forceinline__ T not_a_number() { return T(0) / T(0); }

// --- 1 / z, as NumPy has it: of 0 no part is a number, though 1 divided by 0 is infinite.

template <class T>
__device__ __forceinline__ pycuda::complex<T> reciprocal(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    if (::fabs(z.imag()) <= ::fabs(z.real())) {
        const T ratio = z.imag() / z.real(), whole = z.real() + z.imag() * ratio;
        return Z(T(1) / whole, -ratio / whole);
    }
    const T ratio = z.real() / z.imag(), whole = z.real() * ratio + z.imag();
    return Z(ratio / whole, T(-1) / whole);
}

// --- Exponential and hyperbolic functions: real numbers keep the imaginary part's zero.

template <class T> __device__ pycuda::complex<T> exp(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (y == T(0)) return Z(::exp(x), y);
    if (::isinf(x) && !::isfinite(y)) return x < T(0) ? Z(T(0), T(0)) : Z(x, not_a_number<T>());
    return pycuda::exp(z);
}
template <class T> __device__ pycuda::complex<T> expm1(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (y == T(0)) return Z(::expm1(x), y);
    if (::isinf(x) && !::isfinite(y)) return x < T(0) ? Z(T(-1), T(0)) : Z(x, not_a_number<T>());
    const T half_sine = ::sin(y / 2), grown = ::expm1(x);
    return Z(grown * ::cos(y) - 2 * half_sine * half_sine, (grown + 1) * ::sin(y));
}
template <class T> __device__ pycuda::complex<T> sinh(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (y == T(0)) return Z(::sinh(x), y);
    if (!::isfinite(y) && (x == T(0) || ::isinf(x))) return Z(x, not_a_number<T>());
    return pycuda::sinh(z);
}
template <class T> __device__ pycuda::complex<T> cosh(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (y == T(0)) return Z(::cosh(x), ::copysign(T(1), x) * y);
    if (x == T(0) && !::isfinite(y)) return Z(not_a_number<T>(), T(0));
    if (::isinf(x) && !::isfinite(y)) return Z(infinite<T>(), not_a_number<T>());
    return pycuda::cosh(z);
}
template <class T> __device__ pycuda::complex<T> tanh(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (y == T(0)) return Z(::tanh(x), y);
    if (!::isfinite(y)) {
        if (x == T(0)) return Z(x, not_a_number<T>());
        return ::isinf(x) ? Z(::copysign(T(1), x), T(0)) : Z(not_a_number<T>(), not_a_number<T>());
    }
    return pycuda::tanh(z);
}
// sin(z) is -i sinh(iz), cos(z) cosh(iz), tan(z) -i tanh(iz).
template <class T> __device__ pycuda::complex<T> sin(const pycuda::complex<T>& z) {
    const pycuda::complex<T> turned = lathe::sinh(pycuda::complex<T>(-z.imag(), z.real()));
    return pycuda::complex<T>(turned.imag(), -turned.real());
}
template <class T> __device__ pycuda::complex<T> cos(const pycuda::complex<T>& z) {
    return lathe::cosh(pycuda::complex<T>(-z.imag(), z.real()));
}
template <class T> __device__ pycuda::complex<T> tan(const pycuda::complex<T>& z) {
    const pycuda::complex<T> turned = lathe::tanh(pycuda::complex<T>(-z.imag(), z.real()));
    return pycuda::complex<T>(turned.imag(), -turned.real());
}

template <class T> __device__ pycuda::complex<T> log1p(const pycuda::complex<T>& z) {
    const T x = z.real(), y = z.imag();
    return pycuda::complex<T>(::fabs(x) < T(0.5) && ::fabs(y) < T(0.5)
                                  ? ::log1p(x * (2 + x) + y * y) / 2
                                  : ::log(::hypot(1 + x, y)),
                              ::atan2(y, 1 + x));
}

// --- Inverse functions. W. Kahan, "Branch cuts for complex elementary functions", 1987: by square
// roots of 1 - z and 1 + z. At infinity the angle is that of the infinite parts.

template <class T> __device__ __forceinline__ bool at_infinity(const pycuda::complex<T>& z) {
    return ::isinf(z.real()) || ::isinf(z.imag());
}
template <class T> __device__ pycuda::complex<T> arcsin(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (at_infinity(z))
        return Z(::copysign(::atan2(::fabs(x), ::fabs(y)), x), ::copysign(infinite<T>(), y));
    if (x == T(0) && ::isnan(y)) return z;
    const Z down = sqrt(Z(1 - x, -y)), up = sqrt(Z(1 + x, y));
    return Z(::atan2(x, (down * up).real()), ::asinh((conj(down) * up).imag()));
}
template <class T> __device__ pycuda::complex<T> arccos(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (at_infinity(z)) return Z(::atan2(::fabs(y), x), ::copysign(infinite<T>(), -y));
    if (x == T(0) && ::isnan(y)) return Z(T(1.57079632679489661923), y);
    const Z down = sqrt(Z(1 - x, -y)), up = sqrt(Z(1 + x, y));
    return Z(2 * ::atan2(down.real(), up.real()), ::asinh((conj(up) * down).imag()));
}
template <class T> __device__ pycuda::complex<T> arccosh(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (at_infinity(z)) return Z(infinite<T>(), ::copysign(::atan2(::fabs(y), x), y));
    if (x == T(0) && ::isnan(y)) return Z(y, T(1.57079632679489661923));
    const Z down = sqrt(Z(x - 1, y)), up = sqrt(Z(x + 1, y));
    return Z(::asinh((conj(down) * up).real()), 2 * ::atan2(down.imag(), up.real()));
}
template <class T> __device__ pycuda::complex<T> arcsinh(const pycuda::complex<T>& z) {
    if (::isnan(z.real()) && z.imag() == T(0)) return z;
    const pycuda::complex<T> turned = arcsin(pycuda::complex<T>(-z.imag(), z.real()));
    return pycuda::complex<T>(turned.imag(), -turned.real());
}
template <class T> __device__ pycuda::complex<T> arctanh(const pycuda::complex<T>& z) {
    typedef pycuda::complex<T> Z;
    const T x = z.real(), y = z.imag();
    if (at_infinity(z))
        return Z(::copysign(T(0), x), ::isnan(y) ? y : ::copysign(T(1.57079632679489661923), y));
    if (x == T(0) && ::isnan(y)) return z;
    return Z(
        ::copysign(::log1p(4 * ::fabs(x) / ((1 - ::fabs(x)) * (1 - ::fabs(x)) + y * y)) / 4, x),
        ::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2);
}
template <class T> __device__ pycuda::complex<T> arctan(const pycuda::complex<T>& z) {
    const pycuda::complex<T> turned = arctanh(pycuda::complex<T>(-z.imag(), z.real()));
    return pycuda::complex<T>(turned.imag(), -turned.real());
}

} // namespace lathe
