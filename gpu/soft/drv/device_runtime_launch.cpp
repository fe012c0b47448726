// SPDX-License-Identifier: MIT
// Kernels that kernels launch, and what is known of them.
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/drv/launch.h"
#include "gpu/soft/rt/float_mode.h"

#include <algorithm>
#include <future>

namespace lathe::soft::device_runtime {

namespace {

void get_parameter_buffer(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto* kernel = reinterpret_cast<const DeviceKernel*>(p.take<std::uint64_t>());
    const auto grid = p.take<Triple>(), block = p.take<Triple>();
    DeviceWork::Request request{.kernel = kernel, .shared_bytes = p.take<std::uint32_t>()};
    std::copy_n(grid.begin(), 3, request.grid);
    std::copy_n(block.begin(), 3, request.block);
    std::uint8_t* place = nullptr;
    for (const KernelInfo& info : kernel->module->code()->kernels())
        if (info.name == kernel->name)
            place = launch_of(t).device_work().parameters(request, info.param_bytes);
    std::memcpy(returns, &place, sizeof place);
}

std::shared_ptr<Launch> grid_of(const Launch& parent, DeviceKernel& kernel,
                                const DeviceWork::Request& request, std::uint8_t* place) {
    Context& context = const_cast<Context&>(*kernel.module->context);
    LaunchArguments arguments{};
    std::copy_n(request.grid, 3, arguments.grid);
    std::copy_n(request.block, 3, arguments.block);
    arguments.shared_bytes = request.shared_bytes;
    Function* const function = kernel.module->function(kernel.name);
    std::size_t bytes = function->info->param_bytes;
    void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, place, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                      CU_LAUNCH_PARAM_END};
    arguments.extra = packed;
    auto made = make_grid(context, *function, arguments, *context.legacy_stream());
    made->stack_bytes = std::max(made->stack_bytes, parent.stack_bytes);
    return made;
}

std::int32_t launch(ThreadContext* t, std::uint8_t* place, std::uint64_t stream_handle) {
    Launch& parent = launch_of(t);
    const auto request = parent.device_work().take_request(place);
    if (!request) return invalid_value;
    const auto stream = stream_of(t, stream_handle);
    if (!stream) return invalid_resource_handle;
    auto& kernel = *static_cast<DeviceKernel*>(const_cast<void*>(request->kernel));
    const Triple block{request->block[0], request->block[1], request->block[2]};
    const auto make = [&] { return grid_of(parent, kernel, *request, place); };
    std::lock_guard lock{kernel.mutex};
    std::shared_ptr<Launch> grid;
    try { // the compiler needs a larger stack than this one
        grid = kernel.blocks.contains(block) ? make() : std::async(std::launch::async, make).get();
    } catch (const Failure& failure) {
        return failure.code == CUDA_ERROR_OUT_OF_MEMORY ? memory_allocation : invalid_configuration;
    } catch (const std::exception&) { return invalid_device_function; }
    kernel.blocks.insert(block);
    parent.device_work().add(*stream, {.grid = std::move(grid)});
    return success;
}

void launch_device(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    auto* const place = reinterpret_cast<std::uint8_t*>(p.take<std::uint64_t>());
    give(t, returns, launch(t, place, p.take<std::uint64_t>()));
}

void get_occupancy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto* kernel = reinterpret_cast<const DeviceKernel*>(p.take<std::uint64_t>());
    const auto threads = p.take<std::int32_t>();
    const auto shared = p.take<std::uint64_t>();
    Function* const function = kernel->module->function(kernel->name);
    give(t, returns,
         write(to, static_cast<std::int32_t>(resident_blocks(*function, threads, shared))));
}

} // namespace

std::span<const Entry> launch_functions() {
    static constexpr Entry functions[] = {
        {"GetParameterBufferV2", get_parameter_buffer},
        {"LaunchDeviceV2", launch_device},
        {"LaunchDeviceV2_ptsz", launch_device},
        {"OccupancyMaxActiveBlocksPerMultiprocessor", get_occupancy},
        {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", get_occupancy},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
