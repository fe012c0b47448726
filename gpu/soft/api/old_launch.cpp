// SPDX-License-Identifier: MIT
// Launches as before CUDA 4: shape and parameters are set on the function, one after the other.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/launch.h"
#include "gpu/soft/drv/library.h"

#include <algorithm>
#include <cstring>

using namespace lathe::soft;

namespace {

constexpr std::size_t kMostParameters = 4096;

/// Runs f(old-style state) under its lock.
CUresult on(CUfunction handle, auto&& f) {
    return in_context([&](Context& context) {
        auto function = function_of(context, handle);
        std::lock_guard lock{function->old_style.mutex};
        f(function->old_style);
    });
}

CUresult set_parameter(CUfunction handle, int offset, const void* value, std::size_t bytes) {
    return on(handle, [&](auto& state) {
        require(offset >= 0 && bytes <= kMostParameters &&
                    static_cast<std::size_t>(offset) <= kMostParameters - bytes,
                CUDA_ERROR_INVALID_VALUE, "parameters have at most 4096 bytes");
        if (bytes) require_pointer(value);
        const std::size_t end = static_cast<std::size_t>(offset) + bytes;
        if (state.params.size() < end) state.params.resize(end);
        if (bytes) std::memcpy(state.params.data() + offset, value, bytes);
    });
}

CUresult launch_old(CUfunction handle, int width, int height, CUstream stream) {
    return in_context([&](Context& context) {
        auto function = function_of(context, handle);
        require(function->context == &context, CUDA_ERROR_INVALID_HANDLE,
                "function of another context");
        require(width > 0 && height > 0, CUDA_ERROR_INVALID_VALUE, "the grid is empty");
        std::lock_guard lock{function->old_style.mutex};
        auto& state = function->old_style;
        state.params.resize(
            std::max<std::size_t>(state.params.size(), function->info->param_bytes));
        std::size_t bytes = state.params.size();
        void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, state.params.data(),
                         CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
        LaunchArguments arguments{
            .grid = {static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
            .block = {state.block[0], state.block[1], state.block[2]},
            .shared_bytes = state.shared_bytes,
            .stream = stream,
            .extra = extra};
        launch(context, *function, arguments);
    });
}

} // namespace

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z) {
    return on(f, [&](auto& state) {
        require(x > 0 && y > 0 && z > 0, CUDA_ERROR_INVALID_VALUE, "the block is empty");
        state.block[0] = static_cast<unsigned>(x);
        state.block[1] = static_cast<unsigned>(y);
        state.block[2] = static_cast<unsigned>(z);
    });
}

CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes) {
    return on(f, [&](auto& state) { state.shared_bytes = bytes; });
}

CUresult cuParamSetSize(CUfunction f, unsigned bytes) {
    return on(f, [&](auto& state) {
        require(bytes <= kMostParameters, CUDA_ERROR_INVALID_VALUE,
                "parameters have at most 4096 bytes");
        state.params.resize(bytes);
    });
}

CUresult cuParamSeti(CUfunction f, int offset, unsigned value) {
    return set_parameter(f, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction f, int offset, float value) {
    return set_parameter(f, offset, &value, sizeof value);
}

CUresult cuParamSetv(CUfunction f, int offset, void* value, unsigned bytes) {
    return set_parameter(f, offset, value, bytes);
}

CUresult cuLaunch(CUfunction f) { return launch_old(f, 1, 1, nullptr); }

CUresult cuLaunchGrid(CUfunction f, int width, int height) {
    return launch_old(f, width, height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream stream) {
    return launch_old(f, width, height, stream);
}

} // extern "C"
