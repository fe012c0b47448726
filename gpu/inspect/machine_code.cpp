// SPDX-License-Identifier: MIT
#include "gpu/inspect/machine_code.h"

#include "engine/core/error.h"
#include "engine/core/process.h"
#include "engine/core/source_name.h"
#include "gpu/cuda_library.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/sass_rows.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include <unistd.h>

namespace lathe::gpu {

namespace {

namespace fs = std::filesystem;

/// "warp._Z5paintPf" → "warp.paint": how the function runs, and its name in the source.
std::string readable(std::string name) {
    const auto lowered = name.find("_Z");
    return lowered == name.npos ? name
                                : name.substr(0, lowered) + source_name(name.substr(lowered));
}

void add_row(const LatheSoftCodeRow* row, void* rows) {
    CodeRow code;
    code.kind = row->kind == 2   ? CodeRow::Kind::function
                : row->kind == 1 ? CodeRow::Kind::label
                                 : CodeRow::Kind::instruction;
    code.text = code.kind == CodeRow::Kind::function ? readable(row->text) : row->text;
    code.file = row->file;
    code.line = static_cast<int>(row->line);
    code.inlined_at = row->inlined_at;
    static_cast<std::vector<CodeRow>*>(rows)->push_back(std::move(code));
}

/// A file of a name that nobody else has, removed at the end.
class ScratchFile {
public:
    explicit ScratchFile(std::span<const std::byte> bytes) {
        name_ = (fs::temp_directory_path() / "lathe-XXXXXX").string();
        const int file = mkstemp(name_.data());
        if (file < 0) throw lathe::Error{fmt::format("no file can be written as {}", name_)};
        close(file);
        std::ofstream out{name_, std::ios::binary};
        out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
        if (!out.flush()) throw lathe::Error{fmt::format("{} cannot be written", name_)};
    }
    ~ScratchFile() {
        std::error_code ignored;
        fs::remove(name_, ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    const std::string& name() const { return name_; }

private:
    std::string name_;
};

} // namespace

bool can_read_machine_code() { return device_traits().read_code != nullptr; }

std::uint64_t machine_code_id(const Kernel& kernel) {
    return device_traits().code_id(kernel.get());
}

MachineCode machine_code(const Kernel& kernel) {
    MachineCode code;
    const int failed = device_traits().read_code(kernel.get(), &add_row, &code.rows, &code.threads);
    if (failed)
        throw lathe::Error{fmt::format("the device gives no code of {}: {}", kernel.name(),
                                       device_traits().last_error_text())};
    if (code.rows.empty()) code.problem = "it was not launched yet";
    return code;
}

fs::path find_nvdisasm() { return find_cuda_program("nvdisasm"); }

MachineCode sass_of(std::span<const std::byte> cubin) {
    MachineCode code;
    const fs::path program = find_nvdisasm();
    if (program.empty()) {
        code.problem = "The GPU's machine code needs nvdisasm, which no toolkit here has: "
                       "pip install nvidia-cuda-nvdisasm";
        return code;
    }
    try {
        const ScratchFile file{cubin};
        code.rows = sass_rows(
            output_of({program.string(), "--print-code", "--print-line-info-inline", file.name()}));
        if (code.rows.empty()) code.problem = "nvdisasm found no code in the CUBIN";
    } catch (const lathe::Error& error) { code.problem = error.what(); }
    return code;
}

} // namespace lathe::gpu
