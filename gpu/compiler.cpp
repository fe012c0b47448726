// SPDX-License-Identifier: MIT
// A compile in three steps: settle the options, ask the cache, ask NVRTC.
#include "gpu/compiler.h"

#include "gpu/compile_cache.h"
#include "gpu/compile_options.h"
#include "gpu/context.h"
#include "gpu/device_headers.h"
#include "gpu/driver/check.h"
#include "gpu/header_set.h"
#include "gpu/include_scan.h"
#include "gpu/nvrtc.h"
#include "gpu/precompiled_headers.h"
#include "gpu/system_types.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

namespace lathe::gpu {

namespace fs = std::filesystem;

namespace {

int number_of(ComputeCapability c) { return c.major * 10 + c.minor; }
ComputeCapability capability_of(int number) { return {number / 10, number % 10}; }

// -- the cache's key ---------------------------------------------------------------------------

struct KeyAndFiles {
    std::string key;
    std::vector<fs::path> files; // CompileResult::files
};

KeyAndFiles key_of(const CompileRequest& r, const CompileOptions& s) {
    KeyAndFiles result;
    CacheKey key;
    key.add("lathe compile 4").add(device_headers_key()).add(r.source).add(r.name);
    key.add(static_cast<std::uint64_t>(nvrtc().major) << 32 | static_cast<unsigned>(nvrtc().minor));
    key.add(s.target.arch());
    key.add(s.words.size());
    for (const std::string& word : s.words) key.add(word);
    key.add(r.headers.size());
    for (const CompileHeader& header : r.headers) key.add(header.name).add(header.text);
    key.add(r.name_expressions.size());
    for (const std::string& expression : r.name_expressions) key.add(expression);
    const auto add_files = [&](std::string_view text) {
        IncludeScan scan = scan_includes(text, s.user_folders);
        for (IncludedFile& file : scan.files) {
            key.add(file.path.string()).add(file.text);
            result.files.push_back(std::move(file.path));
        }
        for (fs::path& place : scan.absent) result.files.push_back(std::move(place));
    };
    for (const std::string& file : s.pre_includes)
        add_files(fmt::format("#include \"{}\"", fs::absolute(file).string()));
    if (!s.user_folders.empty()) {
        for (const std::string& file : s.pre_includes)
            add_files(fmt::format("#include \"{}\"", file));
        add_files(r.source);
        for (const CompileHeader& header : r.headers) add_files(header.text);
    }
    std::sort(result.files.begin(), result.files.end());
    result.files.erase(std::unique(result.files.begin(), result.files.end()), result.files.end());
    result.key = key.hex();
    return result;
}

// -- NVRTC -----------------------------------------------------------------------------------

void check(nvrtcResult code, std::string_view routine) {
    if (code != NVRTC_SUCCESS)
        throw lathe::Error{fmt::format("{} failed: {}", routine, nvrtc().error_string(code))};
}

class Program {
public:
    /// `types`: a header of its own, its text empty if there are none.
    Program(const CompileRequest& request, const CompileHeader& types) {
        std::vector<const char*> names;
        std::vector<const char*> texts;
        const auto add = [&](const CompileHeader& header) {
            const auto same = [&](const char* name) { return header.name == name; };
            if (std::any_of(names.begin(), names.end(), same)) return; // the request's come first
            names.push_back(header.name.c_str());
            texts.push_back(header.text.c_str());
        };
        if (!types.text.empty()) add(types);
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

    nvrtcProgram get() const { return program_; }

private:
    nvrtcProgram program_ = nullptr;
};

// -- precompiled headers -----------------------------------------------------------------------

constexpr const char* kTypesHeader = "lathe_system_types.h";

nvrtcResult compile_with(Program& program, std::vector<std::string> words,
                         const std::string& option) {
    words.insert(words.end(), {option, "--pch-messages=false", "--pch-verbose=false"});
    return program.compile(words);
}

// Makes precompiled headers of the request in the background, if it is worth it.
void wish_for(const HeaderSet& set, const CompileRequest& request, const CompileTarget& target,
              std::vector<std::string> words, const std::string& types) {
    if (set.key.empty()) return;
    std::erase(words, kQuick); // it reads no header otherwise: quick and full compiles share them
    CompileRequest headers_alone{.source = set.prefix + "\n;\n",
                                 .name = request.name,
                                 .headers = request.headers,
                                 .target = target};
    const auto make = [alone = std::move(headers_alone), words, types](const fs::path& file) {
        try {
            Program program{alone, {kTypesHeader, types}};
            // Who uses the file would not see a warning that its headers had.
            return compile_with(program, words, "--create-pch=" + file.string()) == NVRTC_SUCCESS &&
                   nvrtc().pch_create_status(program.get()) == NVRTC_SUCCESS &&
                   program.log().empty();
        } catch (const lathe::Error&) { return false; }
    };
    PrecompiledHeaders::instance().wish(set.key, request.more_will_come, make);
}

// `types` are declared before the source.
CompileResult run(const CompileRequest& request, const CompileOptions& s,
                  const std::string& types = {}) {
    CompileResult result;
    result.target = s.target;
    result.command_line = fmt::format("{} {}", fmt::join(s.words, " "), request.name);
    const CompileHeader header{kTypesHeader, types};
    std::vector<std::string> words = s.words;
    if (!types.empty()) words.push_back("--pre-include=" + header.name);
    const HeaderSet set = header_set_of(request, s, words, types);
    PrecompiledHeaders& precompiled = PrecompiledHeaders::instance();
    const auto file = set.key.empty() ? nullptr : precompiled.find(set.key);
    std::optional<Program> program{std::in_place, request, header};
    nvrtcResult code = NVRTC_SUCCESS;
    if (file) {
        code = compile_with(*program, words, "--use-pch=" + file->path());
        result.had_headers = (code == NVRTC_SUCCESS || code == NVRTC_ERROR_COMPILATION) &&
                             program->log().find("precompiled header file") == std::string::npos;
        if (!result.had_headers) {
            precompiled.refuse(set.key);
            program.emplace(request, header);
        }
    }
    if (!result.had_headers) {
        code = program->compile(words);
        wish_for(set, request, s.target, words, types);
    }
    result.log = program->log();
    result.diagnostics = parse_nvrtc_log(result.log, request.name, request.source);
    result.ok = code == NVRTC_SUCCESS;
    if (!result.ok) {
        const auto is_error = [](const Diagnostic& d) {
            return d.severity == Diagnostic::Severity::error;
        };
        if (std::none_of(result.diagnostics.begin(), result.diagnostics.end(), is_error))
            result.diagnostics.push_back({.file = request.name,
                                          .text = fmt::format("nvrtcCompileProgram failed: {}",
                                                              nvrtc().error_string(code))});
        return result;
    }
    result.image = program->image(s.target.kind);
    for (const std::string& expression : request.name_expressions)
        result.lowered_names[expression] = program->lowered_name(expression);
    return result;
}

// An error that the declarations which kMinimal leaves out could be the cure of: all of them are
// names. A source without a `;` has the same errors with them.
bool may_miss_declarations(const CompileResult& result) {
    const auto is_of_a_name = [](const Diagnostic& d) {
        if (d.severity != Diagnostic::Severity::error) return false;
        for (const char* words : {"is undefined", "incomplete type", "has no member",
                                  "no instance of", "class or namespace name", "not a template"})
            if (d.text.find(words) != std::string::npos) return true;
        return false;
    };
    return std::any_of(result.diagnostics.begin(), result.diagnostics.end(), is_of_a_name);
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
    CompileOptions settled = settle_options(request);
    KeyAndFiles of = key_of(request, settled);
    CompileCache& cache = CompileCache::instance();
    std::optional<CompileResult> result;
    if (request.use_cache) result = cache.find(of.key);
    if (result && request.more_will_come) // the next one will not come from the cache
        wish_for(header_set_of(request, settled, settled.words, {}), request, settled.target,
                 settled.words, {});
    if (!result) {
        const PrecompiledHeaders::Foreground others_wait;
        const bool quick = request.quick && settled.can_be_quick;
        if (quick) settled.words.emplace_back(kQuick);
        result = run(request, settled);
        std::string types;
        // After an error the compiler skips text, in which more may be undefined.
        for (int round = 0; round < 4 && !result->ok && may_miss_declarations(*result); ++round) {
            const std::string more = declare_undefined_types(result->diagnostics);
            if (std::erase(settled.words, kMinimal) == 0 && more.empty()) break;
            result = run(request, settled, types += more);
        }
        result->quick = quick;
        if (request.use_cache && !quick) cache.store(of.key, *result);
    }
    result->key = std::move(of.key);
    result->files = std::move(of.files);
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
