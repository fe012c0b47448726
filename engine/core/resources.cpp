// SPDX-License-Identifier: MIT
#include "engine/core/resources.h"

#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/library.h"
#include "engine/core/places.h"

#include <fmt/core.h>

#include <fstream>
#include <mutex>
#include <sstream>

namespace lathe {

namespace fs = std::filesystem;

namespace {

std::mutex root_mutex;
fs::path& chosen_root() {
    static fs::path root;
    return root;
}

fs::path from_environment(const char* name) {
    const char* value = environment(name);
    return value ? fs::path{value} : fs::path{};
}

} // namespace

fs::path resource_root() {
    if (auto root = from_environment("LATHE_ROOT"); !root.empty()) return root;
    std::lock_guard lock{root_mutex};
    if (chosen_root().empty()) chosen_root() = source_folder();
    if (chosen_root().empty()) chosen_root() = own_folder().parent_path() / "share" / "lathe";
    return chosen_root();
}

void set_resource_root(fs::path root) {
    std::lock_guard lock{root_mutex};
    chosen_root() = std::move(root);
}

fs::path resource(std::string_view relative) {
    fs::path file = resource_root() / relative;
    if (!fs::exists(file))
        throw Error{fmt::format("resource {} is missing below {} (LATHE_ROOT names another folder)",
                                relative, resource_root().string())};
    return file;
}

std::string read_text(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()) || in.bad()) {
        if (in && fs::is_regular_file(file) && fs::is_empty(file)) return {};
        throw Error{fmt::format("cannot read {}", file.string())};
    }
    return text.str();
}

fs::path cache_directory() {
    if (auto dir = from_environment("LATHE_CACHE_DIR"); !dir.empty()) return dir;
    if (auto dir = from_environment("XDG_CACHE_HOME"); !dir.empty()) return dir / "lathe";
    if (auto dir = from_environment("HOME"); !dir.empty()) return dir / ".cache" / "lathe";
    return fs::temp_directory_path() / "lathe-cache";
}

} // namespace lathe
