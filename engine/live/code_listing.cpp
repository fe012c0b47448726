// SPDX-License-Identifier: MIT
#include "engine/live/code_listing.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "engine/live/line_costs.h"
#include "gpu/context.h"
#include "gpu/inspect/machine_code.h"
#include "gpu/inspect/ptx_rows.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace lathe {

namespace {

constexpr std::array<std::string_view, 3> kNames{"off", "ptx", "machine"};

gpu::CompileResult compiled_to(gpu::ImageKind kind, const LoadedKernels& version) {
    gpu::CompileRequest request = request_of(version.source);
    request.target = gpu::CompileTarget::current();
    request.target->kind = kind;
    return gpu::compile(request);
}

CodeListing ptx_of(const LoadedKernels& version) {
    const gpu::CompileResult result = compiled_to(gpu::ImageKind::ptx, version);
    CodeListing listing;
    listing.kind = CodeKind::ptx;
    listing.title = fmt::format("PTX for {}", result.target.arch());
    listing.rows = code_lines(version.source.name, gpu::ptx_rows(result.ptx()));
    if (!result.ok) listing.problem = "This version does not compile to PTX.";
    return listing;
}

CodeListing sass_of(const LoadedKernels& version) {
    const gpu::CompileResult result = compiled_to(gpu::ImageKind::cubin, version);
    gpu::MachineCode code = gpu::sass_of(result.image);
    CodeListing listing;
    listing.kind = CodeKind::machine;
    listing.title = fmt::format("SASS for {}", result.target.arch());
    listing.rows = code_lines(version.source.name, code.rows);
    listing.problem = std::move(code.problem);
    listing.id = 1; // a version has one
    return listing;
}

/// One number for the code of all kernels.
std::uint64_t id_of(const LoadedKernels& version) {
    std::uint64_t id = 0;
    for (const auto& [name, kernel] : version.kernels)
        id = id * 0x9e3779b97f4a7c15u + gpu::machine_code_id(kernel);
    return id;
}

CodeListing machine_code_of(const LoadedKernels& version, std::uint64_t id) {
    CodeListing listing;
    listing.kind = CodeKind::machine;
    listing.id = id;
    std::uint32_t threads = 0;
    for (const auto& [name, kernel] : version.kernels) {
        gpu::MachineCode code = gpu::machine_code(kernel);
        if (!code.problem.empty()) continue; // not launched
        threads = std::max(threads, code.threads);
        auto rows = code_lines(version.source.name, code.rows);
        listing.rows.insert(listing.rows.end(), std::make_move_iterator(rows.begin()),
                            std::make_move_iterator(rows.end()));
    }
    listing.title = threads > 1 ? fmt::format("Machine code, {} threads at once", threads)
                                : "Machine code, one thread at a time";
    if (listing.rows.empty()) listing.problem = "The kernel was not launched yet.";
    return listing;
}

} // namespace

std::string_view name_of(CodeKind kind) { return kNames[std::size_t(kind)]; }

CodeKind code_kind_from(std::string_view name) {
    for (std::size_t k = 0; k < kNames.size(); ++k)
        if (kNames[k] == name) return CodeKind(k);
    throw Error{fmt::format("the code is off, ptx or machine, not '{}'", name)};
}

std::vector<CodeLine> code_lines(std::string_view source, const std::vector<gpu::CodeRow>& rows) {
    std::vector<CodeLine> lines;
    lines.reserve(rows.size());
    for (const gpu::CodeRow& row : rows) {
        CodeLine& line = lines.emplace_back();
        line.kind = row.kind;
        line.text = row.text;
        line.line = line_in(source, row.file, row.line, row.inlined_at);
        const std::string_view file{row.file};
        const bool is_of_ptx = file.starts_with('<'); // what has no line of a source
        if (row.line > 0 && !is_of_ptx && line_in(source, file, row.line, {}) == 0)
            line.place = fmt::format("{}:{}", file.substr(file.rfind('/') + 1), row.line);
    }
    return lines;
}

ReadCode code_reader(gpu::Device device) {
    return [device](const std::shared_ptr<const LoadedKernels>& version, CodeKind kind,
                    std::uint64_t known) -> std::optional<CodeListing> {
        const gpu::CurrentContext here{gpu::Context::primary(device)};
        if (kind == CodeKind::ptx) return ptx_of(*version);
        if (!gpu::can_read_machine_code()) {
            if (known) return {};
            return sass_of(*version);
        }
        const std::uint64_t id = id_of(*version);
        if (known && id == known) return {};
        return machine_code_of(*version, id);
    };
}

} // namespace lathe
