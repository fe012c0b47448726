// SPDX-License-Identifier: MIT
// Opens a driver library: which one, from where, and what to say where there is none.
#include "gpu/driver/api.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/library.h"
#include "engine/core/log.h"
#include "engine/core/places.h"
#include "engine/core/process.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#define LATHE_TEXT_OF(name) #name
#define LATHE_SYMBOL_OF(name) LATHE_TEXT_OF(name) // expands cuda.h's version macro first

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHardwareLibrary = "libcuda.so.1";
constexpr const char* kSoftwareLibrary = "liblathe_soft.so";

// Throws lathe::Error naming the first entry point that the library lacks.
void fill_table(DriverApi& api) {
    const auto needed = [&](const char* symbol) {
        void* address = api.library.symbol(symbol);
        if (!address)
            throw lathe::Error{fmt::format("{} has no {}: it is no CUDA driver of version 12 or "
                                           "newer",
                                           api.path.string(), symbol)};
        return address;
    };
#define LATHE_CU(name)                                                                             \
    api.name = reinterpret_cast<decltype(api.name)>(needed(LATHE_SYMBOL_OF(name)));
#define LATHE_CU_OPTIONAL(name)                                                                    \
    api.name = reinterpret_cast<decltype(api.name)>(api.library.symbol(LATHE_SYMBOL_OF(name)));
#define LATHE_CU_AS(name, symbol, ...)                                                             \
    api.name = reinterpret_cast<decltype(api.name)>(needed(symbol));
#include "gpu/driver/functions.inc"
}

std::string text_of(const DriverApi& api, CUresult code) {
    const char* text = nullptr;
    if (api.cuGetErrorString(code, &text) == CUDA_SUCCESS && text) return text;
    return fmt::format("error {}", static_cast<int>(code));
}

// Opens, fills and initialises; throws lathe::Error with the cause. A library that was initialised
// stays loaded even if it then turns out to have no device: drivers do not like to be unloaded.
std::unique_ptr<DriverApi> open_library(const fs::path& file) {
    auto api = std::make_unique<DriverApi>();
    api->library = SharedLibrary::open(file);
    api->path = api->library.path();
    api->software = api->find_symbol("latheSoftGetVersionString") != nullptr;
    api->image_kind = api->software ? ImageKind::ptx : ImageKind::cubin;
    fill_table(*api);
    CUresult code = api->cuInit(0);
    if (code != CUDA_SUCCESS)
        throw lathe::Error{
            fmt::format("cuInit of {} failed: {}", api->path.string(), text_of(*api, code))};
    int devices = 0;
    code = api->cuDeviceGetCount(&devices);
    if (code != CUDA_SUCCESS || devices == 0)
        throw lathe::Error{fmt::format("{} found no CUDA device", api->path.string())};
    api->cuDriverGetVersion(&api->version);
    return api;
}

std::vector<fs::path> software_candidates() {
    if (const char* named = environment("LATHE_SOFT_LIBRARY")) return {named};
    std::vector<fs::path> candidates;
    for (const fs::path& folder : {own_folder(), own_folder() / "../lib"})
        candidates.push_back((folder / kSoftwareLibrary).lexically_normal());
    if (const fs::path build = build_folder(); !build.empty())
        candidates.push_back(build / "gpu" / "soft" / kSoftwareLibrary);
    return candidates;
}

std::unique_ptr<DriverApi> open_software() {
    std::vector<std::string> tried;
    std::error_code ignored;
    for (const fs::path& file : software_candidates()) {
        tried.push_back(file.string());
        if (!fs::exists(file, ignored)) continue;
        try {
            return open_library(file);
        } catch (const lathe::Error& e) {
            throw lathe::Error{fmt::format(
                "The software CUDA device {} cannot be used: {}. {}.", file.string(), e.what(),
                source_folder().empty() ? "Install Lathe again"
                                        : "Build it again with tools/build")};
        }
    }
    throw lathe::Error{fmt::format(
        "The software CUDA device was not found; looked for {}. {}, or name it in "
        "LATHE_SOFT_LIBRARY.",
        fmt::join(tried, ", "),
        source_folder().empty() ? "Install Lathe again"
                                : "Build it with tools/build (it needs the package llvm-19-dev)")};
}

std::unique_ptr<DriverApi> open_hardware() {
    try {
        return open_library(kHardwareLibrary);
    } catch (const lathe::Error& e) {
        throw lathe::Error{fmt::format("No NVIDIA GPU can be used: {}. Install the NVIDIA driver "
                                       "(Debian: apt-get install nvidia-driver), or run with "
                                       "LATHE_DEVICE=software.",
                                       e.what())};
    }
}

std::unique_ptr<DriverApi> open_automatic() {
    std::string hardware_problem;
    try {
        return open_library(kHardwareLibrary);
    } catch (const lathe::Error& e) { hardware_problem = e.what(); }
    log::debug("no NVIDIA GPU: {}", hardware_problem);
    try {
        return open_software();
    } catch (const lathe::Error& e) {
        throw lathe::Error{
            fmt::format("No CUDA device. Hardware: {}. Software: {}", hardware_problem, e.what())};
    }
}

std::unique_ptr<DriverApi> open_chosen() {
    if (const char* file = environment("LATHE_DRIVER_LIBRARY")) {
        try {
            return open_library(file);
        } catch (const lathe::Error& e) {
            throw lathe::Error{fmt::format("LATHE_DRIVER_LIBRARY names {}, which cannot be used: "
                                           "{}. Name a CUDA driver library, or unset it.",
                                           file, e.what())};
        }
    }
    const char* named = environment("LATHE_DEVICE");
    const std::string_view device = named ? named : "auto";
    if (device == "auto") return open_automatic();
    if (device == "hardware") return open_hardware();
    if (device == "software") return open_software();
    throw lathe::Error{
        fmt::format("LATHE_DEVICE is \"{}\"; it can be auto, hardware or software.", device)};
}

std::mutex open_mutex;

} // namespace

void* DriverApi::find_symbol(const char* name) const noexcept { return library.symbol(name); }

std::atomic<const DriverApi*> detail::open_driver{nullptr};

const DriverApi& detail::open_driver_library() {
    std::lock_guard lock{open_mutex};
    if (const DriverApi* open = open_driver.load(std::memory_order_acquire)) return *open;
    std::unique_ptr<DriverApi> api = open_chosen();
    watch_process_exit();
    log::debug("driver {} (CUDA {}.{})", api->path.string(), api->version / 1000,
               api->version % 1000 / 10);
    const DriverApi* open = api.release(); // kept for good: static objects may outlive us
    open_driver.store(open, std::memory_order_release);
    return *open;
}

const DriverApi& software_driver() {
    const DriverApi& own = driver();
    if (own.is_software()) return own;
    static std::atomic<const DriverApi*> beside{nullptr};
    if (const DriverApi* open = beside.load(std::memory_order_acquire)) return *open;
    std::lock_guard lock{open_mutex};
    if (!beside.load(std::memory_order_acquire))
        beside.store(open_software().release(), std::memory_order_release); // kept for good, too
    return *beside.load(std::memory_order_acquire);
}

std::string driver_problem() {
    try {
        driver();
        return {};
    } catch (const lathe::Error& e) { return e.what(); }
}

} // namespace lathe::gpu
