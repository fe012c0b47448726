// SPDX-License-Identifier: MIT
#include "gpu/nvrtc.h"

#include "engine/core/error.h"
#include "engine/core/library.h"
#include "engine/core/log.h"
#include "engine/core/places.h"
#include "gpu/cuda_library.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

std::mutex mutex;
std::atomic<const NvrtcApi*> open{nullptr};

// CUB of NVRTC 13.5 with CCCL 13.3 needs 294 MiB; NVRTC takes 256 by itself.
constexpr std::size_t kHeaderHeapBytes = std::size_t{512} << 20;

constexpr CudaLibraryName kName{"NVRTC",      "libnvrtc.so", {13, 12},
                                "cuda_nvrtc", "LATHE_NVRTC", CudaLibraryName::Prefer::toolkit};

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

// NVRTC opens it by its name alone when it first compiles, which fails for a toolkit that the
// loader was not told of (ldconfig). One of that name that is open already is taken.
void open_builtins(const NvrtcApi& api) {
    const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", api.major, api.minor);
    std::error_code ignored;
    for (const fs::path& library : {api.path, fs::canonical(api.path, ignored)}) { // beside a link
        const fs::path file = library.parent_path() / name;
        if (!fs::exists(file, ignored)) continue;
        try {
            SharedLibrary::open(file);
            return;
        } catch (const lathe::Error& e) { log::warning("{}", e.what()); }
    }
}

std::unique_ptr<NvrtcApi> table_of(const SharedLibrary& library) {
    auto api = std::make_unique<NvrtcApi>();
    library.require(api->version_of, "nvrtcVersion");
    library.require(api->error_string, "nvrtcGetErrorString");
    library.require(api->create_program, "nvrtcCreateProgram");
    library.require(api->destroy_program, "nvrtcDestroyProgram");
    library.require(api->compile_program, "nvrtcCompileProgram");
    library.require(api->ptx_size, "nvrtcGetPTXSize");
    library.require(api->ptx, "nvrtcGetPTX");
    library.require(api->cubin_size, "nvrtcGetCUBINSize");
    library.require(api->cubin, "nvrtcGetCUBIN");
    library.require(api->log_size, "nvrtcGetProgramLogSize");
    library.require(api->log, "nvrtcGetProgramLog");
    library.require(api->add_name_expression, "nvrtcAddNameExpression");
    library.require(api->lowered_name, "nvrtcGetLoweredName");
    library.require(api->supported_arch_count, "nvrtcGetNumSupportedArchs");
    library.require(api->supported_archs, "nvrtcGetSupportedArchs");

    api->pch_create_status = library.find<nvrtcResult(nvrtcProgram)>("nvrtcGetPCHCreateStatus");
    // Of address space; pages that are not used cost nothing. A later change would make files of
    // precompiled headers useless.
    if (auto* set_size = library.find<nvrtcResult(std::size_t)>("nvrtcSetPCHHeapSize"))
        set_size(kHeaderHeapBytes);

    api->path = library.path();
    api->version_of(&api->major, &api->minor);
    open_builtins(*api);
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

std::unique_ptr<NvrtcApi> open_newest() {
    const FoundLibrary found = open_first(cuda_library_places(kName));
    if (found.library) return table_of(found.library);
    throw lathe::Error{
        fmt::format("NVRTC, the CUDA C++ compiler, was not found: {}. {} "
                    "pip install 'cuda-toolkit[nvrtc,cudart,{}cccl]=={}.*', or name the library in "
                    "LATHE_NVRTC.",
                    fmt::join(found.problems, "; "),
                    source_folder().empty() ? "Install it by" : "Run tools/bootstrap, or",
                    newest_usable_cuda() < 13 ? "" : "crt,", newest_usable_cuda())};
}

} // namespace

const NvrtcApi& nvrtc() {
    if (const NvrtcApi* api = open.load(std::memory_order_acquire)) return *api;
    std::lock_guard lock{mutex};
    if (const NvrtcApi* api = open.load(std::memory_order_acquire)) return *api;
    const NvrtcApi* api = open_newest().release(); // kept for good, as the driver is
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
