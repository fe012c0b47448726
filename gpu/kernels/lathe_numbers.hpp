// SPDX-License-Identifier: MIT
// Arithmetic as NumPy defines it, for the kernels of array operations: casts, integer division that
// rounds down, powers, shifts of any width, orders of numbers of different signs.
#pragma once

namespace pycuda {
template <class T> struct complex;
}

namespace lathe {

// --- Casts. To bool: whether it is not zero; complex to real: the real part.

template <class To, class From> struct Cast {
    static __device__ __forceinline__ To of(const From& x) { return static_cast<To>(x); }
};
template <class T> struct Cast<T, T> {
    static __device__ __forceinline__ T of(const T& x) { return x; }
};
template <class From> struct Cast<bool, From> {
    static __device__ __forceinline__ bool of(const From& x) { return x != From(0); }
};
template <> struct Cast<bool, bool> {
    static __device__ __forceinline__ bool of(bool x) { return x; }
};
template <class To, class T> struct Cast<To, pycuda::complex<T>> {
    static __device__ __forceinline__ To of(const pycuda::complex<T>& z) {
        return Cast<To, T>::of(z.real());
    }
};
template <class T, class U> struct Cast<pycuda::complex<T>, pycuda::complex<U>> {
    static __device__ __forceinline__ pycuda::complex<T> of(const pycuda::complex<U>& z) {
        return pycuda::complex<T>(T(z.real()), T(z.imag()));
    }
};
template <class T> struct Cast<pycuda::complex<T>, pycuda::complex<T>> {
    static __device__ __forceinline__ pycuda::complex<T> of(const pycuda::complex<T>& z) {
        return z;
    }
};
template <class T, class From> struct Cast<pycuda::complex<T>, From> {
    static __device__ __forceinline__ pycuda::complex<T> of(const From& x) {
        return pycuda::complex<T>(T(x));
    }
};
template <class T> struct Cast<bool, pycuda::complex<T>> {
    static __device__ __forceinline__ bool of(const pycuda::complex<T>& z) {
        return z.real() != T(0) || z.imag() != T(0);
    }
};

template <class To, class From> __device__ __forceinline__ To cast(const From& x) {
    return Cast<To, From>::of(x);
}
template <class T> __device__ __forceinline__ bool truth(const T& x) {
    return Cast<bool, T>::of(x);
}

// --- Signed integers wrap around; in C++ they must not overflow.

__device__ __forceinline__ int wrap_add(int a, int b) { return int(unsigned(a) + unsigned(b)); }
__device__ __forceinline__ int wrap_subtract(int a, int b) {
    return int(unsigned(a) - unsigned(b));
}
__device__ __forceinline__ int wrap_multiply(int a, int b) {
    return int(unsigned(a) * unsigned(b));
}
typedef unsigned long long wide;
__device__ __forceinline__ long long wrap_add(long long a, long long b) {
    return (long long)(wide(a) + wide(b));
}
__device__ __forceinline__ long long wrap_subtract(long long a, long long b) {
    return (long long)(wide(a) - wide(b));
}
__device__ __forceinline__ long long wrap_multiply(long long a, long long b) {
    return (long long)(wide(a) * wide(b));
}

__device__ __forceinline__ unsigned wrap_subtract(unsigned a, unsigned b) { return a - b; }
__device__ __forceinline__ wide wrap_subtract(wide a, wide b) { return a - b; }

// --- Division that rounds down; by zero it gives 0 for integers, as NumPy's.

template <class T> __device__ __forceinline__ T floor_divide(T a, T b) {
    if (b == 0) return 0;
    if (T(-1) < 0 && b == T(-1)) return wrap_subtract(T(0), a);
    const T q = a / b;
    return q - T((a % b != 0) && ((a < 0) != (b < 0)));
}
template <class T> __device__ __forceinline__ T remainder(T a, T b) {
    if (b == 0 || (T(-1) < 0 && b == T(-1))) return 0;
    const T r = a % b;
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
template <class T> __device__ __forceinline__ T truncated_remainder(T a, T b) {
    return b == 0 || (T(-1) < 0 && b == T(-1)) ? T(0) : a % b;
}

template <class T> __device__ __forceinline__ T float_remainder(T a, T b) {
    const T r = ::fmod(a, b);
    if (b == 0 || r == 0) return b == 0 ? r : ::copysign(T(0), b);
    return (r < 0) != (b < 0) ? r + b : r;
}
// The quotient by way of the remainder, so that both fit each other.
template <class T> __device__ __forceinline__ T float_floor_divide(T a, T b) {
    if (b == 0) return a / b;
    const T r = ::fmod(a, b);
    T q = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    if (q == 0) return ::copysign(T(0), a / b);
    const T near = ::floor(q);
    return q - near > T(0.5) ? near + 1 : near;
}
__device__ __forceinline__ float remainder(float a, float b) { return float_remainder(a, b); }
__device__ __forceinline__ double remainder(double a, double b) { return float_remainder(a, b); }
__device__ __forceinline__ float floor_divide(float a, float b) { return float_floor_divide(a, b); }
__device__ __forceinline__ double floor_divide(double a, double b) {
    return float_floor_divide(a, b);
}
__device__ __forceinline__ float truncated_remainder(float a, float b) { return ::fmodf(a, b); }
__device__ __forceinline__ double truncated_remainder(double a, double b) { return ::fmod(a, b); }
template <class T> __device__ __forceinline__ T whole_reciprocal(T a) {
    return a == 0 ? T(0) : T(1) / a;
}

// --- Powers; of integers by squaring, negative exponents give what 1 / x rounds to.

template <class T> __device__ T integer_power(T a, T b) {
    if (b < 0) return a == 1 ? T(1) : a == T(-1) ? (b & 1 ? T(-1) : T(1)) : T(0);
    wide result = 1, base = wide(a);
    for (wide left = wide(b); left; left >>= 1) {
        if (left & 1) result *= base;
        base *= base;
    }
    return T(result);
}
__device__ __forceinline__ int power(int a, int b) { return integer_power(a, b); }
__device__ __forceinline__ unsigned power(unsigned a, unsigned b) { return integer_power(a, b); }
__device__ __forceinline__ long long power(long long a, long long b) { return integer_power(a, b); }
__device__ __forceinline__ wide power(wide a, wide b) { return integer_power(a, b); }
__device__ __forceinline__ float power(float a, float b) { return ::powf(a, b); }
__device__ __forceinline__ double power(double a, double b) { return ::pow(a, b); }
template <class T>
__device__ pycuda::complex<T> power(const pycuda::complex<T>& a, const pycuda::complex<T>& b) {
    typedef pycuda::complex<T> Z;
    if (b.real() == T(0) && b.imag() == T(0)) return Z(T(1));
    if (a.real() == T(0) && a.imag() == T(0)) {
        const T nothing = b.real() > T(0) ? T(0) : T(0) / T(0);
        return Z(nothing, nothing);
    }
    const int whole = int(b.real());
    if (b.imag() == T(0) && T(whole) == b.real() && whole > -100 &&
        whole < 100) { // exact as products are
        Z result(T(1)), base = a;
        for (int left = whole < 0 ? -whole : whole; left; left >>= 1) {
            if (left & 1) result = result * base;
            base = base * base;
        }
        return whole < 0 ? Z(T(1)) / result : result;
    }
    return exp(b * log(a));
}

template <class T> __device__ __forceinline__ T absolute(T a) {
    return a < 0 ? wrap_subtract(T(0), a) : a;
}
template <class T> __device__ T gcd(T a, T b) {
    a = absolute(a);
    b = absolute(b);
    while (b != 0) {
        const T r = a % b;
        a = b;
        b = r;
    }
    return a;
}
template <class T> __device__ T lcm(T a, T b) {
    const T divisor = gcd(a, b);
    return divisor == 0 ? T(0) : T(wide(absolute(a) / divisor) * wide(absolute(b)));
}

// --- Shifts by `bits` or more give 0, or -1 for negative numbers to the right.

template <class T> __device__ __forceinline__ T left_shift(T a, T b, int bits) {
    return wide(b) < wide(bits) ? T(wide(a) << wide(b)) : T(0);
}
template <class T> __device__ __forceinline__ T right_shift(T a, T b, int bits) {
    return wide(b) < wide(bits) ? a >> b : (a < 0 ? T(-1) : T(0));
}
template <class T> __device__ __forceinline__ int to_int(T x) {
    return x > T(2147483647)                             ? 2147483647
           : T(-1) < 0 && (long long)(x) < -2147483647LL ? -2147483647
                                                         : int(x);
}

// --- Orders

__device__ __forceinline__ bool equal(long long a, wide b) { return a >= 0 && wide(a) == b; }
__device__ __forceinline__ bool equal(wide a, long long b) { return equal(b, a); }
__device__ __forceinline__ bool less(long long a, wide b) { return a < 0 || wide(a) < b; }
__device__ __forceinline__ bool less(wide a, long long b) { return b >= 0 && a < wide(b); }
__device__ __forceinline__ bool less_equal(long long a, wide b) { return a < 0 || wide(a) <= b; }
__device__ __forceinline__ bool less_equal(wide a, long long b) { return b >= 0 && a <= wide(b); }

// Complex numbers: by the real parts, then by the imaginary ones. NaN is in no order, and wins.
template <class T>
__device__ __forceinline__ bool equal(const pycuda::complex<T>& a, const pycuda::complex<T>& b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <class T> __device__ __forceinline__ bool is_nan(const pycuda::complex<T>& z) {
    return z.real() != z.real() || z.imag() != z.imag();
}
template <class T>
__device__ __forceinline__ bool less(const pycuda::complex<T>& a, const pycuda::complex<T>& b) {
    if (a.real() == b.real()) return a.imag() < b.imag();
    return a.real() < b.real() && a.imag() == a.imag() && b.imag() == b.imag();
}
template <class T>
__device__ __forceinline__ bool less_equal(const pycuda::complex<T>& a,
                                           const pycuda::complex<T>& b) {
    if (a.real() == b.real()) return a.imag() <= b.imag();
    return less(a, b);
}
template <class T>
__device__ __forceinline__ pycuda::complex<T> maximum(const pycuda::complex<T>& a,
                                                      const pycuda::complex<T>& b) {
    return is_nan(a) || less_equal(b, a) ? a : b;
}
template <class T>
__device__ __forceinline__ pycuda::complex<T> minimum(const pycuda::complex<T>& a,
                                                      const pycuda::complex<T>& b) {
    return is_nan(a) || less_equal(a, b) ? a : b;
}
template <class T>
__device__ __forceinline__ pycuda::complex<T> fmax(const pycuda::complex<T>& a,
                                                   const pycuda::complex<T>& b) {
    return is_nan(b) || less_equal(b, a) ? a : b;
}
template <class T>
__device__ __forceinline__ pycuda::complex<T> fmin(const pycuda::complex<T>& a,
                                                   const pycuda::complex<T>& b) {
    return is_nan(b) || less_equal(a, b) ? a : b;
}

// --- Floating-point numbers

template <class T> __device__ __forceinline__ bool is_finite(T x) { return ::isfinite(x); }
template <class T> __device__ __forceinline__ bool is_infinite(T x) { return ::isinf(x); }
template <class T> __device__ __forceinline__ bool is_finite(const pycuda::complex<T>& z) {
    return ::isfinite(z.real()) && ::isfinite(z.imag());
}
template <class T> __device__ __forceinline__ bool is_infinite(const pycuda::complex<T>& z) {
    return ::isinf(z.real()) || ::isinf(z.imag());
}

__device__ __forceinline__ float next_after(float a, float b) { return ::nextafterf(a, b); }
__device__ __forceinline__ double next_after(double a, double b) { return ::nextafter(a, b); }
__device__ __forceinline__ float spacing(float a) {
    return ::isinf(a)
               ? a - a
               : ::copysignf(::nextafterf(::fabsf(a), __int_as_float(0x7f800000)) - ::fabsf(a), a);
}
__device__ __forceinline__ double spacing(double a) {
    return ::isinf(a)
               ? a - a
               : ::copysign(::nextafter(::fabs(a), __longlong_as_double(0x7ff0000000000000LL)) -
                                ::fabs(a),
                            a);
}

// --- Of complex numbers; their functions are in lathe_complex.hpp

template <class T> __device__ __forceinline__ T modulus(const pycuda::complex<T>& z) {
    return ::hypot(z.real(), z.imag());
}
template <class T> __device__ __forceinline__ pycuda::complex<T> sign(const pycuda::complex<T>& z) {
    const T size = modulus(z);
    return size == T(0) ? pycuda::complex<T>()
                        : pycuda::complex<T>(z.real() / size, z.imag() / size);
}
template <class T> __device__ __forceinline__ pycuda::complex<T> rint(const pycuda::complex<T>& z) {
    return pycuda::complex<T>(::rint(z.real()), ::rint(z.imag()));
}

} // namespace lathe
