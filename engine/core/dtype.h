// SPDX-License-Identifier: MIT
// Element types shared by kernels, arrays and pictures, with NumPy's names and sizes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lathe {

enum class DType {
    bool_,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
    complex64,
    complex128,
};

std::size_t item_bytes(DType dtype);
/// NumPy's name: "float32".
std::string_view name_of(DType dtype);
/// Array-interface type string, little-endian: "<f4", "|u1".
std::string_view typestr_of(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_typestr(std::string_view typestr);

namespace detail {
template <class T> struct DTypeOf;
template <> struct DTypeOf<bool> {
    static constexpr DType value = DType::bool_;
};
template <> struct DTypeOf<std::int8_t> {
    static constexpr DType value = DType::int8;
};
template <> struct DTypeOf<std::uint8_t> {
    static constexpr DType value = DType::uint8;
};
template <> struct DTypeOf<std::int16_t> {
    static constexpr DType value = DType::int16;
};
template <> struct DTypeOf<std::uint16_t> {
    static constexpr DType value = DType::uint16;
};
template <> struct DTypeOf<std::int32_t> {
    static constexpr DType value = DType::int32;
};
template <> struct DTypeOf<std::uint32_t> {
    static constexpr DType value = DType::uint32;
};
template <> struct DTypeOf<std::int64_t> {
    static constexpr DType value = DType::int64;
};
template <> struct DTypeOf<std::uint64_t> {
    static constexpr DType value = DType::uint64;
};
template <> struct DTypeOf<float> {
    static constexpr DType value = DType::float32;
};
template <> struct DTypeOf<double> {
    static constexpr DType value = DType::float64;
};
template <> struct DTypeOf<std::complex<float>> {
    static constexpr DType value = DType::complex64;
};
template <> struct DTypeOf<std::complex<double>> {
    static constexpr DType value = DType::complex128;
};
} // namespace detail

/// Of a C++ type of numbers.
template <class T> inline constexpr DType dtype_of = detail::DTypeOf<T>::value;

} // namespace lathe
