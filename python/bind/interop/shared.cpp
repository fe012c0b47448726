// SPDX-License-Identifier: MIT
#include "python/bind/interop/shared.h"

#include "engine/core/log.h"
#include "python/bind/ui/engine.h"

#include <exception>

namespace lathe::bind {

void Shared::before_making() {
    engine_->make_current();
    engine_->wait_to_register();
}

void Shared::release_with(const std::function<void()>& release) noexcept {
    try {
        // Garbage is collected at any time: also in the frame of another App.
        const gl::RestoreContext here{engine_->studio.window().context()};
        engine_->wait_to_register();
        release();
    } catch (const std::exception& error) {
        log::error("an array could not be released in order: {}", error.what());
    }
}

} // namespace lathe::bind
