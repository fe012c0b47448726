// SPDX-License-Identifier: MIT
#include "gpu/inspect/line_values.h"

#include "engine/core/error.h"
#include "engine/core/source_name.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

/// Bytes of a plane: the next one begins at a multiple of 256.
std::size_t plane_bytes(std::size_t threads, std::size_t stride) {
    return (threads * stride + 255) / 256 * 256;
}

} // namespace

LineValuesKernel::LineValuesKernel(const CompileRequest& request, const std::string& kernel,
                                   LineQuestion question)
    : question_{std::move(question)},
      kernel_{request, kernel, [&](ptx::Module& module, const auto& files) {
                  const ptx::WantedLine wanted{
                      numbers_of_file(module, request.name, question_.file),
                      static_cast<std::uint32_t>(question_.line)};
                  plan_ = ptx::write_line_values(module, files, wanted, question_.names);
              }} {
    if (!plan_.is_reached)
        throw lathe::Error{fmt::format("{} has no code at line {} of {}", kernel, question_.line,
                                       question_.file.empty() ? request.name : question_.file)};
    for (const ptx::LineVariable& v : plan_.variables) values_.variables.push_back({v, 0});
}

std::string LineValuesKernel::home() const {
    return plan_.entry.empty() ? plan_.entry : source_name(plan_.entry);
}

void LineValuesKernel::begin(const LaunchConfig& config, const Module& original) {
    const Dim3 &grid = config.grid, &block = config.block;
    values_.threads = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
    const std::size_t threads = grid.total() * block.total();
    std::size_t bytes = 2 * plane_bytes(threads, 4);
    for (const auto& v : values_.variables) bytes += plane_bytes(threads, v.is.stride);
    if (memory_.bytes() != bytes) {
        memory_ = {}; // before the next, which may need its room
        memory_ = DeviceBuffer{bytes};
    }
    fill_units(memory_.address(), 0, 4, bytes / 4);
    ptx::LineState state;
    CUdeviceptr next = memory_.address();
    const auto take = [&](std::size_t stride) {
        return std::exchange(next, next + plane_bytes(threads, stride));
    };
    state.visits = values_.visits = take(4);
    state.seen = values_.seen = take(4);
    for (std::size_t v = 0; v < values_.variables.size(); ++v)
        state.values[v] = values_.variables[v].values = take(values_.variables[v].is.stride);
    state.visit = question_.visit;
    kernel_.begin(original, ptx::kLineState, std::as_bytes(std::span{&state, 1}));
}

const LineValues& LineValuesKernel::finish(const Module& original) {
    kernel_.finish(original);
    return values_;
}

} // namespace lathe::gpu
