// SPDX-License-Identifier: MIT
// The CUDA driver as a table of function pointers, filled from a library opened at run time: the
// GPU's libcuda.so.1, or Lathe's software device. This folder alone knows which of the two it is.
#pragma once

#include "engine/core/api.h"
#include "engine/core/library.h"

#include <cuda.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <type_traits>

namespace lathe::gpu {

/// What cuModuleLoadDataEx of this driver runs fastest.
enum class ImageKind { ptx, cubin };

/// One open driver library. It stays open until the process ends.
struct LATHE_API DriverApi {
#define LATHE_CU(name) decltype(&::name) name = nullptr;
#define LATHE_CU_OPTIONAL(name) decltype(&::name) name = nullptr;
#define LATHE_CU_AS(name, symbol, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "gpu/driver/functions.inc"

    std::filesystem::path path; ///< of the library, as the loader resolved it
    int version = 0;            ///< 1000 * major + 10 * minor, from cuDriverGetVersion
    ImageKind image_kind = ImageKind::cubin;

    /// For status texts only: what a caller does must not depend on it.
    bool is_software() const noexcept { return software; }
    /// A function that the table lacks, null where this driver has none.
    void* find_symbol(const char* name) const noexcept;
    template <class Function> Function* find(const char* name) const noexcept {
        return reinterpret_cast<Function*>(find_symbol(name));
    }

    bool software = false;
    SharedLibrary library;
};

namespace detail {
LATHE_API extern std::atomic<const DriverApi*> open_driver;
LATHE_API const DriverApi& open_driver_library();
} // namespace detail

/// The driver, opened and initialised (cuInit) by the first call, on any thread.
/// LATHE_DRIVER_LIBRARY=/path names the library; else LATHE_DEVICE=auto|hardware|software chooses,
/// where auto means libcuda.so.1 if cuInit succeeds and a device exists, else liblathe_soft.so from
/// LATHE_SOFT_LIBRARY, from beside this program or library, or, unless this is an installed
/// package, from the build tree. Throws lathe::Error that names the cause and the command that
/// mends it; a later call tries again.
inline const DriverApi& driver() {
    const DriverApi* open = detail::open_driver.load(std::memory_order_acquire);
    if (open) [[likely]]
        return *open;
    return detail::open_driver_library();
}

/// The message driver() would throw, empty where the driver is usable. Opens the driver.
LATHE_API std::string driver_problem();

/// The software device: driver() where that is it, else opened beside the GPU's by the first call.
/// Both may work in one process; neither knows the other's contexts and addresses. Throws
/// lathe::Error where there is none; a later call tries again. Thread-safe.
LATHE_API const DriverApi& software_driver();

} // namespace lathe::gpu
