// SPDX-License-Identifier: MIT
// Kernels that kernels launch.
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/drv/launch.h"
#include "gpu/soft/rt/float_mode.h"

#include <algorithm>
#include <future>

namespace lathe::soft::device_runtime {

namespace {

const KernelInfo* info_of(const DeviceKernel& kernel) {
    for (const KernelInfo& info : kernel.module->code()->kernels())
        if (info.name == kernel.name) return &info;
    return nullptr;
}

/// Reads a grid and a block, one behind the other, and the bytes of shared memory.
void take_shape(Parameters& p, DeviceWork::Request& request) {
    const auto grid = p.take<Triple>(), block = p.take<Triple>();
    std::copy_n(grid.begin(), 3, request.grid);
    std::copy_n(block.begin(), 3, request.block);
    request.shared_bytes = p.take<std::uint32_t>();
}

void get_parameter_buffer(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto kernel = kernel_of(p.take<std::uint64_t>());
    DeviceWork::Request request;
    request.kernel = kernel.get();
    take_shape(p, request);
    const KernelInfo* const info = kernel ? info_of(*kernel) : nullptr;
    std::uint8_t* const place =
        info ? launch_of(t).device_work().parameters(request, info->param_bytes) : nullptr;
    std::memcpy(returns, &place, sizeof place);
}

/// Of launches that tell the kernel and its grid themselves.
void get_plain_buffer(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto alignment = p.take<std::uint64_t>(), bytes = p.take<std::uint64_t>();
    constexpr std::uint64_t most = 32764; // bytes of a kernel's parameters
    std::uint8_t* const place = alignment <= 64 && bytes <= most
                                    ? launch_of(t).device_work().parameters({}, bytes)
                                    : nullptr;
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

std::int32_t launch(ThreadContext* t, const DeviceWork::Request& request, std::uint8_t* place,
                    std::uint64_t stream_handle) {
    Launch& parent = launch_of(t);
    const auto stream = stream_of(t, stream_handle);
    if (!stream) return invalid_resource_handle;
    auto& kernel = *static_cast<DeviceKernel*>(const_cast<void*>(request.kernel));
    const Triple block{request.block[0], request.block[1], request.block[2]};
    const auto make = [&] { return grid_of(parent, kernel, request, place); };
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
    const auto stream = p.take<std::uint64_t>();
    const auto request = launch_of(t).device_work().take_request(place);
    give(t, returns,
         request && request->kernel ? launch(t, *request, place, stream) : invalid_value);
}

/// The parameters may be null where the kernel has none.
void launch_with_all(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto kernel = kernel_of(p.take<std::uint64_t>());
    auto* place = reinterpret_cast<std::uint8_t*>(p.take<std::uint64_t>());
    DeviceWork::Request request;
    request.kernel = kernel.get();
    take_shape(p, request);
    const auto stream = p.take<std::uint64_t>();
    const KernelInfo* const info = kernel ? info_of(*kernel) : nullptr;
    if (!info) return give(t, returns, invalid_device_function);
    DeviceWork& work = launch_of(t).device_work();
    if (!place && info->param_bytes == 0) place = work.parameters({}, 0);
    const auto buffer = work.take_request(place);
    const bool fits = buffer && !buffer->kernel && buffer->bytes >= info->param_bytes;
    give(t, returns, fits ? launch(t, request, place, stream) : invalid_value);
}

} // namespace

std::span<const Entry> launch_functions() {
    static constexpr Entry functions[] = {
        {"GetParameterBuffer", get_plain_buffer}, {"GetParameterBufferV2", get_parameter_buffer},
        {"LaunchDevice", launch_with_all},        {"LaunchDevice_ptsz", launch_with_all},
        {"LaunchDeviceV2", launch_device},        {"LaunchDeviceV2_ptsz", launch_device},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
