// SPDX-License-Identifier: MIT
// The NVRTC library as a table of function pointers, and the header folders that belong to it.
// Looked for as gpu/cuda_library.h says: LATHE_NVRTC (a library or its folder), toolkits, the
// interpreter's wheels, the loader's own path.
// The major version is the driver's: 13, or 12 if the driver is older than CUDA 13.
#pragma once

#include "engine/core/api.h"

#include <nvrtc.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::gpu {

struct NvrtcApi {
    decltype(&::nvrtcVersion) version_of = nullptr;
    decltype(&::nvrtcGetErrorString) error_string = nullptr;
    decltype(&::nvrtcCreateProgram) create_program = nullptr;
    decltype(&::nvrtcDestroyProgram) destroy_program = nullptr;
    decltype(&::nvrtcCompileProgram) compile_program = nullptr;
    decltype(&::nvrtcGetPTXSize) ptx_size = nullptr;
    decltype(&::nvrtcGetPTX) ptx = nullptr;
    decltype(&::nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&::nvrtcGetCUBIN) cubin = nullptr;
    decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&::nvrtcGetProgramLog) log = nullptr;
    decltype(&::nvrtcAddNameExpression) add_name_expression = nullptr;
    decltype(&::nvrtcGetLoweredName) lowered_name = nullptr;
    decltype(&::nvrtcGetNumSupportedArchs) supported_arch_count = nullptr;
    decltype(&::nvrtcGetSupportedArchs) supported_archs = nullptr;
    /// Null before 12.8, which has no precompiled headers. Declared here for older headers.
    nvrtcResult (*pch_create_status)(nvrtcProgram) = nullptr;

    std::filesystem::path path; ///< as the loader resolved it
    int major = 0;
    int minor = 0;
    std::vector<int> archs; ///< 75, 80, …, ascending
    /// Folders with cuda_fp16.h, cuda/std/…; may be empty: plain sources need none.
    std::vector<std::filesystem::path> include_directories;
};

/// The library, opened by the first call, on any thread. Throws lathe::Error that says where it was
/// looked for and what brings it; a later call tries again.
LATHE_API const NvrtcApi& nvrtc();

/// The message nvrtc() would throw, empty where it is usable.
LATHE_API std::string nvrtc_problem();

} // namespace lathe::gpu
