// SPDX-License-Identifier: MIT
#include "python/bind/interop/storage.h"

#include "gpu/context.h"
#include "python/bind/ui/engine.h"

#include <utility>

namespace lathe::bind {

Storage::Storage(std::shared_ptr<Engine> engine, std::size_t bytes) : Shared{std::move(engine)} {
    if (this->engine()) {
        before_making();
        shared_ = std::make_unique<SharedBuffer>(bytes);
        return;
    }
    gpu::Context::ensure_current();
    own_ = gpu::DeviceBuffer{bytes};
    address_ = own_.address();
    gpu::fill_units(address_, 0, 1, bytes);
}

Storage::~Storage() {
    if (engine()) release_with([this] { shared_.reset(); });
}

CUdeviceptr address_of(const std::shared_ptr<Storage>& storage) {
    if (Engine* engine = storage->engine().get()) engine->pool.hold(storage, engine->stream());
    return storage->address_;
}

} // namespace lathe::bind
