// SPDX-License-Identifier: MIT
// Element types shared by kernels, arrays and pictures, with NumPy's names and sizes.
#pragma once

#include <cstddef>
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

} // namespace lathe
