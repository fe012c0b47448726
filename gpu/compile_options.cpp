// SPDX-License-Identifier: MIT
#include "gpu/compile_options.h"

#include "gpu/device_headers.h"
#include "gpu/include_scan.h"
#include "gpu/nvrtc.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

using namespace std::string_view_literals;

// The value of "-arch=x", "--gpu-architecture=x", "-arch x"; advances over a separate value.
std::optional<std::string> value_of(const std::vector<std::string>& options, std::size_t& i,
                                    std::initializer_list<std::string_view> names) {
    const std::string_view option = options[i];
    for (const std::string_view name : names) {
        if (option == name && i + 1 < options.size()) return options[++i];
        if (option.starts_with(name) && option.size() > name.size() && option[name.size()] == '=')
            return std::string{option.substr(name.size() + 1)};
    }
    return std::nullopt;
}

// "sm_90a", "compute_75".
CompileTarget target_of(const std::string& arch, const CompileTarget& otherwise) {
    CompileTarget target;
    const auto underscore = arch.find('_');
    if (underscore == std::string::npos) return otherwise;
    int number = 0;
    for (char c : arch.substr(underscore + 1))
        if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    target.kind = arch.starts_with("sm_") ? ImageKind::cubin : ImageKind::ptx;
    target.capability = {number / 10, number % 10};
    return target;
}

// Headers that bring hundreds of namespace-scope constants, which the default execution space
// would turn into device variables one by one.
bool includes_heavy_headers(std::string_view source) {
    for (const auto name : {"cooperative_groups"sv, "<cuda/"sv, "<cub/"sv, "<thrust/"sv})
        if (source.find(name) != std::string_view::npos) return true;
    return false;
}

bool is_in_a_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A word of the text that begins so.
bool has_word(std::string_view text, std::string_view begin) {
    for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1))
        if (at == 0 || !is_in_a_word(text[at - 1])) return true;
    return false;
}

// Texture and surface functions, and the runtime's declarations.
bool has_words_of_the_runtime(std::string_view text) {
    return has_word(text, "tex") || has_word(text, "surf") || has_word(text, "cuda") ||
           text.find("<<<") != text.npos;
}

using Names = std::set<std::string_view>;

bool includes_others_than(std::string_view text, const Names& names) {
    const auto included = included_names(text);
    return !std::all_of(included.begin(), included.end(),
                        [&](std::string_view name) { return names.contains(name); });
}

// Of our device headers: those whose texts, and what they include, do without the runtime.
const Names& headers_without_runtime() {
    static const Names found = [] {
        Names names;
        for (const CompileHeader& header : device_headers())
            if (!has_words_of_the_runtime(header.text)) names.insert(header.name);
        for (std::size_t before = 0; before != names.size();) {
            before = names.size();
            for (const CompileHeader& header : device_headers())
                if (includes_others_than(header.text, names)) names.erase(header.name);
        }
        return names;
    }();
    return found;
}

// What --minimal leaves out of every program, 4 to 25 ms of a compile. A word that only looks like
// one of these costs that time, no more; what slips through fails and is compiled again in full.
bool needs_full_declarations(std::string_view source) {
    return has_words_of_the_runtime(source) ||
           includes_others_than(source, headers_without_runtime());
}

} // namespace

CompileOptions settle_options(const CompileRequest& request) {
    CompileOptions s;
    bool standard = false;
    bool arch = false;
    bool debug = request.debug_info;
    bool line_info = false;
    std::vector<std::string> given;
    const CompileTarget asked = request.target ? *request.target : CompileTarget{};
    for (std::size_t i = 0; i < request.options.size(); ++i) {
        const std::string& option = request.options[i];
        if (auto value = value_of(request.options, i, {"-arch", "--gpu-architecture"})) {
            s.target = target_of(*value, asked);
            arch = true;
            given.push_back("--gpu-architecture=" + *value);
            continue;
        }
        if (auto folder = value_of(request.options, i, {"-I", "--include-path"})) {
            s.user_folders.emplace_back(*folder);
            continue;
        }
        if (option.starts_with("-I") && option.size() > 2) {
            s.user_folders.emplace_back(option.substr(2));
            continue;
        }
        if (auto file = value_of(request.options, i, {"--pre-include", "-include"})) {
            s.pre_includes.push_back(*file);
            given.push_back("--pre-include=" + *file);
            continue;
        }
        standard |= option.starts_with("--std") || option.starts_with("-std");
        debug |= option == "-G" || option == "--device-debug";
        line_info |= option == "-lineinfo" || option == "--generate-line-info";
        if (option == "-G" || option == "--device-debug") continue; // said once, below
        given.push_back(option);
    }
    if (!arch) {
        s.target = request.target ? *request.target : CompileTarget::current();
        if (request.debug_info) s.target.kind = ImageKind::ptx;
        s.words.push_back("--gpu-architecture=" + s.target.arch());
    }
    if (!standard) s.words.emplace_back("--std=c++17");
    if (debug) s.words.emplace_back("--device-debug");
    else if (!line_info) s.words.emplace_back("--generate-line-info");
    if (!includes_heavy_headers(request.source))
        s.words.emplace_back("--device-as-default-execution-space");
    if (nvrtc().major > 12 || (nvrtc().major == 12 && nvrtc().minor >= 9)) {
        // NVRTC would keep each result on disk beside our own cache: 17 ms an edit with a driver.
        s.words.emplace_back("--no-cache");
        if (!needs_full_declarations(request.source)) s.words.emplace_back(kMinimal);
        // To PTX it saves NVRTC more still, but the software device's own compiler pays for what is
        // left undone: gray_scott and nbody were ready later, and ran slower.
        s.can_be_quick = !debug && s.target.kind == ImageKind::cubin;
    }
    s.words.insert(s.words.end(), given.begin(), given.end());

    s.user_folders.insert(s.user_folders.end(), request.include_directories.begin(),
                          request.include_directories.end());
    std::error_code ignored;
    const fs::path own = fs::path{request.name}.parent_path();
    if (!own.empty() && fs::is_directory(own, ignored)) s.user_folders.push_back(own);
    for (const fs::path& folder : s.user_folders)
        s.words.push_back("--include-path=" + folder.string());
    for (const fs::path& folder : nvrtc().include_directories)
        s.words.push_back("--include-path=" + folder.string());
    return s;
}

} // namespace lathe::gpu
