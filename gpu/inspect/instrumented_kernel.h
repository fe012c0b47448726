// SPDX-License-Identifier: MIT
// A kernel that is compiled once more and changed, so that it writes down what it does. It is
// launched in the place of the other, with the same arguments.
#pragma once

#include "engine/core/api.h"
#include "gpu/compiler.h"
#include "gpu/module.h"
#include "gpu/ptx/ast.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lathe::gpu {

class InstrumentedKernel {
public:
    /// Without optimisation and with DWARF of all variables (-G), or as it runs, with its lines.
    enum class Code { debug, as_it_runs };
    /// Changes a module. `files` are the numbers of those that are the
    /// user's: the source itself, and what stands in its folders.
    using Change = std::function<void(ptx::Module&, const std::vector<std::uint32_t>& files)>;

    /// Compiles in the current context, where it is used. `kernel` is spelled as in the source.
    /// Throws CompileError; Error where the source has no such kernel; gpu::Error.
    InstrumentedKernel(const CompileRequest& request, const std::string& kernel,
                       const Change& change, Code code = Code::debug);

    const Kernel& kernel() const { return kernel_; }
    /// By number, as the compiler was told.
    const std::vector<std::string>& files() const { return files_; }

    /// Before the launch: waits for the context, copies the module's variables from the original's,
    /// and sets the variable `name` of the changed code.
    void begin(const Module& original, const char* name, std::span<const std::byte> state);
    /// After the launch: waits for the context, and gives the variables back.
    void finish(const Module& original) const;
    /// The variable `name` of the changed code.
    void read(const char* name, std::span<std::byte> state) const;

private:
    void copy_variables(const Module& from, const Module& to) const;

    std::vector<std::string> files_;
    std::vector<std::string> variables_; ///< of the module
    Module module_;
    Kernel kernel_;
};

/// The number of the file that a name means, among those of a module: the name itself, else the end
/// of a path. The file with the number is `source` itself where `file` is empty.
std::vector<std::uint32_t> numbers_of_file(const ptx::Module& module, const std::string& source,
                                           const std::string& file);

} // namespace lathe::gpu
