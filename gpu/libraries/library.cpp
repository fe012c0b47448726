// SPDX-License-Identifier: MIT
#include "gpu/libraries/library.h"

#include "engine/core/log.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace lathe::gpu {

Library::Library(const CudaLibraryName& name) : title_{name.title} {
    FoundLibrary found = open_first(cuda_library_places(name));
    if (!found.library)
        throw LibraryMissing{fmt::format(
            "{} was not found: {}. pip install nvidia-{} (for CUDA 12: nvidia-{}-cu12), or install "
            "NVIDIA's CUDA toolkit and name it in CUDA_HOME, or name the library in {}.",
            title_, fmt::join(found.problems, "; "), name.wheel, name.wheel, name.environment)};
    library_ = std::move(found.library);
    cuda_major_ = found.place.version;
    log::debug("{} {}", title_, path().string());
}

void* Library::needed(const char* name) const {
    if (void* address = library_.symbol(name)) return address;
    throw LibraryMissing{fmt::format("{} has no {}: a {} of CUDA {} or newer is needed",
                                     path().string(), name, title_, kOldestUsableCuda)};
}

} // namespace lathe::gpu
