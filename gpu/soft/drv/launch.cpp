// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/launch.h"

#include "engine/core/log.h"
#include "engine/core/source_name.h"
#include "gpu/soft/drv/capture.h"
#include "gpu/soft/drv/device.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/watch/grid_watch.h"
#include "gpu/soft/rt/watch/instruments.h"
#include "gpu/soft/rt/watch/unwritten.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace lathe::soft {

namespace {

std::string named(const KernelInfo& info) { return source_name(info.name); }

std::chrono::milliseconds time_limit(const Stream& stream) {
    static const char* const wanted = std::getenv("LATHE_SOFT_TIMEOUT_MS");
    return std::chrono::milliseconds{wanted ? std::atoll(wanted) : stream.limit_ms.load()};
}

void check_shape(const Function& f, const LaunchArguments& a) {
    constexpr unsigned block_limit[3] = {1024, 1024, 64};
    constexpr unsigned grid_limit[3] = {2147483647u, 65535u, 65535u};
    for (int i = 0; i < 3; ++i) {
        if (a.block[i] == 0 || a.block[i] > block_limit[i])
            fail(CUDA_ERROR_INVALID_VALUE,
                 fmt::format("{}: block dimension {} is {}, allowed are 1 to {}", named(*f.info),
                             "xyz"[i], a.block[i], block_limit[i]));
        if (a.grid[i] == 0 || a.grid[i] > grid_limit[i])
            fail(CUDA_ERROR_INVALID_VALUE,
                 fmt::format("{}: grid dimension {} is {}, allowed are 1 to {}", named(*f.info),
                             "xyz"[i], a.grid[i], grid_limit[i]));
        unsigned required = f.info->required_threads[i];
        if (f.info->required_threads[0] && std::max(required, 1u) != a.block[i])
            fail(CUDA_ERROR_INVALID_VALUE,
                 fmt::format("{}: block dimension {} is {}, the kernel requires {}", named(*f.info),
                             "xyz"[i], a.block[i], required));
    }
    std::uint64_t threads = std::uint64_t{a.block[0]} * a.block[1] * a.block[2];
    unsigned limit = std::min(f.info->max_threads ? f.info->max_threads : kMaxThreads, kMaxThreads);
    if (threads > limit)
        fail(CUDA_ERROR_INVALID_VALUE, fmt::format("{}: {} threads in a block, allowed are {}",
                                                   named(*f.info), threads, limit));
    std::size_t dynamic = f.settings.max_dynamic_shared.load();
    if (a.shared_bytes > dynamic ||
        std::size_t{f.info->static_shared_bytes} + a.shared_bytes > kMaxShared)
        fail(CUDA_ERROR_INVALID_VALUE,
             fmt::format("{}: {} bytes of dynamic and {} of static shared memory, allowed are {} "
                         "and {} in all",
                         named(*f.info), a.shared_bytes, f.info->static_shared_bytes, dynamic,
                         kMaxShared));
}

void copy_arguments(const KernelInfo& info, void** params, std::uint8_t* to) {
    struct Job {
        const KernelInfo& info;
        void** params;
        std::uint8_t* to;
        bool missing;
    };
    Job job{info, params, to, false};
    bool readable = run_guarded(
        [](void* p) {
            auto& j = *static_cast<Job*>(p);
            for (std::size_t i = 0; i < j.info.params.size(); ++i) {
                const ParamInfo& param = j.info.params[i];
                if (!j.params[i]) {
                    j.missing = true;
                    return;
                }
                std::memcpy(j.to + param.offset, j.params[i], param.bytes);
            }
        },
        &job);
    if (!readable || job.missing)
        fail(CUDA_ERROR_INVALID_VALUE,
             fmt::format("{}: the array of {} parameter pointers holds a bad one", named(info),
                         info.params.size()));
}

void copy_packed(const KernelInfo& info, void** extra, std::uint8_t* to) {
    const void* buffer = nullptr;
    std::size_t bytes = 0;
    for (void** p = extra; *p != CU_LAUNCH_PARAM_END; p += 2) {
        if (*p == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = p[1];
        else if (*p == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(p[1]);
        else fail(CUDA_ERROR_INVALID_VALUE, "unknown entry in the extra launch options");
    }
    if (!buffer || bytes < info.param_bytes)
        fail(CUDA_ERROR_INVALID_VALUE,
             fmt::format("{}: {} bytes of packed parameters given, {} needed", named(info), bytes,
                         info.param_bytes));
    if (!guarded_copy(to, buffer, info.param_bytes))
        fail(CUDA_ERROR_INVALID_VALUE, "packed parameters cannot be read");
}

/// It calls functions by address, whose code does not tell of accesses.
void not_watched(const KernelInfo& info) {
    DeviceUnwritten::instance().forget(); // what it writes is written
    log::warning("{} calls functions by address: it is not looked at for hazards", named(info));
}

} // namespace

void check_launch(const Function& function, const LaunchArguments& arguments) {
    check_shape(function, arguments);
}

void pack_arguments(const KernelInfo& info, const LaunchArguments& a, std::uint8_t* to) {
    if (a.extra) {
        copy_packed(info, a.extra, to);
    } else if (!info.params.empty()) {
        require(a.kernel_params != nullptr, CUDA_ERROR_INVALID_VALUE, "no kernel parameters given");
        copy_arguments(info, a.kernel_params, to);
    }
}

std::shared_ptr<Launch> make_grid(Context& context, Function& function, const LaunchArguments& a,
                                  const Stream& stream) {
    const KernelInfo& info = *function.info;
    check_shape(function, a);
    auto grid = std::make_shared<Launch>();
    std::copy_n(a.grid, 3, grid->grid);
    std::copy_n(a.block, 3, grid->block);
    grid->info = &info;
    grid->dynamic_shared_bytes = a.shared_bytes;
    grid->cooperative = a.cooperative;
    if (a.cooperative) {
        std::uint64_t most = std::uint64_t{resident_blocks(
                                 function, static_cast<int>(grid->threads()), a.shared_bytes)} *
                             Executor::instance().workers();
        if (grid->blocks() > most)
            fail(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                 fmt::format("{}: {} blocks, {} fit on the device at one time", named(info),
                             grid->blocks(), most));
    }
    pack_arguments(info, a, grid->reserve_parameters());
    grid->module = function.module->code();
    grid->first_code = function.code(a.block, wanted_instruments());
    grid->order = function.module->order;
    // The limit is what the caller counted for a GPU's local memory; host frames are larger.
    std::size_t stack = context.limits.at(CU_LIMIT_STACK_SIZE);
    grid->stack_bytes = stack > 1024 ? stack * 2 + (32u << 10) : 0;
    static std::atomic<std::uint64_t> next_grid{1};
    grid->grid_id = next_grid.fetch_add(1, std::memory_order_relaxed);
    grid->limit = time_limit(stream);
    if (grid->first_code.watched) {
        constexpr int slower = 16; // by watching, at most
        grid->limit *= slower;
        grid->watch = std::make_shared<GridWatch>(grid->grid_id, Findings::instance().kinds());
    } else if (Findings::instance().kinds()) {
        not_watched(info);
    }
    return grid;
}

void launch(Context& context, Function& function, const LaunchArguments& a) {
    auto stream = context.stream(a.stream);
    if (is_capturing(*stream)) {
        CUDA_KERNEL_NODE_PARAMS params{};
        params.func = reinterpret_cast<CUfunction>(&function);
        params.gridDimX = a.grid[0];
        params.gridDimY = a.grid[1];
        params.gridDimZ = a.grid[2];
        params.blockDimX = a.block[0];
        params.blockDimY = a.block[1];
        params.blockDimZ = a.block[2];
        params.sharedMemBytes = a.shared_bytes;
        params.kernelParams = a.kernel_params;
        params.extra = a.extra;
        return capture(*stream, kernel_operation(context, params, a.cooperative));
    }
    context.submit(stream, std::make_shared<Command>(make_grid(context, function, a, *stream)));
}

unsigned resident_blocks(const Function& f, int threads, std::size_t dynamic_bytes) {
    if (threads <= 0 || (f.info->max_threads && threads > static_cast<int>(f.info->max_threads)))
        return 0;
    if (dynamic_bytes > f.settings.max_dynamic_shared) return 0;
    return resident_blocks(static_cast<unsigned>(threads),
                           f.info->static_shared_bytes + dynamic_bytes);
}

} // namespace lathe::soft
