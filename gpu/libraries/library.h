// SPDX-License-Identifier: MIT
// NVIDIA's libraries beside the driver (NVRTC, cuBLAS, cuSOLVER, …), found and opened at run time.
// Nothing links them. Each library's own header has its table of functions; this one says where
// files are looked for. What was opened stays open until the process ends.
#pragma once

#include "engine/core/error.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lathe::gpu {

/// A library that an operation needs and this machine does not have. Python's ImportError.
class LibraryMissing : public lathe::Error {
    using Error::Error;
};

/// A call of a library that failed: "cublasGemmEx failed: CUBLAS_STATUS_…", and what it was for.
class LibraryError : public lathe::Error {
    using Error::Error;
};

/// A folder that Library looks below first: a site-packages folder with nvidia/cu13, or a toolkit.
/// The Python package gives its interpreter's site-packages. Counts for libraries that are not open
/// yet. Thread-safe.
void set_library_hint(std::filesystem::path folder);

/// Toolkits and site-packages folders, most wanted first: LATHE_CUDA_TOOLKIT ("none": no toolkit at
/// all), CUDA_HOME, CUDA_PATH, /usr/local/cuda, the wheels below VIRTUAL_ENV.
std::vector<std::filesystem::path> library_folders();

/// CUDA's newest major version that the driver can work with, 13 at most; 13 without a driver.
int newest_usable_cuda();
inline constexpr int kOldestUsableCuda = 12;

/// How a library is named: `{"cuSOLVER", "libcusolver.so", {12, 11}, "cusolver",
/// "LATHE_CUSOLVER"}`.
struct LibraryName {
    const char* title; ///< for messages
    const char* file;  ///< without the version
    struct Versions {
        int cuda13, cuda12;
    } versions;              ///< of the file with CUDA 13 and with CUDA 12
    const char* wheel;       ///< CUDA 12's folder below nvidia/, and the package's name: nvidia-…
    const char* environment; ///< names a file or its folder, and is then the only place looked at
};

/// An open library; copies are the same one.
class Library {
public:
    /// Looks at: the environment's file; one that the process has open already (as PyTorch has);
    /// the hint and library_folders(), wheels before lib64 in each; the loader's own path. CUDA
    /// 13's file before CUDA 12's. Throws LibraryMissing that names the places and the packages
    /// that bring it.
    explicit Library(const LibraryName& name);

    /// As the loader resolved it.
    const std::filesystem::path& path() const noexcept { return path_; }
    /// 13 or 12; 0 for a file that the environment named.
    int cuda_major() const noexcept { return cuda_major_; }

    /// Null where it has none of that name.
    void* symbol(const char* name) const noexcept;
    /// Fills a function pointer. Throws LibraryMissing that names the symbol: the file is too old.
    template <class Function> void find(Function*& function, const char* name) const {
        static_assert(std::is_function_v<Function>);
        function = reinterpret_cast<Function*>(needed(name));
    }
    /// The same, null where the library has none.
    template <class Function>
    void find_optional(Function*& function, const char* name) const noexcept {
        function = reinterpret_cast<Function*>(symbol(name));
    }

private:
    void* needed(const char* name) const;

    std::string title_;
    std::filesystem::path path_;
    int cuda_major_ = 0;
    void* handle_ = nullptr;
};

} // namespace lathe::gpu
