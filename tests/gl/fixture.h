// SPDX-License-Identifier: MIT
// A headless context for a test's life.
#pragma once

#include "gl/headless_context.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace lathe::test {

struct GlTest : testing::Test {
    gl::HeadlessContext context;
};

template <class T> std::span<const std::byte> bytes_of(const std::vector<T>& v) {
    return std::as_bytes(std::span{v});
}
template <class T> std::vector<T> values_of(const std::vector<std::byte>& bytes) {
    std::vector<T> v(bytes.size() / sizeof(T));
    std::memcpy(v.data(), bytes.data(), v.size() * sizeof(T));
    return v;
}

} // namespace lathe::test
