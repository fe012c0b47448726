// SPDX-License-Identifier: MIT
#include "engine/core/dtype.h"

#include <array>

namespace lathe {
namespace {

struct Row {
    DType dtype;
    std::size_t bytes;
    std::string_view name;
    std::string_view typestr;
};

constexpr std::array kRows{
    Row{DType::bool_, 1, "bool", "|b1"},          Row{DType::int8, 1, "int8", "|i1"},
    Row{DType::uint8, 1, "uint8", "|u1"},         Row{DType::int16, 2, "int16", "<i2"},
    Row{DType::uint16, 2, "uint16", "<u2"},       Row{DType::int32, 4, "int32", "<i4"},
    Row{DType::uint32, 4, "uint32", "<u4"},       Row{DType::int64, 8, "int64", "<i8"},
    Row{DType::uint64, 8, "uint64", "<u8"},       Row{DType::float16, 2, "float16", "<f2"},
    Row{DType::float32, 4, "float32", "<f4"},     Row{DType::float64, 8, "float64", "<f8"},
    Row{DType::complex64, 8, "complex64", "<c8"}, Row{DType::complex128, 16, "complex128", "<c16"},
};

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

} // namespace

std::size_t item_bytes(DType dtype) { return row(dtype).bytes; }
std::string_view name_of(DType dtype) { return row(dtype).name; }
std::string_view typestr_of(DType dtype) { return row(dtype).typestr; }

std::optional<DType> dtype_from_name(std::string_view name) {
    for (const Row& r : kRows)
        if (r.name == name) return r.dtype;
    return std::nullopt;
}

std::optional<DType> dtype_from_typestr(std::string_view typestr) {
    for (const Row& r : kRows)
        if (r.typestr == typestr) return r.dtype;
    return std::nullopt;
}

} // namespace lathe
