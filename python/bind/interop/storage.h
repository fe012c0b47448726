// SPDX-License-Identifier: MIT
// The memory behind arrays: a SharedBuffer of an App, or device memory alone.
#pragma once

#include "engine/interop/shared_buffer.h"
#include "gpu/memory.h"

#include <cstddef>
#include <memory>

namespace lathe::bind {

struct Engine;

/// The memory of one array and of its views.
class Storage {
public:
    Storage(std::shared_ptr<Engine> engine, std::size_t bytes);
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    const std::shared_ptr<Engine>& engine() const { return engine_; }
    /// Of an App's storage only.
    SharedBuffer& shared() { return *shared_; }

private:
    friend class MapPool;
    std::shared_ptr<Engine> engine_; ///< null: no App
    std::unique_ptr<SharedBuffer> shared_; ///< null without an App
    gpu::DeviceBuffer own_;                ///< without an App
    CUdeviceptr address_ = 0;              ///< of the own memory, or while mapped
    bool used_ = false;                    ///< asked for since it was mapped
    friend CUdeviceptr address_of(const std::shared_ptr<Storage>& storage);
};

/// Device address; maps the storage where it is not mapped.
CUdeviceptr address_of(const std::shared_ptr<Storage>& storage);

} // namespace lathe::bind
