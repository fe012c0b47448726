// SPDX-License-Identifier: MIT
#pragma once

#include "tests/temp_folder.h"

#include <cstdlib>
#include <string>

namespace lathe::test {

/// LATHE_CACHE_DIR, for a while.
class EmptyCache {
public:
    EmptyCache() {
        if (const char* before = std::getenv("LATHE_CACHE_DIR")) before_ = before;
        setenv("LATHE_CACHE_DIR", folder_.path().c_str(), 1);
    }
    ~EmptyCache() {
        if (before_.empty()) unsetenv("LATHE_CACHE_DIR");
        else setenv("LATHE_CACHE_DIR", before_.c_str(), 1);
    }

private:
    const TempFolder folder_;
    std::string before_;
};

} // namespace lathe::test
