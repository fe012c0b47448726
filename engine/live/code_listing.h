// SPDX-License-Identifier: MIT
// What became of a slot's running version: its PTX, and the machine code that the device runs, in
// rows that know their line of the text. engine/live/code_view.h follows a slot.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_build.h"
#include "gpu/device.h"
#include "gpu/inspect/code_row.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

enum class CodeKind {
    none,
    ptx,
    machine, ///< of the host's processor on the software device, SASS on a GPU
};
/// "off", "ptx", "machine".
LATHE_API std::string_view name_of(CodeKind kind);
/// Throws lathe::Error for another word.
LATHE_API CodeKind code_kind_from(std::string_view name);

struct CodeLine {
    gpu::CodeRow::Kind kind = gpu::CodeRow::Kind::instruction;
    std::string text;
    int line = 0;      ///< of the version's text, from 1; 0 where it comes from elsewhere
    std::string place; ///< "math.h:12" where it comes from another file, else empty
    bool operator==(const CodeLine&) const = default;
};

struct CodeListing {
    CodeKind kind = CodeKind::none;
    std::vector<CodeLine> rows;
    std::string title;   ///< "PTX for compute_75"
    std::string problem; ///< in words, why there are no rows; empty where there are
    /// Another number where the machine code is another; 0 for PTX.
    std::uint64_t id = 0;
};

/// Rows of a file with their line in a source: that of the row, or that of the call by which
/// functions of other files came in.
LATHE_API std::vector<CodeLine> code_lines(std::string_view source,
                                           const std::vector<gpu::CodeRow>& rows);

/// Reads the code of a version. May block for as long as a compile takes; any thread. Where the
/// machine code is that of `known` there is nothing to say: the result is empty. Throws
/// lathe::Error where the device or the compiler fails.
using ReadCode = std::function<std::optional<CodeListing>(
    const std::shared_ptr<const LoadedKernels>& version, CodeKind kind, std::uint64_t known)>;

/// The real one. PTX comes from the compile cache where the version was compiled to PTX; where it
/// was compiled to a CUBIN it is compiled once more.
LATHE_API ReadCode code_reader(gpu::Device device);

} // namespace lathe
