// SPDX-License-Identifier: MIT
// The options of a compile: the request's own, the defaults that it does not replace, folders.
#pragma once

#include "gpu/compiler.h"

#include <filesystem>
#include <string>
#include <vector>

namespace lathe::gpu {

/// Leaves the runtime's declarations out of a program: 4 to 25 ms of a compile.
inline constexpr const char* kMinimal = "--minimal";
/// The option of `CompileRequest::quick`.
inline constexpr const char* kQuick = "--Ofast-compile=max";

/// All choices of a request made: what the cache's key is made of and what NVRTC is given.
struct CompileOptions {
    CompileTarget target;
    std::vector<std::string> words;
    bool can_be_quick = false;
    /// Of the request and its options, and the source's own: where user's headers may lie.
    std::vector<std::filesystem::path> user_folders;
    /// Files of --pre-include, which stand before the source.
    std::vector<std::string> pre_includes;
};

/// Throws lathe::Error where NVRTC, or the device that the target is taken from, is missing.
CompileOptions settle_options(const CompileRequest& request);

} // namespace lathe::gpu
