// SPDX-License-Identifier: MIT
#include "gpu/include_scan.h"

#include "engine/core/error.h"
#include "engine/core/resources.h"

#include <optional>
#include <set>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

std::string_view skip_blanks(std::string_view text) {
    const auto at = text.find_first_not_of(" \t");
    return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

// What follows `#include`.
std::optional<std::string_view> included(std::string_view line) {
    line = skip_blanks(line);
    if (!line.starts_with('#')) return std::nullopt;
    line = skip_blanks(line.substr(1));
    if (!line.starts_with("include")) return std::nullopt;
    return skip_blanks(line.substr(7));
}

// The name in `"name"` or `<name>`, else nothing.
std::optional<std::string_view> name_in(std::string_view quoted) {
    if (quoted.empty() || (quoted[0] != '"' && quoted[0] != '<')) return std::nullopt;
    const auto end = quoted.find(quoted[0] == '<' ? '>' : '"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return quoted.substr(1, end - 1);
}

template <class See> void each_included(std::string_view source, const See& see) {
    while (!source.empty()) {
        const auto end = source.find('\n');
        if (const auto what = included(source.substr(0, end))) see(*what);
        source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
    }
}

struct Scan {
    std::span<const fs::path> folders;
    IncludeScan result;
    std::set<fs::path> seen;

    void add(const fs::path& file) {
        std::error_code failed;
        const fs::path path = fs::weakly_canonical(file, failed);
        if (failed || !seen.insert(path).second) return;
        try {
            result.files.push_back({path, read_text(path)});
        } catch (const lathe::Error&) {
            return; // the compiler will say so
        }
        const std::string text = result.files.back().text;
        follow(text, path.parent_path());
    }

    void follow(std::string_view text, const fs::path& own_folder) {
        for (const std::string_view name : included_names(text)) look_for(name, own_folder);
    }

    void look_for(std::string_view name, const fs::path& own_folder) {
        std::vector<fs::path> places;
        if (fs::path{name}.is_absolute()) {
            places.emplace_back(name);
        } else {
            if (!own_folder.empty()) places.push_back(own_folder / name);
            for (const fs::path& folder : folders) places.push_back(folder / name);
        }
        std::error_code ignored;
        for (const fs::path& place : places)
            if (fs::is_regular_file(place, ignored)) return add(place);
        for (const fs::path& place : places) result.absent.push_back(place.lexically_normal());
    }
};

} // namespace

std::vector<std::string_view> included_names(std::string_view source) {
    std::vector<std::string_view> names;
    each_included(source, [&](std::string_view what) {
        if (const auto name = name_in(what)) names.push_back(*name);
    });
    return names;
}

bool has_computed_include(std::string_view source) {
    bool found = false;
    each_included(source, [&](std::string_view what) { found |= !name_in(what); });
    return found;
}

IncludeScan scan_includes(std::string_view source, std::span<const fs::path> folders) {
    Scan scan{folders, {}, {}};
    scan.follow(source, {});
    return std::move(scan.result);
}

} // namespace lathe::gpu
