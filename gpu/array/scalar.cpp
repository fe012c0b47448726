// SPDX-License-Identifier: MIT
#include "gpu/array/elementwise.h"

#include <cstring>

namespace lathe::gpu {

namespace {

template <class T> void put(Scalar& to, T value) {
    std::memcpy(to.value.data(), &value, sizeof value);
}

/// `Number` is arithmetic.
template <class Number> Scalar of_real(DType dtype, Number value) {
    Scalar made{dtype};
    switch (dtype) {
    case DType::bool_: put(made, value != Number(0)); break;
    case DType::int8: put(made, static_cast<std::int8_t>(value)); break;
    case DType::uint8: put(made, static_cast<std::uint8_t>(value)); break;
    case DType::int16: put(made, static_cast<std::int16_t>(value)); break;
    case DType::uint16: put(made, static_cast<std::uint16_t>(value)); break;
    case DType::int32: put(made, static_cast<std::int32_t>(value)); break;
    case DType::uint32: put(made, static_cast<std::uint32_t>(value)); break;
    case DType::int64: put(made, static_cast<std::int64_t>(value)); break;
    case DType::uint64: put(made, static_cast<std::uint64_t>(value)); break;
    case DType::float16:
    case DType::float32: put(made, static_cast<float>(value)); break;
    case DType::float64: put(made, static_cast<double>(value)); break;
    case DType::complex64: put(made, std::complex<float>(static_cast<float>(value))); break;
    case DType::complex128: put(made, std::complex<double>(static_cast<double>(value))); break;
    }
    return made;
}

} // namespace

Scalar make_scalar(DType dtype, std::int64_t value) { return of_real(dtype, value); }
Scalar make_scalar(DType dtype, std::uint64_t value) { return of_real(dtype, value); }
Scalar make_scalar(DType dtype, double value) { return of_real(dtype, value); }

Scalar make_scalar(DType dtype, std::complex<double> value) {
    if (kind_of(dtype) != Kind::complex) return of_real(dtype, value.real());
    Scalar made{dtype};
    if (dtype == DType::complex64) put(made, std::complex<float>(value));
    else put(made, value);
    return made;
}

} // namespace lathe::gpu
