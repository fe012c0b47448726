// SPDX-License-Identifier: MIT
// pycuda::complex<float> and <double> with the arithmetic and the functions that kernels written
// for PyCUDA use. Plain data: it may be a kernel's parameter and lie in shared memory as bytes.
#pragma once

#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38F
#endif
#ifndef DBL_MAX
#define DBL_MAX 1.7976931348623157e+308
#endif
#define float_limit 88.722839F          // log(FLT_MAX)
#define double_limit 709.78271289338397 // log(DBL_MAX)

extern "C++" {
namespace pycuda {

namespace detail {
template <bool condition, class T = void> struct only_if {};
template <class T> struct only_if<true, T> {
    typedef T type;
};
template <class T> struct given { // not deduced
    typedef T type;
};
__device__ __forceinline__ void sine_cosine(float x, float& s, float& c) { ::sincosf(x, &s, &c); }
__device__ __forceinline__ void sine_cosine(double x, double& s, double& c) { ::sincos(x, &s, &c); }
} // namespace detail

template <class T> struct complex {
    typedef T value_type;
    T _M_re;
    T _M_im;

    __device__ complex(T re = T(), T im = T()) : _M_re(re), _M_im(im) {}
    // From fewer digits implicitly, from more by name; also of volatile numbers.
    template <class U, typename detail::only_if<(sizeof(U) <= sizeof(T)), int>::type = 0>
    __device__ complex(const complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}
    template <class U, typename detail::only_if<(sizeof(U) <= sizeof(T)), int>::type = 0>
    __device__ complex(const volatile complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}
    template <class U, typename detail::only_if<(sizeof(U) > sizeof(T)), long>::type = 0>
    __device__ explicit complex(const complex<U>& z) : _M_re(T(z._M_re)), _M_im(T(z._M_im)) {}

    __device__ T real() const { return _M_re; }
    __device__ T imag() const { return _M_im; }
    __device__ T real() const volatile { return _M_re; }
    __device__ T imag() const volatile { return _M_im; }
    __device__ void real(T re) { _M_re = re; }
    __device__ void imag(T im) { _M_im = im; }

    __device__ complex& operator=(T x) {
        _M_re = x;
        _M_im = T();
        return *this;
    }
    template <class U> __device__ complex& operator=(const complex<U>& z) {
        _M_re = T(z._M_re);
        _M_im = T(z._M_im);
        return *this;
    }
    template <class U> __device__ volatile complex& operator=(const complex<U>& z) volatile {
        _M_re = T(z._M_re);
        _M_im = T(z._M_im);
        return *this;
    }
    template <class U>
    __device__ volatile complex& operator=(const volatile complex<U>& z) volatile {
        _M_re = T(z._M_re);
        _M_im = T(z._M_im);
        return *this;
    }
    __device__ volatile complex& operator=(T x) volatile {
        _M_re = x;
        _M_im = T();
        return *this;
    }

    __device__ complex& operator+=(T x) {
        _M_re += x;
        return *this;
    }
    __device__ complex& operator-=(T x) {
        _M_re -= x;
        return *this;
    }
    __device__ complex& operator*=(T x) {
        _M_re *= x;
        _M_im *= x;
        return *this;
    }
    __device__ complex& operator/=(T x) {
        _M_re /= x;
        _M_im /= x;
        return *this;
    }
    template <class U> __device__ complex& operator+=(const complex<U>& z) {
        _M_re += T(z._M_re);
        _M_im += T(z._M_im);
        return *this;
    }
    template <class U> __device__ complex& operator-=(const complex<U>& z) {
        _M_re -= T(z._M_re);
        _M_im -= T(z._M_im);
        return *this;
    }
    template <class U> __device__ complex& operator*=(const complex<U>& z) {
        return *this = *this * complex(z);
    }
    template <class U> __device__ complex& operator/=(const complex<U>& z) {
        return *this = *this / complex(z);
    }

    friend __device__ complex operator+(const complex& z) { return z; }
    friend __device__ complex operator-(const complex& z) { return complex(-z._M_re, -z._M_im); }

    friend __device__ complex operator+(const complex& a, const complex& b) {
        return complex(a._M_re + b._M_re, a._M_im + b._M_im);
    }
    friend __device__ complex operator+(const volatile complex& a, const volatile complex& b) {
        return complex(a._M_re + b._M_re, a._M_im + b._M_im);
    }
    friend __device__ complex operator+(const complex& z, T x) {
        return complex(z._M_re + x, z._M_im);
    }
    friend __device__ complex operator+(T x, const complex& z) {
        return complex(x + z._M_re, z._M_im);
    }
    friend __device__ complex operator-(const complex& a, const complex& b) {
        return complex(a._M_re - b._M_re, a._M_im - b._M_im);
    }
    friend __device__ complex operator-(const complex& z, T x) {
        return complex(z._M_re - x, z._M_im);
    }
    friend __device__ complex operator-(T x, const complex& z) {
        return complex(x - z._M_re, -z._M_im);
    }
    friend __device__ complex operator*(const complex& a, const complex& b) {
        return complex(a._M_re * b._M_re - a._M_im * b._M_im,
                       a._M_re * b._M_im + a._M_im * b._M_re);
    }
    friend __device__ complex operator*(const volatile complex& a, const volatile complex& b) {
        const T re = a._M_re, im = a._M_im;
        return complex(re, im) * complex(T(b._M_re), T(b._M_im));
    }
    friend __device__ complex operator*(const complex& z, T x) {
        return complex(z._M_re * x, z._M_im * x);
    }
    friend __device__ complex operator*(T x, const complex& z) {
        return complex(x * z._M_re, x * z._M_im);
    }
    // Scaled by the larger part of the divisor, so that its square does not overflow. By zero the
    // parts are infinite or, of 0, not a number.
    friend __device__ complex operator/(const complex& a, const complex& b) {
        if (::fabs(b._M_re) >= ::fabs(b._M_im)) {
            if (b._M_re == T()) return complex(a._M_re / T(), a._M_im / T());
            const T ratio = b._M_im / b._M_re;
            const T scale = T(1) / (b._M_re + b._M_im * ratio);
            return complex((a._M_re + a._M_im * ratio) * scale,
                           (a._M_im - a._M_re * ratio) * scale);
        }
        const T ratio = b._M_re / b._M_im;
        const T scale = T(1) / (b._M_re * ratio + b._M_im);
        return complex((a._M_re * ratio + a._M_im) * scale, (a._M_im * ratio - a._M_re) * scale);
    }
    friend __device__ complex operator/(const complex& z, T x) {
        return complex(z._M_re / x, z._M_im / x);
    }
    friend __device__ complex operator/(T x, const complex& z) { return complex(x) / z; }

    friend __device__ bool operator==(const complex& a, const complex& b) {
        return a._M_re == b._M_re && a._M_im == b._M_im;
    }
    friend __device__ bool operator==(const complex& z, T x) {
        return z._M_re == x && z._M_im == T();
    }
    friend __device__ bool operator==(T x, const complex& z) { return z == x; }
    friend __device__ bool operator!=(const complex& a, const complex& b) { return !(a == b); }
    friend __device__ bool operator!=(const complex& z, T x) { return !(z == x); }
    friend __device__ bool operator!=(T x, const complex& z) { return !(z == x); }
};

template <class T> __device__ T real(const complex<T>& z) { return z._M_re; }
template <class T> __device__ T imag(const complex<T>& z) { return z._M_im; }
template <class T> __device__ T abs(const complex<T>& z) { return ::hypot(z._M_re, z._M_im); }
template <class T> __device__ T arg(const complex<T>& z) { return ::atan2(z._M_im, z._M_re); }
template <class T> __device__ T norm(const complex<T>& z) {
    return z._M_re * z._M_re + z._M_im * z._M_im;
}
template <class T> __device__ complex<T> conj(const complex<T>& z) {
    return complex<T>(z._M_re, -z._M_im);
}
template <class T> __device__ complex<T> polar(const T& rho) { return complex<T>(rho); }
template <class T> __device__ complex<T> polar(const T& rho, const T& phi) {
    T s, c;
    detail::sine_cosine(phi, s, c);
    return complex<T>(rho * c, rho * s);
}

template <class T> __device__ complex<T> sqrt(const complex<T>& z) {
    const T re = ::fabs(z._M_re);
    const T root = ::sqrt(T(0.5) * re + T(0.5) * abs(z)); // of the larger part
    if (root == T()) return complex<T>(T(), z._M_im);
    const T other = z._M_im / (T(2) * root);
    if (z._M_re >= T()) return complex<T>(root, other);
    return complex<T>(::fabs(other), ::copysign(root, z._M_im));
}
template <class T> __device__ complex<T> exp(const complex<T>& z) {
    T s, c;
    detail::sine_cosine(z._M_im, s, c);
    const T e = ::exp(z._M_re);
    return complex<T>(e * c, e * s);
}
// Near the unit circle the logarithm of the radius is that of a number close to 1.
template <class T> __device__ complex<T> log(const complex<T>& z) {
    const T radius = abs(z);
    T re = ::log(radius);
    if (radius > T(0.5) && radius < T(2)) {
        const T a = ::fmax(::fabs(z._M_re), ::fabs(z._M_im));
        const T b = ::fmin(::fabs(z._M_re), ::fabs(z._M_im));
        re = T(0.5) * ::log1p((a - T(1)) * (a + T(1)) + b * b);
    }
    return complex<T>(re, arg(z));
}
template <class T> __device__ complex<T> log10(const complex<T>& z) {
    return log(z) * T(0.43429448190325182765);
}
template <class T>
__device__ complex<T> pow(const complex<T>& z, const typename detail::given<T>::type& x) {
    if (z == T()) return complex<T>(x == T() ? T(1) : T());
    return exp(log(z) * x);
}
template <class T> __device__ complex<T> pow(const complex<T>& z, const complex<T>& w) {
    if (z == T()) return complex<T>(w == T() ? T(1) : T());
    return exp(log(z) * w);
}
template <class T>
__device__ complex<T> pow(const typename detail::given<T>::type& x, const complex<T>& w) {
    if (x > T()) return exp(w * ::log(x));
    return pow(complex<T>(x), w);
}

template <class T> __device__ complex<T> sin(const complex<T>& z) {
    T s, c;
    detail::sine_cosine(z._M_re, s, c);
    return complex<T>(s * ::cosh(z._M_im), c * ::sinh(z._M_im));
}
template <class T> __device__ complex<T> cos(const complex<T>& z) {
    T s, c;
    detail::sine_cosine(z._M_re, s, c);
    return complex<T>(c * ::cosh(z._M_im), -s * ::sinh(z._M_im));
}
template <class T> __device__ complex<T> sinh(const complex<T>& z) {
    T s, c;
    detail::sine_cosine(z._M_im, s, c);
    return complex<T>(::sinh(z._M_re) * c, ::cosh(z._M_re) * s);
}
template <class T> __device__ complex<T> cosh(const complex<T>& z) {
    T s, c;
    detail::sine_cosine(z._M_im, s, c);
    return complex<T>(::cosh(z._M_re) * c, ::sinh(z._M_re) * s);
}
// After W. Kahan, "Branch cuts for complex elementary functions", 1987.
template <class T> __device__ complex<T> tanh(const complex<T>& z) {
    if (::fabs(z._M_re) > T(22)) { // 1 to the last bit of a double
        T s, c;
        detail::sine_cosine(z._M_im, s, c);
        return complex<T>(::copysign(T(1), z._M_re), T(4) * s * c * ::exp(T(-2) * ::fabs(z._M_re)));
    }
    const T t = ::tan(z._M_im);
    const T s = ::sinh(z._M_re);
    const T beta = T(1) + t * t;
    const T divisor = T(1) + beta * s * s;
    return complex<T>(beta * ::sqrt(T(1) + s * s) * s / divisor, t / divisor);
}
template <class T> __device__ complex<T> tan(const complex<T>& z) {
    const complex<T> turned = tanh(complex<T>(-z._M_im, z._M_re)); // of i z
    return complex<T>(turned._M_im, -turned._M_re);
}

} // namespace pycuda
} // extern "C++"
