// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/jit_options.h"

#include "gpu/soft/drv/status.h"
#include "gpu/soft/rt/fault.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace lathe::soft {

JitOptions::JitOptions(unsigned count, const CUjit_option* options, void** values)
    : values_{values} {
    if (count == 0) return;
    require(options && values && count <= 1024, CUDA_ERROR_INVALID_VALUE,
            "the arrays of JIT options are missing");
    options_.resize(count);
    capacities_.resize(count);
    require(guarded_copy(options_.data(), options, count * sizeof *options) &&
                guarded_copy(capacities_.data(), values, count * sizeof *values),
            CUDA_ERROR_INVALID_VALUE, "the arrays of JIT options cannot be read");
    for (CUjit_option option : options_)
        require(option >= 0 && option < CU_JIT_NUM_OPTIONS, CUDA_ERROR_INVALID_VALUE,
                "unknown JIT option");
}

void** JitOptions::find(CUjit_option option) const {
    auto it = std::find(options_.begin(), options_.end(), option);
    return it == options_.end() ? nullptr : values_ + (it - options_.begin());
}

void JitOptions::write(CUjit_option buffer, CUjit_option size, std::string_view text) const {
    void **to = find(buffer), **bytes = find(size);
    if (!bytes) return;
    const std::size_t capacity = capacities_[static_cast<std::size_t>(bytes - values_)];
    std::size_t n = 0;
    if (to && *to && capacity) {
        n = std::min(text.size(), capacity - 1);
        const char end = '\0';
        if (!guarded_copy(*to, text.data(), n) ||
            !guarded_copy(static_cast<char*>(*to) + n, &end, 1))
            n = 0;
    }
    *bytes = reinterpret_cast<void*>(n);
}

void JitOptions::write_error(std::string_view text) const {
    write(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, text);
}

void JitOptions::write_info(std::string_view text) const {
    write(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, text);
}

bool JitOptions::verbose() const {
    void** value = find(CU_JIT_LOG_VERBOSE);
    return value && *value;
}

void JitOptions::write_time(std::chrono::steady_clock::time_point start) const {
    const std::chrono::duration<float, std::milli> passed =
        std::chrono::steady_clock::now() - start;
    const float milliseconds = passed.count();
    if (void** value = find(CU_JIT_WALL_TIME))
        std::memcpy(value, &milliseconds, sizeof milliseconds);
}

} // namespace lathe::soft
