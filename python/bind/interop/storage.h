// SPDX-License-Identifier: MIT
// The memory behind arrays: a SharedBuffer of an App, or device memory alone.
#pragma once

#include "engine/interop/shared_buffer.h"
#include "gpu/memory.h"
#include "python/bind/interop/shared.h"

#include <cstddef>
#include <memory>

namespace lathe::bind {

/// The memory of one array and of its views.
class Storage final : public Shared {
public:
    Storage(std::shared_ptr<Engine> engine, std::size_t bytes);
    ~Storage() override;

    /// Of an App's storage only.
    SharedBuffer& shared() { return *shared_; }

private:
    SharedObject& object() override { return *shared_; }
    void on_map(const Mapping& mapping, std::size_t index) override {
        address_ = mapping.address(index);
    }

    std::unique_ptr<SharedBuffer> shared_; ///< null without an App
    gpu::DeviceBuffer own_;                ///< without an App
    CUdeviceptr address_ = 0;              ///< of the own memory, or while mapped
    friend CUdeviceptr address_of(const std::shared_ptr<Storage>& storage);
};

/// Device address; maps the storage where it is not mapped.
CUdeviceptr address_of(const std::shared_ptr<Storage>& storage);

} // namespace lathe::bind
