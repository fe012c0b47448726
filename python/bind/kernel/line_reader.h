// SPDX-License-Identifier: MIT
// Launches of a kernel after which Python has the values of variables at a line, of all threads.
#pragma once

#include "gpu/inspect/line_values.h"
#include "python/bind/kernel/observed_launch.h"
#include "python/bind/kernel/origin.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::bind {

class LineReader : public ObservedLaunch {
public:
    /// Compiles the kernel's source for it, without the GIL. Throws Error where there is no source,
    /// CompileError, and what LineValuesKernel throws.
    LineReader(KernelOrigin& origin, gpu::LineQuestion question);

    void launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                const gpu::Dim3& elements, const gpu::LaunchAttributes& more,
                void** arguments) override;

    /// Threads of the launch that was looked into, (depth, height, width); None before it.
    pybind11::object threads() const;
    /// What over() was given, as threads(); None where the launch had a grid.
    pybind11::object elements() const;
    /// (block, thread) sizes of the launch: blockDim, x first.
    pybind11::tuple block() const;
    /// A uint32 for each thread.
    pybind11::bytes visits() const { return bytes_of(visits_); }
    pybind11::bytes seen() const { return bytes_of(seen_); }
    /// (name, dtype, bytes between threads, bytes) of each variable.
    pybind11::list variables() const;
    /// Name to type, of all that have a value after the line.
    pybind11::dict known() const;
    const std::string& source() const { return source_; }

private:
    LineReader(const KernelSource& source, const std::string& name, gpu::LineQuestion question);
    static pybind11::bytes bytes_of(const std::vector<std::byte>& from);

    std::string source_;
    gpu::LineValuesKernel kernel_;
    gpu::LineValues found_; ///< its addresses are not used after the launch
    gpu::Dim3 elements_{0, 0, 0}, block_{0, 0, 0};
    std::vector<std::byte> visits_, seen_;
    std::vector<std::vector<std::byte>> values_; ///< of found_.variables
};

} // namespace lathe::bind
