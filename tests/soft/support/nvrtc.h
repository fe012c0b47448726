// SPDX-License-Identifier: MIT
// CUDA source to PTX for tests: NVRTC is opened at run time, so that tests can skip without it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lathe::test {

/// Whether libnvrtc.so.13 was found, beside the CUDA headers or by the loader.
bool has_nvrtc();

/// PTX of `source`. The CUDA headers are on the include path; options may name -arch (else
/// compute_75), -G, -lineinfo. Throws lathe::Error with NVRTC's log.
std::string compile_to_ptx(const std::string& source, const std::string& name,
                           std::vector<std::string> options = {});

/// The names of tests/soft/kernels/*.cu without folder and ending, sorted.
std::vector<std::string> kernel_names();

/// PTX of tests/soft/kernels/<name>.cu.
std::string compile_kernel(std::string_view name, std::vector<std::string> options = {});

} // namespace lathe::test
