// SPDX-License-Identifier: MIT
// The kernels that this folder writes itself: each compiled once for a device (compile_cache.h
// keeps it on disk) and loaded once for a context.
#pragma once

#include "engine/core/api.h"
#include "gpu/launch.h"
#include "gpu/module.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

/// A loaded kernel with how it is best launched.
struct LATHE_API ArrayKernel {
    Kernel kernel;
    unsigned threads = 128;   ///< of a block
    unsigned most_blocks = 1; ///< that run at once on the device
    std::shared_ptr<const Module> module;

    /// Blocks for `items` of work, `each` of them by one thread: as many as there is work for, and
    /// at most `waves` times what runs at once. For loops over the grid.
    unsigned blocks_for(std::uint64_t items, unsigned each = 1, unsigned waves = 4) const noexcept;
};

/// What `source` says is asked once for each context and key; its entry is `extern "C"` and named
/// `entry`. Needs a current context. Blocks while it compiles; any thread may ask, two that ask for
/// the same kernel at once may both compile it. The reference is valid until the process ends.
/// `options` are the compiler's. Throws CompileError, gpu::Error.
LATHE_API const ArrayKernel& array_kernel(std::string_view key, const std::string& entry,
                                          const std::function<std::string()>& source,
                                          unsigned threads = 128,
                                          const std::vector<std::string>& options = {});
/// The same by a number: the way of the operators. Numbers and texts are different keys.
LATHE_API const ArrayKernel& array_kernel(std::uint64_t key, const std::string& entry,
                                          const std::function<std::string()>& source,
                                          unsigned threads = 128,
                                          const std::vector<std::string>& options = {});
/// Nothing where it was not asked for in the current context yet.
LATHE_API const ArrayKernel* find_array_kernel(std::uint64_t key) noexcept;
LATHE_API const ArrayKernel* find_array_kernel(const std::string& key) noexcept;

} // namespace lathe::gpu
