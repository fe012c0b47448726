// SPDX-License-Identifier: MIT
#include "python/bind/ui/engine.h"

#include "engine/app/window.h"
#include "engine/core/log.h"
#include "gpu/context.h"
#include "gpu/device.h"
#include "gpu/driver/check.h"

namespace lathe::bind {

void Engine::make_current() { studio.window().context().make_current(); }

void Engine::unmap_all() {
    if (pool.mapped() > 0 && gpu::can_cancel()) studio.wait();
    try {
        pool.unmap_all();
    } catch (const gpu::Error& error) {
        if (!studio.report_fault(error)) throw;
    }
}

void Engine::wait_to_register() {
    if (!gpu::can_cancel()) studio.wait();
}

void Engine::synchronize() {
    try {
        studio.wait();
        stream().synchronize();
    } catch (const gpu::Error& error) {
        if (!studio.report_fault(error) || studio.window().headless()) throw;
    }
}

std::string Engine::finish() noexcept {
    try {
        studio.end_session();
        gpu::Context::primary(studio.device()).make_current();
        studio.wait();
        stream().synchronize();
    } catch (const std::exception& error) { return error.what(); }
    return {};
}

Engine::~Engine() {
    if (const std::string fault = finish(); !fault.empty())
        log::error("after the last frame of an App: {}", fault);
    try {
        pool.unmap_all();
    } catch (const std::exception& error) {
        log::error("the arrays of an App were not handed back to OpenGL: {}", error.what());
    }
}

} // namespace lathe::bind
