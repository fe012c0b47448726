// SPDX-License-Identifier: MIT
#include "gpu/driver/fault.h"

#include "engine/core/source_name.h"
#include "gpu/driver/api.h"
#include "gpu/driver/device_traits.h"

#include <fmt/core.h>

namespace lathe::gpu {
namespace {

/// None where no driver is open.
DeviceTraits traits() noexcept {
    const DriverApi* open = detail::open_driver.load(std::memory_order_acquire);
    return open ? device_traits() : DeviceTraits{};
}

} // namespace

std::string to_string(const Fault& fault) {
    std::string text = fmt::format("kernel {}, block ({}, {}, {}), thread ({}, {}, {})",
                                   fault.kernel, fault.block[0], fault.block[1], fault.block[2],
                                   fault.thread[0], fault.thread[1], fault.thread[2]);
    if (!fault.file.empty()) text += fmt::format(", {}", fault.file);
    if (fault.line > 0)
        text += fault.file.empty() ? fmt::format(", line {}", fault.line)
                                   : fmt::format(":{}", fault.line);
    if (!fault.message.empty()) text += fmt::format(": {}", fault.message);
    return text;
}

std::shared_ptr<const Fault> last_fault() { return last_fault(traits()); }

std::shared_ptr<const Fault> last_fault(const DeviceTraits& device) {
    const auto ask = device.last_fault;
    LatheSoftFault noted{};
    if (!ask || ask(&noted) == 0) return nullptr;
    auto fault = std::make_shared<Fault>();
    fault->code = static_cast<CUresult>(noted.code);
    fault->kernel = source_name(noted.kernel);
    for (int i = 0; i < 3; ++i) {
        fault->block[i] = noted.block[i];
        fault->thread[i] = noted.thread[i];
    }
    fault->file = noted.file;
    fault->line = static_cast<int>(noted.line);
    fault->column = static_cast<int>(noted.column);
    fault->address = noted.address;
    fault->message = noted.message;
    return fault;
}

std::string last_error_text() {
    const auto ask = traits().last_error_text;
    const char* text = ask ? ask() : nullptr;
    return text ? text : "";
}

std::uint64_t driver_interop_bytes_copied() {
    const auto ask = traits().interop_bytes_copied;
    return ask ? ask() : 0;
}

} // namespace lathe::gpu
