// SPDX-License-Identifier: MIT
// NVRTC compares options and directives itself, but no contents: the key has those.
#include "gpu/header_set.h"

#include "engine/core/cache_key.h"
#include "gpu/device_headers.h"
#include "gpu/include_scan.h"
#include "gpu/nvrtc.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

/// After the comment that begins at `at`.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
    const bool is_line = text[at + 1] == '/';
    const auto end = text.find(is_line ? "\n" : "*/", at + 2);
    return end == text.npos ? text.size() : end + (is_line ? 1 : 2);
}

bool begins_comment(std::string_view text, std::size_t at) {
    return text.substr(at, 2) == "//" || text.substr(at, 2) == "/*";
}

/// After the line, which a backslash or a comment may carry on.
std::size_t end_of_directive(std::string_view text, std::size_t at) {
    for (char quote = 0; at < text.size(); ++at) {
        if (text[at] == '\n') return at + 1;
        if (text[at] == '\\') ++at;
        else if (quote != 0) quote = text[at] == quote ? char{0} : quote;
        else if (text[at] == '"') quote = '"';
        else if (begins_comment(text, at)) {
            const bool is_line = text[at + 1] == '/';
            at = end_of_comment(text, at) - 1;
            if (is_line) return at + 1;
        }
    }
    return text.size();
}

struct DirectiveLine {
    std::string_view text;
    std::size_t end = 0; ///< in the source
};

/// Those before the first declaration.
std::vector<DirectiveLine> leading_directives(std::string_view source) {
    std::vector<DirectiveLine> found;
    for (std::size_t at = 0; (at = source.find_first_not_of(" \t\r\n", at)) != source.npos;) {
        if (begins_comment(source, at)) {
            at = end_of_comment(source, at);
        } else if (source[at] == '#') {
            const std::size_t end = end_of_directive(source, at);
            found.push_back({source.substr(at, end - at), end});
            at = end;
        } else {
            break;
        }
    }
    return found;
}

bool begins_with(std::string_view directive, std::string_view word) {
    const auto at = directive.find_first_not_of(" \t", 1);
    return at != directive.npos && directive.substr(at).starts_with(word);
}

bool is_of_the_toolkit(std::string_view name) {
    const auto headers = device_headers();
    if (std::ranges::find(headers, name, &CompileHeader::name) != headers.end()) return false;
    std::error_code ignored;
    return std::ranges::any_of(nvrtc().include_directories, [&](const fs::path& folder) {
        return fs::exists(folder / name, ignored);
    });
}

/// Directly, or through files of the user's. A toolkit that is the user's own folder looks like
/// these: it is known by its size.
bool brings_the_toolkit(std::string_view directive, const std::vector<IncludedFile>& files) {
    constexpr std::size_t kDearBytes = 200'000;
    std::size_t bytes = 0;
    const auto brings = [](std::string_view text) {
        return std::ranges::any_of(included_names(text), is_of_the_toolkit);
    };
    for (const IncludedFile& file : files) {
        bytes += file.text.size();
        if (bytes > kDearBytes || brings(file.text)) return true;
    }
    return files.empty() && brings(directive);
}

} // namespace

HeaderSet header_set_of(const CompileRequest& request, const CompileOptions& settled,
                        const std::vector<std::string>& words, const std::string& types) {
    HeaderSet set;
    const auto is_of_these = [](const std::string& word) { return word.find("pch") != word.npos; };
    if (!nvrtc().pch_create_status || !settled.pre_includes.empty() ||
        std::ranges::any_of(request.options, is_of_these))
        return set;
    CacheKey key, before; // `key`: of all that was read, up to the cut
    before.add(types).add(request.name).add(words.size() - std::ranges::count(words, kQuick));
    for (const std::string& word : words)
        if (word != kQuick) before.add(word);
    before.add(request.headers.size());
    for (const CompileHeader& header : request.headers) before.add(header.name).add(header.text);
    int depth = 0;
    bool is_dear = false;
    for (const DirectiveLine& line : leading_directives(request.source)) {
        if (has_computed_include(line.text)) break;
        before.add(line.text);
        if (begins_with(line.text, "if")) ++depth;
        if (begins_with(line.text, "endif")) --depth;
        if (begins_with(line.text, "include")) {
            const IncludeScan scan = scan_includes(line.text, settled.user_folders);
            const auto has_computed = [](const IncludedFile& file) {
                return has_computed_include(file.text);
            };
            if (std::ranges::any_of(scan.files, has_computed)) break;
            for (const IncludedFile& file : scan.files)
                before.add(file.path.string()).add(file.text);
            is_dear |= brings_the_toolkit(line.text, scan.files);
        }
        if (!is_dear || depth != 0) continue;
        is_dear = false;
        set.prefix = request.source.substr(0, line.end);
        key = before;
    }
    if (!set.prefix.empty()) set.key = key.hex();
    return set;
}

} // namespace lathe::gpu
