// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/linker.h"

#include "gpu/ptx/parser.h"
#include "gpu/ptx/printer.h"
#include "gpu/soft/drv/device_library.h"
#include "gpu/soft/drv/device_runtime.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::soft {

namespace {

/// Functions that the device has itself.
bool is_system_function(std::string_view name) {
    constexpr std::string_view known[] = {"vprintf", "__assertfail", "malloc", "free"};
    return std::find(std::begin(known), std::end(known), name) != std::end(known) ||
           device_runtime_function(name);
}

} // namespace

void LinkState::add(std::string name, std::string_view text) {
    std::lock_guard lock{mutex_};
    require(!complete_, CUDA_ERROR_INVALID_VALUE, "the link is complete");
    ptx::ParseResult parsed = ptx::parse(text);
    if (!parsed.ok()) {
        std::string log;
        for (const Diagnostic& d : parsed.errors)
            log += fmt::format("{}: {}\n", name, to_string(d));
        jit_.write_error(log);
        fail(CUDA_ERROR_INVALID_PTX, log);
    }
    inputs_.push_back({std::move(name), std::move(parsed.module)});
}

const std::string& LinkState::complete() {
    std::lock_guard lock{mutex_};
    if (complete_) return image_;
    require(!inputs_.empty(), CUDA_ERROR_INVALID_VALUE, "nothing to link");
    ptx::LinkResult linked = ptx::link(inputs_);
    const auto& missing = linked.undefined_functions;
    if (std::any_of(missing.begin(), missing.end(), is_in_device_library)) {
        inputs_.push_back({"the device's library", ptx::parse(device_library_ptx()).module});
        linked = ptx::link(inputs_);
    }
    for (const std::string& name : linked.undefined_variables)
        linked.errors.push_back(fmt::format("variable {} is not defined", name));
    for (const std::string& name : linked.undefined_functions)
        if (!is_system_function(name))
            linked.errors.push_back(fmt::format("function {} is not defined", name));
    if (!linked.ok()) {
        const std::string log = fmt::format("{}\n", fmt::join(linked.errors, "\n"));
        jit_.write_error(log);
        fail(CUDA_ERROR_INVALID_IMAGE, log);
    }
    image_ = ptx::print(linked.module);
    image_.push_back('\0');
    complete_ = true;
    jit_.write_error("");
    jit_.write_info(jit_.verbose() ? fmt::format("{} modules linked\n", inputs_.size()) : "");
    jit_.write_time(start_);
    return image_;
}

} // namespace lathe::soft
