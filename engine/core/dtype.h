// SPDX-License-Identifier: MIT
// Element types shared by kernels, arrays and pictures, with NumPy's names and sizes.
#pragma once

#include "engine/core/api.h"

#include <complex>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

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

LATHE_API std::size_t item_bytes(DType dtype);
/// NumPy's name: "float32".
LATHE_API std::string_view name_of(DType dtype);
/// Array-interface type string, little-endian: "<f4", "|u1".
LATHE_API std::string_view typestr_of(DType dtype);
LATHE_API std::optional<DType> dtype_from_name(std::string_view name);
LATHE_API std::optional<DType> dtype_from_typestr(std::string_view typestr);

namespace detail {
template <class T> struct Complex : std::false_type {};
template <class T> struct Complex<std::complex<T>> : std::true_type {};

template <class T> consteval DType find_dtype() {
    constexpr std::size_t size = sizeof(T); // of integers the size decides: long is a long long
    if constexpr (std::is_same_v<T, bool>) return DType::bool_;
    else if constexpr (std::is_same_v<T, float>) return DType::float32;
    else if constexpr (std::is_same_v<T, double>) return DType::float64;
    else if constexpr (Complex<T>::value && size <= 16)
        return size == 8 ? DType::complex64 : DType::complex128;
    else {
        static_assert(std::is_integral_v<T> && size <= 8, "arrays have no elements of this type");
        if (std::is_signed_v<T>)
            return size == 1   ? DType::int8
                   : size == 2 ? DType::int16
                   : size == 4 ? DType::int32
                               : DType::int64;
        return size == 1   ? DType::uint8
               : size == 2 ? DType::uint16
               : size == 4 ? DType::uint32
                           : DType::uint64;
    }
}
} // namespace detail

/// Of a C++ type of numbers.
template <class T> inline constexpr DType dtype_of = detail::find_dtype<T>();

} // namespace lathe
