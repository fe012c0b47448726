// SPDX-License-Identifier: MIT
// Linking: PTX modules go in, one PTX module comes out, which loads like any other image.
#pragma once

#include "gpu/ptx/link.h"
#include "gpu/soft/drv/context.h"
#include "gpu/soft/drv/jit_options.h"

#include <chrono>

namespace lathe::soft {

/// What a CUlinkState stands for.
class LinkState {
public:
    explicit LinkState(JitOptions jit) : jit_{std::move(jit)} {}

    /// Adds PTX. Fails with CUDA_ERROR_INVALID_PTX and the parser's words, which go into the error
    /// log, too.
    void add(std::string name, std::string_view ptx);
    /// Links; the image is zero-terminated PTX, with the zero in its size, and lives as long as the
    /// state. Fails with CUDA_ERROR_INVALID_IMAGE where the modules do not fit together.
    const std::string& complete();
    void log_error(std::string_view text) { jit_.write_error(text); }

    const Context* context = nullptr;

private:
    std::mutex mutex_;
    JitOptions jit_;
    std::vector<ptx::LinkInput> inputs_;
    std::string image_;
    bool complete_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace lathe::soft
