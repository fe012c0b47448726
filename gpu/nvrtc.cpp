// SPDX-License-Identifier: MIT
#include "gpu/nvrtc.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/libraries/library.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

std::mutex mutex;
std::atomic<const NvrtcApi*> open{nullptr};

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

std::vector<fs::path> libraries_below(const fs::path& folder, int major) {
    const std::string file = fmt::format("libnvrtc.so.{}", major);
    const std::string wheel = fmt::format("nvidia/cu{}/lib", major);
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const std::string& below : {std::string{"."}, std::string{"lib64"}, std::string{"lib"},
                                     wheel, std::string{"nvidia/cuda_nvrtc/lib"}})
        if (fs::exists(folder / below / file, ignored))
            found.push_back((folder / below / file).lexically_normal());
    return found;
}

// Beside the library: a toolkit's or wheel's include folder; wheels of CUDA 12 spread theirs.
std::vector<fs::path> headers_of(const fs::path& library) {
    const fs::path root = library.parent_path().parent_path();
    std::vector<fs::path> found;
    std::error_code ignored;
    const auto add = [&](const fs::path& folder, const char* proof) {
        if (fs::exists(folder / proof, ignored) &&
            std::find(found.begin(), found.end(), folder) == found.end())
            found.push_back(folder);
    };
    for (const fs::path& folder : {root / "include", root.parent_path().parent_path() / "include",
                                   root.parent_path() / "cuda_runtime" / "include",
                                   root.parent_path() / "cuda_cccl" / "include"}) {
        add(folder, "cuda_fp16.h");
        add(folder, "cuda/std/complex");
        add(folder / "cccl", "cuda/std/complex");
    }
    return found;
}

// A compile takes and gives back tens of MiB; the C library would return them to the system each
// time and fault 2,000 pages in again: 15 % of a small kernel's compile.
void keep_memory_between_compiles() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

std::unique_ptr<NvrtcApi> open_library(const fs::path& file) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* text = dlerror();
        throw lathe::Error{text ? text : "unknown loader error"};
    }
    auto api = std::make_unique<NvrtcApi>();
    const auto find = [&](auto& function, const char* symbol) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
        if (!function) throw lathe::Error{fmt::format("{} has no {}", file.string(), symbol)};
    };
    find(api->version_of, "nvrtcVersion");
    find(api->error_string, "nvrtcGetErrorString");
    find(api->create_program, "nvrtcCreateProgram");
    find(api->destroy_program, "nvrtcDestroyProgram");
    find(api->compile_program, "nvrtcCompileProgram");
    find(api->ptx_size, "nvrtcGetPTXSize");
    find(api->ptx, "nvrtcGetPTX");
    find(api->cubin_size, "nvrtcGetCUBINSize");
    find(api->cubin, "nvrtcGetCUBIN");
    find(api->log_size, "nvrtcGetProgramLogSize");
    find(api->log, "nvrtcGetProgramLog");
    find(api->add_name_expression, "nvrtcAddNameExpression");
    find(api->lowered_name, "nvrtcGetLoweredName");
    find(api->supported_arch_count, "nvrtcGetNumSupportedArchs");
    find(api->supported_archs, "nvrtcGetSupportedArchs");

    link_map* map = nullptr;
    dlinfo(library, RTLD_DI_LINKMAP, &map);
    api->path = map && map->l_name ? map->l_name : file.string();
    api->version_of(&api->major, &api->minor);
    int archs = 0;
    api->supported_arch_count(&archs);
    api->archs.resize(static_cast<std::size_t>(archs));
    api->supported_archs(api->archs.data());
    std::sort(api->archs.begin(), api->archs.end());
    std::error_code ignored;
    api->include_directories = headers_of(api->path);
    if (api->include_directories.empty()) // a toolkit reached through a link
        api->include_directories = headers_of(fs::canonical(api->path, ignored));
    return api;
}

std::vector<fs::path> candidates() {
    std::vector<fs::path> files;
    const int newest = newest_usable_cuda(); // CUBINs of a newer one do not load
    const auto add_below = [&](const fs::path& folder, int major) {
        for (fs::path& file : libraries_below(folder, major)) files.push_back(std::move(file));
    };
    if (const char* named = environment("LATHE_NVRTC")) {
        std::error_code ignored;
        if (!fs::is_directory(named, ignored)) return {named};
        for (int major = newest; major >= kOldestUsableCuda; --major) add_below(named, major);
        if (files.empty()) files.push_back(fs::path{named} / fmt::format("libnvrtc.so.{}", newest));
        return files;
    }
    const std::vector<fs::path> folders = library_folders();
    for (int major = newest; major >= kOldestUsableCuda; --major) {
        for (const fs::path& folder : folders) add_below(folder, major);
        files.emplace_back(fmt::format("libnvrtc.so.{}", major)); // where the loader looks
    }
    return files;
}

std::unique_ptr<NvrtcApi> open_first() {
    std::vector<std::string> problems;
    for (const fs::path& file : candidates()) {
        try {
            return open_library(file);
        } catch (const lathe::Error& e) { problems.emplace_back(e.what()); }
    }
    throw lathe::Error{fmt::format(
        "NVRTC, the CUDA C++ compiler, was not found: {}. Run tools/bootstrap, or "
        "pip install 'cuda-toolkit[nvrtc,cudart,crt,cccl]=={}.*', or name the library in "
        "LATHE_NVRTC.",
        fmt::join(problems, "; "), newest_usable_cuda())};
}

} // namespace

const NvrtcApi& nvrtc() {
    if (const NvrtcApi* api = open.load(std::memory_order_acquire)) return *api;
    std::lock_guard lock{mutex};
    if (const NvrtcApi* api = open.load(std::memory_order_acquire)) return *api;
    const NvrtcApi* api = open_first().release(); // kept for good, as the driver is
    keep_memory_between_compiles();
    log::debug("NVRTC {} ({}.{})", api->path.string(), api->major, api->minor);
    open.store(api, std::memory_order_release);
    return *api;
}

std::string nvrtc_problem() {
    try {
        nvrtc();
        return {};
    } catch (const lathe::Error& e) { return e.what(); }
}

} // namespace lathe::gpu
