// SPDX-License-Identifier: MIT
// A small run time for tests of compiled code alone: blocks one after another; threads of kernels
// that wait for each other are threads of the operating system, meeting at a rendezvous.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/soft/jit/compiler.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe::soft::test {

/// How a launch ended, and what it printed.
struct Outcome {
    enum class End { finished, trapped, assert_failed } end = End::finished;
    std::string printed;
    std::string assertion;
    unsigned back_edges = 0; ///< calls of lathe_rt_backedge
    std::uintptr_t trap_pc = 0;
    std::uint32_t width = 1;           ///< threads side by side
    std::shared_ptr<CodeToCome> later; ///< KernelCode's
    std::size_t frame_bytes = 0;       ///< the same
    std::uint32_t kept_bytes = 0;      ///< by a warp that runs in rounds
    std::uint32_t checked_warps = 0;   ///< warps whose indices wrapped between lanes
};

struct Shape {
    std::uint32_t grid[3] = {1, 1, 1};
    std::uint32_t block[3] = {1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0;
    bool by_thread = false; ///< use the thread entry where there is a thread loop, too
};

/// A parsed and loaded module with memory for its variables.
class Program {
public:
    /// Fails the running test with the diagnostics where the text is not understood.
    explicit Program(std::string_view ptx_text, ExecutionMode mode = default_mode());

    /// Of programs made without one; tests that run in several modes set it.
    static ExecutionMode& default_mode();

    CompiledModule& code() { return *code_; }
    const KernelInfo& info(std::string_view kernel = {}) const;
    /// Address of a module variable.
    void* variable(std::string_view name);

    /// Runs the (first) kernel with packed parameters.
    Outcome launch(const Shape& shape, const std::vector<std::uint8_t>& params,
                   std::string_view kernel = {});

    template <class... T> Outcome run(const Shape& shape, T... values) {
        std::vector<std::uint8_t> packed;
        (append(packed, &values, sizeof(T), alignof(T)), ...);
        return launch(shape, packed);
    }

private:
    static void append(std::vector<std::uint8_t>& packed, const void* value, std::size_t bytes,
                       std::size_t alignment);

    std::map<std::string, std::vector<std::uint64_t>, std::less<>> memory_;
    std::shared_ptr<const ptx::Module> module_;
    std::shared_ptr<CompiledModule> code_;
};

} // namespace lathe::soft::test
