// SPDX-License-Identifier: MIT
// What NVIDIA calls the files of its libraries, by CUDA's version, and the folders that it puts
// them into: toolkits and wheels. engine/core/library.h opens them; nvrtc.h and gpu/libraries use
// this.
#pragma once

#include "engine/core/api.h"
#include "engine/core/library.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::gpu {

/// CUDA's newest major version that the driver can work with, 13 at most; 13 without a driver.
/// Opens the driver.
LATHE_API int newest_usable_cuda();
inline constexpr int kOldestUsableCuda = 12;

/// `{"cuSOLVER", "libcusolver.so", {12, 11}, "cusolver", "LATHE_CUSOLVER"}`.
struct CudaLibraryName {
    /// Where a library is taken from if several places have it.
    enum class Prefer {
        wheels,  ///< one that the process has open (as PyTorch has); the interpreter's; a toolkit's
        toolkit, ///< a toolkit's, which has all headers; the interpreter's
    };

    const char* title; ///< for messages
    const char* file;  ///< without the version
    struct Versions {
        int cuda13, cuda12;
    } versions;              ///< of the file with CUDA 13 and with CUDA 12
    const char* wheel;       ///< CUDA 12's folder below nvidia/
    const char* environment; ///< names a file or its folder, and is then the only place looked at
    Prefer prefer = Prefer::wheels;
};

/// Where the library may be, most wanted first: CUDA 13's files before CUDA 12's; then what
/// `prefer` says, with the toolkits of LATHE_CUDA_TOOLKIT ("none": no toolkit at all), CUDA_HOME,
/// CUDA_PATH, /usr/local/cuda, and the wheels of site_packages(); the loader's own path at last.
/// A place's version is CUDA's major one, 0 for a file that the environment names.
LATHE_API std::vector<LibraryPlace> cuda_library_places(const CudaLibraryName& name);

/// A program of CUDA's toolkit: on PATH, below LATHE_CUDA_TOOLKIT, CUDA_HOME, CUDA_PATH or
/// /usr/local/cuda, or in a wheel; empty where there is none.
LATHE_API std::filesystem::path find_cuda_program(const std::string& name);

} // namespace lathe::gpu
