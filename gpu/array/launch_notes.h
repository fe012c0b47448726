// SPDX-License-Identifier: MIT
// Which launch an array was given to last, so that an element can say its thread. Launches are
// noted while an App exists; a note costs a look-up, and keeps no memory of the array.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"
#include "gpu/launch.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lathe::gpu {

/// Where an array lies in its memory, which it does not keep.
struct LATHE_API ArrayPlace {
    static constexpr std::size_t kMostAxes = 4;

    ArrayPlace() = default;
    /// Of no memory where the array has none that is kept, or more axes.
    explicit ArrayPlace(const Array& array);
    /// Whether the array lies in the same way where this was said of.
    bool is_of(const Array& array) const noexcept;

    std::weak_ptr<const void> owner;
    std::uint64_t offset_bytes = 0; ///< of the first element
    std::size_t axes = 0;
    std::size_t item_bytes = 0;
    std::array<std::int64_t, kMostAxes> shape{}, strides{};
};

/// The threads of a launch.
struct LaunchedThreads {
    Dim3 grid, block;
    /// One thread for each, the rest idle; along x, y, z. {0, 0, 0}: the launch does not say.
    Dim3 elements{0, 0, 0};
};

/// A thread of a kernel.
struct ThreadOfKernel {
    std::string kernel; ///< as the source names it
    Dim3 block, thread; ///< blockIdx and threadIdx

    bool operator==(const ThreadOfKernel&) const = default;
};

namespace detail {
LATHE_API extern std::atomic<int> noting_launches;
} // namespace detail

/// While one lives, launches are noted; the notes end with the last.
class LATHE_API NotedLaunches {
public:
    NotedLaunches() { ++detail::noting_launches; }
    ~NotedLaunches();
    NotedLaunches(const NotedLaunches&) = delete;
    NotedLaunches& operator=(const NotedLaunches&) = delete;

    static bool are_wanted() noexcept {
        return detail::noting_launches.load(std::memory_order_relaxed) != 0;
    }
};

/// Of a launch that was given these arrays to write. `is_sure`: it does write them; else it may
/// read them alone, and two kernels that were given the same array leave its writer unknown.
/// Thread-safe. Does nothing unless launches are noted.
LATHE_API void note_launch(const Kernel& kernel, const LaunchedThreads& threads,
                           std::span<const Array* const> written, bool is_sure);

/// The thread to which an element belongs: `index` counts the array's first axes, and all behind
/// them is the element. By the last launch that was given the memory, if its threads have the shape
/// of what it was given: one for each item of that array, of its rows or of all but its last axes,
/// in their order, or columns along x, rows along y and layers along z. Nothing where no launch is
/// known, its threads have another shape, or two shapes fit and differ. Thread-safe.
LATHE_API std::optional<ThreadOfKernel> thread_of(const ArrayPlace& place,
                                                  std::span<const std::int64_t> index);

} // namespace lathe::gpu
