// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/mode.h"

#include "engine/core/log.h"

#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>

namespace lathe::soft {

ExecutionMode ExecutionMode::from_environment() {
    ExecutionMode mode{.by_warps = true, .width = 0, .at_once = false};
    if (const char* text = std::getenv("LATHE_SOFT_MODE")) {
        const std::string_view name{text};
        if (name == "warp" || name == "scalar") {
            mode.by_warps = name == "warp";
            mode.at_once = true;
        } else {
            log::warning("LATHE_SOFT_MODE is {}, known are scalar and warp", name);
        }
    }
    // When better code is there is a matter of time, and single threads have another order.
    if (std::getenv("LATHE_SOFT_ORDER")) mode.at_once = true;
    if (const char* text = std::getenv("LATHE_SOFT_WIDTH")) {
        const int width = std::atoi(text);
        if (width == 8 || width == 16 || width == 32) {
            mode.width = static_cast<std::uint32_t>(width);
        } else {
            log::warning("LATHE_SOFT_WIDTH is {}, known are 8, 16 and 32", text);
        }
    }
    if (const char* text = std::getenv("LATHE_SOFT_CHECKS")) {
        const std::string_view name{text};
        if (name == "exact" || name == "pages") {
            mode.exact_checks = name == "exact";
        } else {
            log::warning("LATHE_SOFT_CHECKS is {}, known are exact and pages", name);
        }
    }
    return mode;
}

namespace jit::warp {

namespace {

constexpr std::uint32_t kMostInstructionsOfWideWarps = 300;

} // namespace

ShapeOptions options_for(const KernelFacts& kernel, const std::uint32_t block[3],
                         const ExecutionMode& mode, bool has_wide_vectors,
                         Instruments instruments) {
    ShapeOptions options;
    options.counts = instruments.counts; // in warps of CUDA: 32 lanes
    options.watches = instruments.watches;
    const bool counts = instruments.any();
    const std::uint32_t x = block[0];
    const std::uint64_t threads = std::uint64_t{x} * block[1] * block[2];
    if (!kernel.uses_warp_operations && !counts) {
        // Without 512-bit registers 32 lanes take up to twice as long to compile. They gain where
        // lanes share much, as two rows of 16 do, and where results are waited for; records of 32
        // lanes and long kernels have too few registers.
        const bool in_rows = block[1] * block[2] > 1;
        const bool two_rows = in_rows && block[2] == 1 && x % 32 != 0 && x % 16 == 0;
        const bool short_rows = in_rows && x % 16 != 0;
        // Blocks in 3D compute stencils: their rows share no operands, and each row of a warp has
        // addresses and checks of its own. 16 lanes are twice as fast.
        const bool short_in_3d = block[2] > 1 && x % 32 != 0;
        const bool gains = threads > 16 && !kernel.accesses_vectors && !short_rows &&
                           !short_in_3d && kernel.instructions <= kMostInstructionsOfWideWarps;
        const bool is_wide = (has_wide_vectors && !short_in_3d) || two_rows || gains;
        options.width = mode.width ? mode.width : is_wide ? 32 : 16;
    }
    options.may_refuse = !mode.width && !counts && !kernel.uses_warp_operations &&
                         !kernel.uses_barriers && !kernel.spins;
    options.strip = options.width;
    options.whole_warps = threads % options.width == 0;
    if (block[1] * block[2] == 1) return options;
    // Parts of rows keep their consecutive addresses.
    while (options.strip >= 4 && x % options.strip) options.strip /= 2;
    if (options.strip < 4) options.strip = 0;
    options.whole_rows =
        options.has_strips() && x == options.strip && block[1] % options.strips() == 0;
    return options;
}

void log_fall_back(const std::string& kernel, const std::string& why) {
    static std::mutex mutex;
    static auto* const told = new std::set<std::string>;
    {
        std::lock_guard lock{mutex};
        if (!told->insert(kernel).second) return;
    }
    log::info("{} runs by single threads: {}", kernel, why);
}

} // namespace jit::warp

} // namespace lathe::soft
