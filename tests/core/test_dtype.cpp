// SPDX-License-Identifier: MIT
#include "engine/core/dtype.h"

#include <gtest/gtest.h>

using lathe::DType;

TEST(DType, NamesAndSizesAreNumPys) {
    EXPECT_EQ(lathe::item_bytes(DType::bool_), 1u);
    EXPECT_EQ(lathe::item_bytes(DType::float16), 2u);
    EXPECT_EQ(lathe::item_bytes(DType::complex128), 16u);
    EXPECT_EQ(lathe::name_of(DType::float32), "float32");
    EXPECT_EQ(lathe::typestr_of(DType::uint8), "|u1");
}

TEST(DType, EachNameAndTypestrLeadsBack) {
    for (int i = 0; i <= static_cast<int>(DType::complex128); ++i) {
        const auto d = static_cast<DType>(i);
        EXPECT_EQ(lathe::dtype_from_name(lathe::name_of(d)), d);
        EXPECT_EQ(lathe::dtype_from_typestr(lathe::typestr_of(d)), d);
    }
    EXPECT_FALSE(lathe::dtype_from_name("float31"));
}
