// SPDX-License-Identifier: MIT
#include "engine/interop/frame_map.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/process.h"
#include "engine/core/zone.h"
#include "gpu/device.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace lathe {

namespace {

log::Level level_of_failures() {
    return program_is_at_end() ? log::Level::debug : log::Level::error;
}

} // namespace

FrameMap::FrameMap(gl::Context& gl, gpu::Context cuda, gpu::StreamView stream)
    : gl_{gl}, cuda_{cuda}, stream_{stream}, thread_{std::this_thread::get_id()} {}

FrameMap::~FrameMap() {
    waits_ = {}; // of those that end before this does
    after_map_ = {};
    try {
        unmap_all();
    } catch (const std::exception& error) {
        log::write(level_of_failures(),
                   fmt::format("memory shared with OpenGL was not handed back: {}", error.what()));
    }
    mappings_.clear(); // where the context is gone: before the objects that they point to
    end_released();
}

void FrameMap::check_thread() const {
    if (thread_.load() != std::this_thread::get_id())
        throw Error{"memory that is shared with OpenGL can be made, and mapped, on the thread of "
                    "its frames only; another thread may use what a kernel or get() of that "
                    "thread has mapped in this frame"};
}

void FrameMap::before_making() {
    check_thread();
    end_released();
    cuda_.make_current();
    gl_.make_current();
    wait_to_register();
}

// A driver registers GL's buffers, and gives them back, when all kernels have ended. Where none can
// be cancelled the wait comes first, so that Ctrl+C ends it.
void FrameMap::wait_to_register() {
    if (waits_.wait && !gpu::can_cancel()) waits_.wait();
}

void FrameMap::release(std::unique_ptr<SharedObject> object) noexcept {
    if (!object) return;
    try {
        if (object->is_mapped() || thread_.load() != std::this_thread::get_id()) {
            const std::lock_guard lock{mutex_};
            released_.push_back(std::move(object));
            return;
        }
        // Garbage is collected at any time: also in the frame of another App.
        const gl::RestoreContext here{gl_};
        wait_to_register();
        object.reset();
    } catch (const std::exception& error) {
        log::write(level_of_failures(),
                   fmt::format("memory shared with OpenGL could not be released in order: {}",
                               error.what()));
    }
}

void FrameMap::end_released() noexcept {
    std::vector<std::unique_ptr<SharedObject>> ended;
    {
        const std::lock_guard lock{mutex_};
        ended.swap(released_);
    }
    for (auto& object : ended) release(std::move(object));
}

void FrameMap::map(std::span<const std::shared_ptr<FrameObject>> memories) {
    const Zone zone{"map", ZoneWork::cuda, stream_.get()};
    gl_.make_current();
    std::vector<SharedObject*> objects;
    objects.reserve(memories.size());
    for (const auto& each : memories) objects.push_back(&each->object());
    mappings_.emplace_back(std::span<SharedObject* const>{objects}, stream_);
    if (after_map_) after_map_();
    for (std::size_t i = 0; i < memories.size(); ++i) {
        memories[i]->on_map(mappings_.back(), i);
        held_.push_back(memories[i]);
    }
}

void FrameMap::hold(FrameObject& memory) {
    if (!memory.object().is_mapped()) {
        check_thread();
        end_released();
        std::vector<std::shared_ptr<FrameObject>> wanted;
        if (mappings_.empty())
            for (const auto& weak : std::exchange(last_, {}))
                if (auto each = weak.lock(); each && each.get() != &memory)
                    wanted.push_back(std::move(each));
        wanted.push_back(memory.shared_from_this());
        map(wanted);
    }
    memory.note_use();
}

void FrameMap::unmap_all() {
    if (!mappings_.empty()) {
        if (waits_.wait && gpu::can_cancel()) {
            const Zone zone{"wait"};
            waits_.wait();
        }
        const Zone zone{"unmap", ZoneWork::cuda, stream_.get()};
        gl_.make_current();
        last_.clear();
        for (const auto& weak : std::exchange(held_, {}))
            if (const auto each = weak.lock(); each && each->used_.exchange(false))
                last_.push_back(weak);
        std::vector<Mapping> mappings = std::exchange(mappings_, {});
        for (Mapping& mapping : mappings) mapping.unmap();
    }
    end_released();
}

std::size_t FrameMap::mapped() const noexcept {
    std::size_t count = 0;
    for (const Mapping& each : mappings_) count += each.size();
    return count;
}

void FrameMap::wait() {
    if (waits_.synchronize && thread_.load() == std::this_thread::get_id())
        return waits_.synchronize();
    const gpu::CurrentContext here{cuda_};
    stream_.synchronize();
}

} // namespace lathe
