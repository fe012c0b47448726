// SPDX-License-Identifier: MIT
#include "gpu/libraries/library.h"

#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "gpu/driver/api.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include <dlfcn.h>
#include <link.h>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

constexpr int kNewestUsableCuda = 13;

std::mutex hint_mutex;
fs::path hint; // guarded by hint_mutex

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

void add_site_packages(std::vector<fs::path>& folders, const fs::path& environment_root) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator{environment_root / "lib", ignored})
        if (entry.path().filename().string().starts_with("python3"))
            folders.push_back(entry.path() / "site-packages");
}

struct Candidate {
    fs::path file;
    int cuda_major;
    bool only_if_open = false;
};

std::string versioned(const LibraryName& name, int major) {
    const int version = major >= 13 ? name.versions.cuda13 : name.versions.cuda12;
    return fmt::format("{}.{}", name.file, version);
}

void add_below(std::vector<Candidate>& found, const fs::path& folder, const LibraryName& name,
               int major) {
    const std::string file = versioned(name, major);
    // The wheels' folders say which CUDA theirs are for, where the files' versions are the same.
    std::error_code ignored;
    for (const std::string& below :
         {fmt::format("nvidia/cu{}/lib", major), fmt::format("nvidia/{}/lib", name.wheel),
          std::string{"lib64"}, std::string{"lib"}, std::string{"."}})
        if (fs::exists(folder / below / file, ignored))
            found.push_back({(folder / below / file).lexically_normal(), major});
}

std::vector<Candidate> candidates(const LibraryName& name) {
    std::vector<Candidate> found;
    const int newest = newest_usable_cuda();
    if (const char* named = environment(name.environment)) {
        std::error_code ignored;
        if (!fs::is_directory(named, ignored)) return {{named, 0}};
        for (int major = newest; major >= kOldestUsableCuda; --major)
            add_below(found, named, name, major);
        if (found.empty()) found.push_back({fs::path{named} / versioned(name, newest), newest});
        return found;
    }
    std::vector<fs::path> folders = library_folders();
    {
        std::lock_guard lock{hint_mutex};
        if (!hint.empty()) folders.insert(folders.begin(), hint);
    }
    for (int major = newest; major >= kOldestUsableCuda; --major)
        found.push_back({versioned(name, major), major, true});
    for (int major = newest; major >= kOldestUsableCuda; --major) {
        for (const fs::path& folder : folders) add_below(found, folder, name, major);
        found.push_back({versioned(name, major), major});
    }
    return found;
}

} // namespace

void set_library_hint(fs::path folder) {
    std::lock_guard lock{hint_mutex};
    hint = std::move(folder);
}

std::vector<fs::path> library_folders() {
    std::vector<fs::path> folders;
    const char* toolkit = environment("LATHE_CUDA_TOOLKIT"); // as tools/bootstrap reads it
    if (!toolkit || std::string_view{toolkit} != "none") {
        if (toolkit) folders.emplace_back(toolkit);
        for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
            if (const char* folder = environment(name)) folders.emplace_back(folder);
        folders.emplace_back("/usr/local/cuda");
    }
    if (const char* folder = environment("VIRTUAL_ENV")) add_site_packages(folders, folder);
    add_site_packages(folders, resource_root() / ".venv");
    return folders;
}

int newest_usable_cuda() {
    return driver_problem().empty() ? std::min(driver().version / 1000, kNewestUsableCuda)
                                    : kNewestUsableCuda;
}

Library::Library(const LibraryName& name) : title_{name.title} {
    std::vector<std::string> problems;
    for (const Candidate& candidate : candidates(name)) {
        const int open_only = candidate.only_if_open ? RTLD_NOLOAD : 0;
        handle_ = dlopen(candidate.file.c_str(), RTLD_NOW | RTLD_LOCAL | open_only);
        if (!handle_) {
            const char* text = dlerror();
            if (!candidate.only_if_open) problems.emplace_back(text ? text : "unknown error");
            continue;
        }
        link_map* map = nullptr;
        path_ = dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && *map->l_name
                    ? fs::path{map->l_name}
                    : candidate.file;
        cuda_major_ = candidate.cuda_major;
        log::debug("{} {}", title_, path_.string());
        return;
    }
    throw LibraryMissing{fmt::format(
        "{} was not found: {}. pip install nvidia-{} (for CUDA 12: nvidia-{}-cu12), or install "
        "NVIDIA's CUDA toolkit and name it in CUDA_HOME, or name the library in {}.",
        title_, fmt::join(problems, "; "), name.wheel, name.wheel, name.environment)};
}

void* Library::symbol(const char* name) const noexcept { return dlsym(handle_, name); }

void* Library::needed(const char* name) const {
    if (void* address = symbol(name)) return address;
    throw LibraryMissing{fmt::format("{} has no {}: a {} of CUDA {} or newer is needed",
                                     path_.string(), name, title_, kOldestUsableCuda)};
}

} // namespace lathe::gpu
