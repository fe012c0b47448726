// SPDX-License-Identifier: MIT
// What a kernel's source becomes: the source as it is handed to a compiler, one compiled and
// loaded version, and the functions that make one of the other.
#pragma once

#include "engine/core/diagnostic.h"
#include "engine/core/file_watch.h"
#include "engine/live/parameter.h"
#include "gpu/memory.h"
#include "gpu/module.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

/// What is compiled.
struct KernelSource {
    std::string text;
    std::string name;  ///< file name that diagnostics carry, "step.cu"
    std::string entry; ///< the kernel that `KernelSlot::kernel()` returns; empty: the first one
    std::vector<std::string> options;
    std::vector<std::filesystem::path> include_directories; ///< a file's own folder is added
};

/// One compiled and loaded version. Shared, so that a launch in flight keeps its code.
struct LoadedKernels {
    KernelSource source; ///< what it was built from
    gpu::Module module;
    std::map<std::string, gpu::Kernel, std::less<>> kernels; ///< by the name in the source
    std::string first;                                       ///< name of the first kernel
    /// The name of the kernel that a slot returns without a name.
    const std::string& entry() const { return source.entry.empty() ? first : source.entry; }
    /// What the source reads in the place of a number (literal.h), if it is made for that.
    std::optional<gpu::DeviceSpan<std::byte>> variable{};
};

enum class Effort {
    quick, ///< the least time to compile
    full,  ///< the fastest code
};

struct KernelBuild {
    std::shared_ptr<const LoadedKernels> loaded; ///< null where the source did not compile
    std::vector<Diagnostic> diagnostics;
    std::string log; ///< the compiler's own words
    double milliseconds = 0;
    bool from_cache = false;
    Effort effort = Effort::full;             ///< quick only where that was asked for
    std::vector<std::filesystem::path> files; ///< of the user's that the source includes
    FileWatch::Time began{};                  ///< before they were read; CompileJob says it
    std::string key; ///< the same for the same code, whatever the effort; empty: the text says it
};

using BuildKernel = std::function<KernelBuild(const KernelSource&, Effort)>;
/// The parameters of all kernels of a source, directives applied. Throws where the source does not
/// compile. Asked only where something outside function bodies changed.
using ReflectKernel = std::function<std::vector<Parameter>(const KernelSource&)>;

} // namespace lathe
