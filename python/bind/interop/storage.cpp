// SPDX-License-Identifier: MIT
#include "python/bind/interop/storage.h"

#include "engine/core/log.h"
#include "gpu/context.h"
#include "python/bind/ui/engine.h"

#include <exception>
#include <utility>

namespace lathe::bind {

Storage::Storage(std::shared_ptr<Engine> engine, std::size_t bytes) : engine_{std::move(engine)} {
    if (engine_) {
        engine_->make_current();
        engine_->wait_to_register();
        shared_ = std::make_unique<SharedBuffer>(bytes);
        return;
    }
    gpu::Context::ensure_current();
    own_ = gpu::DeviceBuffer{bytes};
    address_ = own_.address();
    gpu::fill_units(address_, 0, 1, bytes);
}

Storage::~Storage() {
    if (!engine_) return;
    try {
        // Garbage is collected at any time: also in the frame of another App.
        const gl::RestoreContext here{engine_->studio.window().context()};
        engine_->wait_to_register();
        shared_.reset();
    } catch (const std::exception& error) {
        log::error("an array could not be released in order: {}", error.what());
    }
}

CUdeviceptr address_of(const std::shared_ptr<Storage>& storage) {
    Engine* engine = storage->engine_.get();
    return engine ? engine->pool.address(storage, engine->stream()) : storage->address_;
}

} // namespace lathe::bind
