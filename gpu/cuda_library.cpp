// SPDX-License-Identifier: MIT
#include "gpu/cuda_library.h"

#include "engine/core/environment.h"
#include "engine/core/process.h"
#include "gpu/driver/api.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

constexpr int kNewestUsableCuda = 13;

std::string versioned(const CudaLibraryName& name, int major) {
    const int version = major >= 13 ? name.versions.cuda13 : name.versions.cuda12;
    return fmt::format("{}.{}", name.file, version);
}

void add_below(std::vector<LibraryPlace>& places, const fs::path& folder,
               const CudaLibraryName& name, int major) {
    // The wheels' folders say which CUDA theirs are for, where the files' versions are the same.
    for (fs::path& file :
         existing_files(folder,
                        {fmt::format("nvidia/cu{}/lib", major),
                         fmt::format("nvidia/{}/lib", name.wheel), "lib64", "lib", "."},
                        versioned(name, major)))
        places.push_back({std::move(file), major});
}

std::vector<fs::path> toolkits() {
    std::vector<fs::path> folders;
    const char* named = environment("LATHE_CUDA_TOOLKIT"); // as tools/bootstrap reads it
    if (named && std::string_view{named} == "none") return folders;
    if (named) folders.emplace_back(named);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* folder = environment(variable)) folders.emplace_back(folder);
    folders.emplace_back("/usr/local/cuda");
    return folders;
}

std::vector<fs::path> folders_for(CudaLibraryName::Prefer prefer) {
    std::vector<fs::path> folders = toolkits();
    const SitePackages wheels = site_packages();
    if (!wheels.hint.empty())
        folders.insert(prefer == CudaLibraryName::Prefer::wheels ? folders.begin() : folders.end(),
                       wheels.hint);
    folders.insert(folders.end(), wheels.environments.begin(), wheels.environments.end());
    return folders;
}

std::vector<LibraryPlace> named_places(const CudaLibraryName& name, const fs::path& named) {
    std::error_code ignored;
    if (!fs::is_directory(named, ignored)) return {{named}};
    const int newest = newest_usable_cuda();
    std::vector<LibraryPlace> places;
    for (int major = newest; major >= kOldestUsableCuda; --major)
        add_below(places, named, name, major);
    if (places.empty()) places.push_back({named / versioned(name, newest), newest}); // to be told
    return places;
}

} // namespace

int newest_usable_cuda() {
    return driver_problem().empty() ? std::min(driver().version / 1000, kNewestUsableCuda)
                                    : kNewestUsableCuda;
}

std::vector<LibraryPlace> cuda_library_places(const CudaLibraryName& name) {
    if (const char* named = environment(name.environment)) return named_places(name, named);
    const int newest = newest_usable_cuda();
    std::vector<LibraryPlace> places;
    if (name.prefer == CudaLibraryName::Prefer::wheels)
        for (int major = newest; major >= kOldestUsableCuda; --major)
            places.push_back({versioned(name, major), major, true});
    const std::vector<fs::path> folders = folders_for(name.prefer);
    for (int major = newest; major >= kOldestUsableCuda; --major) {
        for (const fs::path& folder : folders) add_below(places, folder, name, major);
        places.push_back({versioned(name, major), major}); // where the loader looks
    }
    return places;
}

fs::path find_cuda_program(const std::string& name) {
    if (fs::path found = find_program(name); !found.empty()) return found;
    for (const fs::path& folder : folders_for(CudaLibraryName::Prefer::toolkit))
        for (fs::path& file :
             existing_files(folder, {"bin", "nvidia/cu13/bin", "nvidia/cuda_nvdisasm/bin"}, name))
            return std::move(file);
    return {};
}

} // namespace lathe::gpu
