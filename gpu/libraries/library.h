// SPDX-License-Identifier: MIT
// NVIDIA's libraries that compute (cuBLAS, cuFFT, cuSOLVER), found and opened at run time. Each
// library's own header has its table of functions; gpu/cuda_library.h says where files are looked
// for. What was opened stays open until the process ends.
#pragma once

#include "engine/core/api.h"
#include "engine/core/error.h"
#include "engine/core/library.h"
#include "gpu/cuda_library.h"

#include <filesystem>
#include <string>
#include <type_traits>

namespace lathe::gpu {

/// A library that an operation needs and this machine does not have. Python's ImportError.
class LATHE_API LibraryMissing : public lathe::Error {
    using Error::Error;
};

/// A call of a library that failed: "cublasGemmEx failed: CUBLAS_STATUS_…", and what it was for.
class LATHE_API LibraryError : public lathe::Error {
    using Error::Error;
};

/// An open library; copies are the same one.
class LATHE_API Library {
public:
    /// The first of cuda_library_places(). Throws LibraryMissing that names the places and the
    /// packages that bring it.
    explicit Library(const CudaLibraryName& name);

    /// As the loader resolved it.
    const std::filesystem::path& path() const noexcept { return library_.path(); }
    /// 13 or 12; 0 for a file that the environment named.
    int cuda_major() const noexcept { return cuda_major_; }

    /// Fills a function pointer. Throws LibraryMissing that names the symbol: the file is too old.
    template <class Function> void find(Function*& function, const char* name) const {
        static_assert(std::is_function_v<Function>);
        function = reinterpret_cast<Function*>(needed(name));
    }
    /// The same, null where the library has none.
    template <class Function>
    void find_optional(Function*& function, const char* name) const noexcept {
        function = library_.find<Function>(name);
    }

private:
    void* needed(const char* name) const;

    std::string title_;
    SharedLibrary library_;
    int cuda_major_ = 0;
};

} // namespace lathe::gpu
