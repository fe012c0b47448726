// SPDX-License-Identifier: MIT
// The rows are NumPy 2.4's, by np.result_type and np.can_cast.
#include "gpu/array/dtype_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr std::array kAll{DType::bool_,     DType::int8,      DType::uint8,   DType::int16,
                          DType::uint16,    DType::int32,     DType::uint32,  DType::int64,
                          DType::uint64,    DType::float16,   DType::float32, DType::float64,
                          DType::complex64, DType::complex128};

TEST(DTypeRules, PromotionIsNumPys) {
    // A letter for each result: ? b B h H i I q Q e f d F D, rows and columns in the order of kAll.
    const std::vector<std::string> rows{
        "?bBhHiIqQefdFD", "bbhhiiqqdefdFD", "BhBhHiIqQefdFD", "hhhhiiqqdffdFD", "HiHiHiIqQffdFD",
        "iiiiiiqqddddDD", "IqIqIqIqQdddDD", "qqqqqqqqddddDD", "QdQdQdQdQdddDD", "eeeffddddefdFD",
        "fffffddddffdFD", "ddddddddddddDD", "FFFFFDDDDFFDFD", "DDDDDDDDDDDDDD"};
    const std::string letters = "?bBhHiIqQefdFD";
    for (std::size_t a = 0; a < kAll.size(); ++a)
        for (std::size_t b = 0; b < kAll.size(); ++b) {
            const DType found = promote(kAll[a], kAll[b]);
            EXPECT_EQ(letters[static_cast<std::size_t>(found)], rows[a][b])
                << name_of(kAll[a]) << " and " << name_of(kAll[b]);
            EXPECT_EQ(found, promote(kAll[b], kAll[a]));
        }
}

TEST(DTypeRules, PythonNumbersAdapt) {
    EXPECT_EQ(promote(DType::uint8, PythonNumber::integer), DType::uint8);
    EXPECT_EQ(promote(DType::bool_, PythonNumber::integer), DType::int64);
    EXPECT_EQ(promote(DType::float16, PythonNumber::floating), DType::float16);
    EXPECT_EQ(promote(DType::int8, PythonNumber::floating), DType::float64);
    EXPECT_EQ(promote(DType::float32, PythonNumber::complex), DType::complex64);
    EXPECT_EQ(promote(DType::int32, PythonNumber::complex), DType::complex128);
    EXPECT_EQ(promote(DType::float16, PythonNumber::boolean), DType::float16);
}

TEST(DTypeRules, CastsBetweenKinds) {
    EXPECT_TRUE(can_cast_safely(DType::int64, DType::float64));
    EXPECT_FALSE(can_cast_safely(DType::int64, DType::float32));
    EXPECT_FALSE(can_cast_safely(DType::uint8, DType::int8));
    EXPECT_TRUE(can_cast_same_kind(DType::float64, DType::float16));
    EXPECT_TRUE(can_cast_same_kind(DType::uint64, DType::int8));
    EXPECT_FALSE(can_cast_same_kind(DType::int8, DType::uint64));
    EXPECT_FALSE(can_cast_same_kind(DType::float32, DType::int64));
    EXPECT_FALSE(can_cast_same_kind(DType::complex64, DType::float64));
}

TEST(DTypeRules, FunctionsOfRealNumbers) {
    EXPECT_EQ(floating_for(DType::bool_), DType::float16);
    EXPECT_EQ(floating_for(DType::uint8), DType::float16);
    EXPECT_EQ(floating_for(DType::int16), DType::float32);
    EXPECT_EQ(floating_for(DType::uint32), DType::float64);
    EXPECT_EQ(floating_for(DType::complex64), DType::complex64);
}

} // namespace
} // namespace lathe::gpu
