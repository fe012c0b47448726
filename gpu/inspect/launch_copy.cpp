// SPDX-License-Identifier: MIT
#include "gpu/inspect/launch_copy.h"

#include "engine/core/error.h"
#include "gpu/driver/check.h"
#include "gpu/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace lathe::gpu {

LaunchCopy::LaunchCopy(const Module& module, const Kernel& kernel, const LaunchConfig& config,
                       void** arguments, std::span<const std::string> variables,
                       std::shared_ptr<const Stream> copy_on, std::size_t most_bytes)
    : config_{config}, copy_on_{std::move(copy_on)} {
    if (!kernel.parameters_known())
        throw lathe::Error{"the driver does not tell the sizes of a kernel's parameters, which "
                           "replays of launches need; drivers for CUDA 12.4 and newer do"};
    for (std::size_t i = 0; i < kernel.parameters().size(); ++i) {
        const auto* bytes = static_cast<const std::byte*>(arguments[i]);
        arguments_.emplace_back(bytes, bytes + kernel.parameters()[i].bytes);
        find_memory(arguments_.back());
    }
    std::vector<DeviceSpan<std::byte>> spans;
    for (const Memory& memory : memory_) spans.emplace_back(memory.address, memory.size);
    for (const std::string& name : variables)
        if (const auto found = module.find_global(name)) {
            variables_.push_back({name, {}});
            spans.push_back(*found);
        }
    std::size_t all = 0;
    for (const auto& span : spans) all += span.bytes();
    if (all > most_bytes)
        throw lathe::Error{fmt::format("a launch of {} reads memory of {} MiB, and at most {} MiB "
                                       "are copied for a replay",
                                       kernel.name(), all >> 20, most_bytes >> 20)};
    put_in_order(config.stream, *copy_on_);
    for (const auto& span : spans) {
        on_device_.push_back(DeviceBuffer::in_order(span.bytes(), *copy_on_));
        copy_on_device(on_device_.back().address(), span.address(), span.bytes(), *copy_on_);
    }
    put_in_order(*copy_on_, config.stream);
}

void LaunchCopy::find_memory(std::span<const std::byte> words) {
    constexpr std::size_t kWord = sizeof(CUdeviceptr);
    for (std::size_t at = 0; at + kWord <= words.size(); at += kWord) {
        CUdeviceptr value = 0, begin = 0;
        std::memcpy(&value, words.data() + at, kWord);
        std::size_t bytes = 0;
        if (value == 0 || driver().cuMemGetAddressRange(&begin, &bytes, value) != CUDA_SUCCESS)
            continue;
        if (std::ranges::find(memory_, begin, &Memory::address) == memory_.end())
            memory_.push_back({begin, bytes, {}});
    }
}

void LaunchCopy::fetch() {
    for (std::size_t i = 0; i < on_device_.size(); ++i) {
        auto& host = i < memory_.size() ? memory_[i].bytes : variables_[i - memory_.size()].bytes;
        host.resize(on_device_[i].bytes());
        copy_to_host(host.data(), on_device_[i].address(), host.size(), *copy_on_);
    }
    copy_on_->synchronize();
    on_device_.clear();
}

} // namespace lathe::gpu
