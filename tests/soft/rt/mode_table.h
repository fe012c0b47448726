// SPDX-License-Identifier: MIT
// The ways to run a kernel that tests compare.
#pragma once

#include <cstdlib>

namespace lathe::test {

struct Mode {
    const char *name, *mode, *width;

    /// For modules that are loaded from now on.
    void set() const {
        setenv("LATHE_SOFT_MODE", mode, 1);
        if (width) setenv("LATHE_SOFT_WIDTH", width, 1);
        else unsetenv("LATHE_SOFT_WIDTH");
    }
    static void unset() {
        unsetenv("LATHE_SOFT_MODE");
        unsetenv("LATHE_SOFT_WIDTH");
    }
};

inline constexpr Mode kModes[] = {{"single threads", "scalar", nullptr},
                                  {"warps", "warp", nullptr},
                                  {"warps of 32", "warp", "32"},
                                  {"warps of 16", "warp", "16"},
                                  {"warps of 8", "warp", "8"}};

} // namespace lathe::test
