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

// The name in `#include "name"` or `#include <name>`, else nothing.
std::optional<std::string_view> included_name(std::string_view line) {
    line = skip_blanks(line);
    if (!line.starts_with('#')) return std::nullopt;
    line = skip_blanks(line.substr(1));
    if (!line.starts_with("include")) return std::nullopt;
    line = skip_blanks(line.substr(7));
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
    const auto end = line.find(line[0] == '<' ? '>' : '"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return line.substr(1, end - 1);
}

struct Scan {
    std::span<const fs::path> folders;
    std::vector<IncludedFile> found;
    std::set<fs::path> seen;

    void add(const fs::path& file) {
        std::error_code failed;
        const fs::path path = fs::weakly_canonical(file, failed);
        if (failed || !seen.insert(path).second) return;
        try {
            found.push_back({path, read_text(path)});
        } catch (const lathe::Error&) {
            return; // the compiler will say so
        }
        const std::string text = found.back().text;
        follow(text, path.parent_path());
    }

    void follow(std::string_view text, const fs::path& own_folder) {
        while (!text.empty()) {
            const auto end = text.find('\n');
            if (const auto name = included_name(text.substr(0, end))) look_for(*name, own_folder);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
    }

    void look_for(std::string_view name, const fs::path& own_folder) {
        std::error_code ignored;
        if (fs::path{name}.is_absolute()) {
            if (fs::is_regular_file(name, ignored)) add(name);
            return;
        }
        if (!own_folder.empty() && fs::is_regular_file(own_folder / name, ignored))
            return add(own_folder / name);
        for (const fs::path& folder : folders)
            if (fs::is_regular_file(folder / name, ignored)) return add(folder / name);
    }
};

} // namespace

std::vector<IncludedFile> included_files(std::string_view source,
                                         std::span<const fs::path> folders) {
    Scan scan{folders, {}, {}};
    scan.follow(source, {});
    return std::move(scan.found);
}

} // namespace lathe::gpu
