// SPDX-License-Identifier: MIT
#include "engine/core/library.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/resources.h"

#include <fmt/core.h>

#include <mutex>

#include <dlfcn.h>
#include <link.h>

namespace lathe {
namespace {

namespace fs = std::filesystem;

std::mutex hint_mutex;
fs::path& chosen_hint() { // guarded by hint_mutex
    static fs::path hint;
    return hint;
}

void add_site_packages(std::vector<fs::path>& folders, const fs::path& virtual_environment) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator{virtual_environment / "lib", ignored})
        if (entry.path().filename().string().starts_with("python3"))
            folders.push_back(entry.path() / "site-packages");
}

} // namespace

SharedLibrary SharedLibrary::open(const fs::path& file, bool if_open) {
    SharedLibrary opened;
    opened.handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | (if_open ? RTLD_NOLOAD : 0));
    if (!opened.handle_) {
        const char* words = dlerror(); // none where it is only not open
        throw Error{words ? words : fmt::format("{} is not open", file.string())};
    }
    link_map* map = nullptr;
    const bool is_known =
        dlinfo(opened.handle_, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && *map->l_name;
    opened.path_ = is_known ? fs::path{map->l_name} : file;
    return opened;
}

void* SharedLibrary::symbol(const char* name) const noexcept {
    return handle_ ? dlsym(handle_, name) : nullptr;
}

void* SharedLibrary::required(const char* name) const {
    if (void* address = symbol(name)) return address;
    throw Error{fmt::format("{} has no {}", path_.string(), name)};
}

std::vector<fs::path> existing_files(const fs::path& folder, const std::vector<std::string>& below,
                                     const std::string& file) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const std::string& each : below)
        if (fs::exists(folder / each / file, ignored))
            found.push_back((folder / each / file).lexically_normal());
    return found;
}

FoundLibrary open_first(const std::vector<LibraryPlace>& places) {
    FoundLibrary found;
    for (const LibraryPlace& place : places) {
        try {
            found.library = SharedLibrary::open(place.file, place.if_open);
            found.place = place;
            return found;
        } catch (const Error& e) {
            if (!place.if_open) found.problems.emplace_back(e.what());
        }
    }
    return found;
}

void set_library_hint(fs::path folder) {
    std::lock_guard lock{hint_mutex};
    chosen_hint() = std::move(folder);
}

SitePackages site_packages() {
    SitePackages found;
    {
        std::lock_guard lock{hint_mutex};
        found.hint = chosen_hint();
    }
    if (const char* active = environment("VIRTUAL_ENV"))
        add_site_packages(found.environments, active);
    add_site_packages(found.environments, resource_root() / ".venv");
    return found;
}

fs::path own_folder() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void*>(&own_folder), &info) || !info.dli_fname) return {};
    std::error_code ignored;
    return fs::weakly_canonical(info.dli_fname, ignored).parent_path();
}

} // namespace lathe
