// SPDX-License-Identifier: MIT
// A tool that is part of the test: it takes the ranges of NVIDIA's Tools Extension.
#pragma once

#include <string>
#include <vector>

namespace lathe::test {

bool has_nvtx();
/// The names of ranges that have begun, and "end" for each that has ended.
std::vector<std::string>& nvtx_ranges();

} // namespace lathe::test
