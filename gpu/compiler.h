// SPDX-License-Identifier: MIT
// CUDA C++ to PTX or CUBIN through NVRTC, which is opened at run time; its log becomes diagnostics
// with file, line and column. Results are kept in compile_cache.h.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "engine/core/error.h"
#include "gpu/device.h"
#include "gpu/driver/api.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

struct LATHE_API CompileTarget {
    ImageKind kind = ImageKind::ptx;
    ComputeCapability capability{7, 5};

    /// What the current context's device runs fastest. Throws where there is no driver.
    static CompileTarget current();
    std::string arch() const; ///< "compute_75" or "sm_90"
    bool operator==(const CompileTarget&) const = default;
};

/// A header given as text: `#include "name"` and `#include <name>` find it before any file.
struct CompileHeader {
    std::string name;
    std::string text;
};

struct CompileRequest {
    std::string source{};
    std::string name = "kernel.cu"; ///< in diagnostics and line tables; a path is kept as it is
    /// Added after the defaults (--std=c++17 -lineinfo --device-as-default-execution-space), of
    /// which one that they replace (--std=…, -G, --device-int128 …) is left out.
    std::vector<std::string> options{};
    std::vector<CompileHeader> headers{};
    std::vector<std::filesystem::path> include_directories{};
    std::vector<std::string> name_expressions{}; ///< such as "&scale<float>": see lowered_names
    std::optional<CompileTarget> target{};       ///< none: CompileTarget::current()
    bool debug_info = false; ///< a -G compile to PTX: names and types of parameters, slow code
    bool use_cache = true;
    /// Sooner rather than faster: hardly optimised code in a half to a sixth of the time
    /// (--Ofast-compile=max, CUBINs, NVRTC 12.9), unless the cache has the full compile. Nothing is
    /// inlined and other additions are fused, so floating-point results may differ in the last bit.
    bool quick = false;
    /// The like will be compiled again soon: the headers of CUDA that the source begins with are
    /// precompiled in the background after this compile (NVRTC 12.8). Otherwise that happens after
    /// the process's third compile that begins with them. See precompiled_headers.h.
    bool more_will_come = false;
};

struct LATHE_API CompileResult {
    bool ok = false;
    CompileTarget target;
    std::vector<std::byte> image; ///< PTX without a closing 0, or CUBIN; empty where not ok
    std::string log;              ///< as NVRTC wrote it
    std::vector<Diagnostic> diagnostics;
    std::map<std::string, std::string> lowered_names; ///< by name expression
    std::string command_line;                         ///< the options given to NVRTC, for messages
    bool from_cache = false;                          ///< nothing was compiled
    bool from_disk = false;                           ///< and it was read from disk
    bool quick = false;                               ///< compiled as `CompileRequest::quick` says
    bool had_headers = false; ///< those at its beginning were precompiled; nothing else differs
    double milliseconds = 0;  ///< wall time of this call
    /// Files of the user's own folders that the source includes, and the places where those that
    /// are not there (or are the toolkit's) would be found, sorted.
    std::vector<std::filesystem::path> files;
    /// The same where all that decides the image is the same; quick and full compiles share it.
    std::string key;

    /// The image as text where target.kind is ptx.
    std::string_view ptx() const noexcept;
};

/// A source that NVRTC refused; what() is the first error.
class LATHE_API CompileError : public lathe::Error {
public:
    explicit CompileError(const CompileResult& result,
                          std::source_location where = std::source_location::current());

    const std::string& log() const noexcept { return log_; }
    const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }
    const std::string& command_line() const noexcept { return command_line_; }

private:
    std::string log_;
    std::vector<Diagnostic> diagnostics_;
    std::string command_line_;
};

/// Compiles, or answers from the cache. Blocks for 10 ms to seconds; safe on any thread, NVRTC
/// itself compiles one source at a time. A source with errors is a result that is not ok.
/// Throws lathe::Error where NVRTC itself is missing (the message says what brings it).
LATHE_API CompileResult compile(const CompileRequest& request);

/// The same; throws CompileError where the source has errors.
LATHE_API CompileResult compile_or_throw(const CompileRequest& request);

/// NVRTC's log as diagnostics. Lines and columns count from 1; the column is the caret's. What it
/// says of the end of the source, without a place, is placed with the source's name and text.
LATHE_API std::vector<Diagnostic> parse_nvrtc_log(std::string_view log, std::string_view name = {},
                                                  std::string_view source = {});

} // namespace lathe::gpu
