// SPDX-License-Identifier: MIT
// One launch of a kernel, one thread of which is followed.
#pragma once

#include "gpu/inspect/thread_trace.h"
#include "gpu/inspect/trace_lines.h"
#include "python/bind/kernel/observed_launch.h"
#include "python/bind/kernel/origin.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

/// A kernel that writes down what a thread does, and its text.
struct Traced {
    gpu::TracedKernel kernel;
    std::string source;
};

/// Compiles the kernel's source for it, without the GIL. Throws Error where there is no source.
std::shared_ptr<Traced> traced(KernelOrigin& origin);

class ThreadTracer : public ObservedLaunch {
public:
    ThreadTracer(std::shared_ptr<Traced> of, gpu::Dim3 block, gpu::Dim3 thread)
        : of_{std::move(of)}, source_{of_->source}, block_{block}, thread_{thread} {}

    void launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                const gpu::Dim3& elements, const gpu::LaunchAttributes& more,
                void** arguments) override;
    /// As to_python() has them; None before the launch.
    pybind11::object steps() const;
    /// The numbers of steps at a line (0: any) after which a condition is true. Throws Error where
    /// it is not understood.
    std::vector<std::size_t> find(const std::string& condition, int line,
                                  const std::string& file) const;
    /// Lanes that are at a step together with the thread's.
    std::uint32_t active(std::size_t step) const;
    /// What one of them does there, as steps() has it; None where it is not there.
    pybind11::object lane(unsigned lane, std::size_t step) const;
    /// threadIdx of each lane that the block has.
    pybind11::list threads() const;
    const std::string& source() const { return source_; }
    bool is_cut() const { return is_cut_; }

private:
    std::shared_ptr<Traced> of_; ///< until the launch: it has much memory
    std::string source_;
    gpu::Dim3 block_, thread_;
    std::optional<std::vector<gpu::TraceLine>> lines_;
    gpu::LaneLines lanes_;
    bool is_cut_ = false;
};

} // namespace lathe::bind
