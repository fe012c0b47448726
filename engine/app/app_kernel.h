// SPDX-License-Identifier: MIT
// A kernel of an App as C++ calls it: kernel.over(shape)(array, 640, 360, time).
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_slot.h"
#include "gpu/array/array.h"
#include "gpu/array/launch_notes.h"
#include "gpu/launch.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace lathe {

class App;

namespace detail {
inline CUdeviceptr kernel_argument(const gpu::Array& array) { return array.address(); }
template <class T> const T& kernel_argument(const T& value) { return value; }
inline const gpu::Array* array_argument(const gpu::Array& array) { return &array; }
template <class T> const gpu::Array* array_argument(const T&) { return nullptr; }
} // namespace detail

class LATHE_API AppKernel {
public:
    /// Of a slot of `app`; the first kernel of its source where `entry` is empty.
    AppKernel(App& app, KernelSlot& slot, std::string entry)
        : app_{app}, slot_{slot}, entry_{std::move(entry)} {}
    AppKernel(const AppKernel&) = delete;
    AppKernel& operator=(const AppKernel&) = delete;

    /// Blocks and threads that are chosen, to be called with the arguments.
    class Launch {
    public:
        /// Asynchronous, on the App's stream. Arrays pass their address; numbers must have the
        /// types of the kernel's parameters, in number and size (gpu::Error). A fault is reported
        /// to the slot, which goes back to the last good version. Nothing is launched while a
        /// source that is edited in a window has not compiled once.
        template <class... Args> void operator()(const Args&... args) const {
            try {
                if (const gpu::Kernel* const kernel = kernel_.find()) {
                    gpu::launch_by(
                        *kernel,
                        [&](void** arguments) { kernel_.launch(*kernel, config_, arguments); },
                        detail::kernel_argument(args)...);
                    const std::array<const gpu::Array*, sizeof...(Args)> arrays{
                        detail::array_argument(args)...};
                    note(*kernel, arrays);
                }
            } catch (...) { kernel_.report_or_rethrow(); }
        }

    private:
        friend class AppKernel;
        Launch(AppKernel& kernel, gpu::LaunchConfig config, gpu::Dim3 elements = {0, 0, 0})
            : kernel_{kernel}, config_{config}, elements_{elements} {}
        /// For what picking says of threads. Null: no array.
        void note(const gpu::Kernel& kernel, std::span<const gpu::Array* const> arguments) const;
        AppKernel& kernel_;
        gpu::LaunchConfig config_;
        gpu::Dim3 elements_;
    };

    /// A thread for each element of `shape`, whose last size runs along x. `block`: 256, 16 x 16 or
    /// 8 x 8 x 4 threads unless given. Throws gpu::ShapeError for more than three axes, and for
    /// sizes below 1.
    Launch over(const gpu::Extents& shape, gpu::Dim3 block = {0, 0, 0}, std::size_t shared = 0);
    /// So many blocks of so many threads.
    Launch grid(gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared = 0);
    KernelSlot& slot() { return slot_; }
    const std::string& entry() const { return entry_; }

private:
    /// Null while a source that is edited in a window has not compiled once.
    const gpu::Kernel* find() const;
    /// Or, in its place, code that tells what it does (launch_watch.h).
    void launch(const gpu::Kernel& kernel, const gpu::LaunchConfig& config, void** arguments);
    /// Of the error under way: its slot takes it, or it goes on.
    void report_or_rethrow();

    App& app_;
    KernelSlot& slot_;
    std::string entry_;
};

} // namespace lathe
