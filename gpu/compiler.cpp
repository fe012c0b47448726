// SPDX-License-Identifier: MIT
// A compile in three steps: settle the options, ask the cache, ask NVRTC.
#include "gpu/compiler.h"

#include "gpu/compile_cache.h"
#include "gpu/context.h"
#include "gpu/device_headers.h"
#include "gpu/driver/check.h"
#include "gpu/include_scan.h"
#include "gpu/nvrtc.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

using namespace std::string_view_literals;

int number_of(ComputeCapability c) { return c.major * 10 + c.minor; }
ComputeCapability capability_of(int number) { return {number / 10, number % 10}; }

// -- options ---------------------------------------------------------------------------------

// A request with all choices made: what the key is made of and what NVRTC is given.
struct Settled {
    const CompileRequest* request;
    CompileTarget target;
    std::vector<std::string> options;
    bool can_be_quick = false;
    std::vector<fs::path> user_folders; // of the options and the request, and the source's own
};

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
    target.capability = capability_of(number);
    return target;
}

constexpr const char* kMinimal = "--minimal";
constexpr const char* kQuick = "--Ofast-compile=max";

// Headers that bring hundreds of namespace-scope constants, which the default execution space
// would turn into device variables one by one.
bool includes_heavy_headers(std::string_view source) {
    for (const auto name : {"cooperative_groups"sv, "<cuda/"sv, "<cub/"sv, "<thrust/"sv})
        if (source.find(name) != std::string_view::npos) return true;
    return false;
}

// What --minimal leaves out of every program, 4 ms of an edit: texture and surface functions and
// the runtime's declarations. A word that only looks like one of these costs that time, no more;
// what slips through fails and is compiled again in full.
bool needs_full_declarations(std::string_view source) {
    for (const auto name : {"include"sv, "tex"sv, "surf"sv, "cuda"sv, "<<<"sv})
        if (source.find(name) != std::string_view::npos) return true;
    return false;
}

Settled settle(const CompileRequest& request) {
    Settled s{&request, {}, {}, false, {}};
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
        standard |= option.starts_with("--std") || option.starts_with("-std");
        debug |= option == "-G" || option == "--device-debug";
        line_info |= option == "-lineinfo" || option == "--generate-line-info";
        if (option == "-G" || option == "--device-debug") continue; // said once, below
        given.push_back(option);
    }
    if (!arch) {
        s.target = request.target ? *request.target : CompileTarget::current();
        if (request.debug_info) s.target.kind = ImageKind::ptx;
        s.options.push_back("--gpu-architecture=" + s.target.arch());
    }
    if (!standard) s.options.emplace_back("--std=c++17");
    if (debug)
        s.options.emplace_back("--device-debug");
    else if (!line_info)
        s.options.emplace_back("--generate-line-info");
    if (!includes_heavy_headers(request.source))
        s.options.emplace_back("--device-as-default-execution-space");
    if (nvrtc().major > 12 || (nvrtc().major == 12 && nvrtc().minor >= 9)) {
        // NVRTC would keep each result on disk beside our own cache: 17 ms an edit with a driver.
        s.options.emplace_back("--no-cache");
        if (!needs_full_declarations(request.source)) s.options.emplace_back(kMinimal);
        s.can_be_quick = !debug;
    }
    s.options.insert(s.options.end(), given.begin(), given.end());

    s.user_folders.insert(s.user_folders.end(), request.include_directories.begin(),
                          request.include_directories.end());
    std::error_code ignored;
    const fs::path own = fs::path{request.name}.parent_path();
    if (!own.empty() && fs::is_directory(own, ignored)) s.user_folders.push_back(own);
    for (const fs::path& folder : s.user_folders)
        s.options.push_back("--include-path=" + folder.string());
    for (const fs::path& folder : nvrtc().include_directories)
        s.options.push_back("--include-path=" + folder.string());
    return s;
}

std::string key_of(const Settled& s) {
    const CompileRequest& r = *s.request;
    CacheKey key;
    key.add("lathe compile 1").add(r.source).add(r.name);
    key.add(static_cast<std::uint64_t>(nvrtc().major) << 32 | static_cast<unsigned>(nvrtc().minor));
    key.add(s.target.arch());
    key.add(s.options.size());
    for (const std::string& option : s.options) key.add(option);
    key.add(r.headers.size());
    for (const CompileHeader& header : r.headers) key.add(header.name).add(header.text);
    key.add(r.name_expressions.size());
    for (const std::string& expression : r.name_expressions) key.add(expression);
    const auto add_files = [&](std::string_view text) {
        for (const IncludedFile& file : included_files(text, s.user_folders))
            key.add(file.path.string()).add(file.text);
    };
    if (!s.user_folders.empty()) {
        add_files(r.source);
        for (const CompileHeader& header : r.headers) add_files(header.text);
    }
    return key.hex();
}

// -- NVRTC -----------------------------------------------------------------------------------

void check(nvrtcResult code, std::string_view routine) {
    if (code != NVRTC_SUCCESS)
        throw lathe::Error{fmt::format("{} failed: {}", routine, nvrtc().error_string(code))};
}

class Program {
public:
    explicit Program(const CompileRequest& request) {
        std::vector<const char*> names;
        std::vector<const char*> texts;
        const auto add = [&](const CompileHeader& header) {
            const auto same = [&](const char* name) { return header.name == name; };
            if (std::any_of(names.begin(), names.end(), same)) return; // the request's come first
            names.push_back(header.name.c_str());
            texts.push_back(header.text.c_str());
        };
        for (const CompileHeader& header : request.headers) add(header);
        for (const CompileHeader& header : device_headers()) add(header);
        check(nvrtc().create_program(&program_, request.source.c_str(), request.name.c_str(),
                                     static_cast<int>(names.size()), texts.data(), names.data()),
              "nvrtcCreateProgram");
        for (const std::string& expression : request.name_expressions)
            check(nvrtc().add_name_expression(program_, expression.c_str()),
                  "nvrtcAddNameExpression");
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { nvrtc().destroy_program(&program_); }

    nvrtcResult compile(const std::vector<std::string>& options) {
        std::vector<const char*> pointers;
        for (const std::string& option : options) pointers.push_back(option.c_str());
        return nvrtc().compile_program(program_, static_cast<int>(pointers.size()),
                                       pointers.data());
    }

    std::string log() const {
        std::size_t bytes = 0;
        if (nvrtc().log_size(program_, &bytes) != NVRTC_SUCCESS || bytes == 0) return {};
        std::string log(bytes, '\0');
        check(nvrtc().log(program_, log.data()), "nvrtcGetProgramLog");
        log.resize(std::min(log.size(), log.find('\0')));
        return log;
    }

    std::vector<std::byte> image(ImageKind kind) const {
        const bool ptx = kind == ImageKind::ptx;
        std::size_t bytes = 0;
        check((ptx ? nvrtc().ptx_size : nvrtc().cubin_size)(program_, &bytes),
              ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize");
        std::vector<std::byte> image(bytes);
        check((ptx ? nvrtc().ptx : nvrtc().cubin)(program_, reinterpret_cast<char*>(image.data())),
              ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
        if (ptx && !image.empty() && image.back() == std::byte{0}) image.pop_back();
        return image;
    }

    std::string lowered_name(const std::string& expression) const {
        const char* name = nullptr;
        check(nvrtc().lowered_name(program_, expression.c_str(), &name), "nvrtcGetLoweredName");
        return name;
    }

private:
    nvrtcProgram program_ = nullptr;
};

CompileResult run(const Settled& s) {
    CompileResult result;
    result.target = s.target;
    result.command_line = fmt::format("{} {}", fmt::join(s.options, " "), s.request->name);
    Program program{*s.request};
    const nvrtcResult code = program.compile(s.options);
    result.log = program.log();
    result.diagnostics = parse_nvrtc_log(result.log);
    result.ok = code == NVRTC_SUCCESS;
    if (!result.ok) {
        const auto is_error = [](const Diagnostic& d) {
            return d.severity == Diagnostic::Severity::error;
        };
        if (std::none_of(result.diagnostics.begin(), result.diagnostics.end(), is_error))
            result.diagnostics.push_back({.file = s.request->name,
                                          .text = fmt::format("nvrtcCompileProgram failed: {}",
                                                              nvrtc().error_string(code))});
        return result;
    }
    result.image = program.image(s.target.kind);
    for (const std::string& expression : s.request->name_expressions)
        result.lowered_names[expression] = program.lowered_name(expression);
    return result;
}

std::string first_error(const CompileResult& result) {
    for (const Diagnostic& d : result.diagnostics)
        if (d.severity == Diagnostic::Severity::error) return to_string(d);
    return result.log.empty() ? "compilation failed" : result.log;
}

} // namespace

std::string CompileTarget::arch() const {
    return fmt::format("{}_{}", kind == ImageKind::ptx ? "compute" : "sm", number_of(capability));
}

CompileTarget CompileTarget::current() {
    const Device device = Context::ensure_current().device();
    CompileTarget target{driver().image_kind, device.compute_capability()};
    const std::vector<int>& archs = nvrtc().archs;
    if (archs.empty() ||
        std::binary_search(archs.begin(), archs.end(), number_of(target.capability)))
        return target;
    // A device between or beyond those NVRTC knows: PTX of the next lower one, for the driver's
    // JIT.
    const auto above = std::upper_bound(archs.begin(), archs.end(), number_of(target.capability));
    if (above == archs.begin())
        throw lathe::Error{fmt::format(
            "NVRTC {}.{} compiles for compute capability {}.{} and newer, {} has {}.{}. Install "
            "an older one (pip install nvidia-cuda-nvrtc-cu12) and name it in LATHE_NVRTC.",
            nvrtc().major, nvrtc().minor, archs.front() / 10, archs.front() % 10, device.name(),
            target.capability.major, target.capability.minor)};
    return {ImageKind::ptx, capability_of(*(above - 1))};
}

std::string_view CompileResult::ptx() const noexcept {
    return {reinterpret_cast<const char*>(image.data()), image.size()};
}

CompileError::CompileError(const CompileResult& result, std::source_location where)
    : lathe::Error{first_error(result), where}, log_{result.log}, diagnostics_{result.diagnostics},
      command_line_{result.command_line} {}

CompileResult compile(const CompileRequest& request) {
    const auto start = std::chrono::steady_clock::now();
    Settled settled = settle(request);
    const std::string key = key_of(settled);
    CompileCache& cache = CompileCache::instance();
    std::optional<CompileResult> result;
    if (request.use_cache) result = cache.find(key);
    if (!result) {
        const bool quick = request.quick && settled.can_be_quick;
        if (quick) settled.options.emplace_back(kQuick);
        result = run(settled);
        if (!result->ok && std::erase(settled.options, kMinimal) > 0) result = run(settled);
        result->quick = quick;
        if (request.use_cache && !quick) cache.store(key, *result);
    }
    result->milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return std::move(*result);
}

CompileResult compile_or_throw(const CompileRequest& request) {
    CompileResult result = compile(request);
    if (!result.ok) throw CompileError{result};
    return result;
}

} // namespace lathe::gpu
