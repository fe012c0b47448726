// SPDX-License-Identifier: MIT
#include "engine/core/handle.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace {

std::vector<int> destroyed;

struct IntTraits {
    using Type = int;
    static constexpr Type null = 0;
    static void destroy(Type v) noexcept { destroyed.push_back(v); }
};
using IntHandle = lathe::Handle<IntTraits>;

static_assert(!std::is_copy_constructible_v<IntHandle>);
static_assert(std::is_nothrow_move_constructible_v<IntHandle>);
static_assert(std::is_nothrow_move_assignable_v<IntHandle>);
static_assert(!std::is_convertible_v<int, IntHandle>);

struct HandleTest : testing::Test {
    void SetUp() override { destroyed.clear(); }
};

TEST_F(HandleTest, OwnedIsDestroyedOnce) {
    {
        IntHandle a{7};
        IntHandle b{std::move(a)};
        EXPECT_EQ(a.get(), 0);
        EXPECT_FALSE(a);
        EXPECT_EQ(b.get(), 7);
    }
    EXPECT_EQ(destroyed, std::vector{7});
}

TEST_F(HandleTest, WrappedIsNeverDestroyed) {
    {
        IntHandle a = IntHandle::wrap(5);
        EXPECT_EQ(a.get(), 5);
        EXPECT_FALSE(a.owned());
    }
    EXPECT_TRUE(destroyed.empty());
}

TEST_F(HandleTest, ReleaseGivesAway) {
    IntHandle a{9};
    EXPECT_EQ(a.release(), 9);
    EXPECT_FALSE(a);
    a = IntHandle{};
    EXPECT_TRUE(destroyed.empty());
}

TEST_F(HandleTest, AssignmentDestroysTheOldValueAtOnce) {
    IntHandle a{1};
    a = IntHandle{2};
    EXPECT_EQ(destroyed, std::vector{1});
    EXPECT_EQ(a.get(), 2);
}

} // namespace
