// SPDX-License-Identifier: MIT
#include "engine/interop/interop_mode.h"

#include "engine/core/environment.h"
#include "engine/core/log.h"
#include "engine/interop/interop_counters.h"
#include "gl/buffer.h"
#include "gl/context.h"
#include "gl/object.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/graphics_resource.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace lathe {
namespace {

struct Found {
    InteropMode mode;
    std::string reason;
};

std::mutex mutex;
using Pair = std::pair<std::uint32_t, CUdevice>; ///< serial of a GL context, CUDA device
std::map<Pair, Found> found_for;                 // guarded by mutex

std::atomic<std::uint64_t> maps{0};
std::atomic<std::uint64_t> bytes_copied{0};
std::atomic<std::uint64_t> driver_bytes_at_reset{0};

// Null where a buffer of this GL context can be registered and is then shared; else why not.
std::optional<std::string> sharing_problem(std::string_view renderer) {
    const std::uint64_t before = gpu::driver_interop_bytes_copied();
    try {
        const gl::Buffer buffer{256};
        const auto resource = gpu::GraphicsResource::buffer(buffer.id());
        gpu::GraphicsMapping mapping{resource, gpu::StreamView{}};
        mapping.unmap();
    } catch (const gpu::Error& e) {
        return fmt::format("OpenGL buffers of {} cannot be registered: {}", renderer, e.what());
    }
    // The software device registers buffers of any GL, and copies those that it cannot reach.
    const std::uint64_t copied = gpu::driver_interop_bytes_copied() - before;
    if (!copied) return std::nullopt;
    driver_bytes_at_reset += copied;
    return fmt::format("OpenGL runs on {}, CUDA on this machine's processors", renderer);
}

Found find_mode(const gl::Context& gl_context) {
    const gpu::Device device = gpu::Context::ensure_current().device();
    const std::string& renderer = gl_context.info().renderer;
    const char* asked = environment("LATHE_INTEROP");
    if (asked && std::string_view{asked} == "copy")
        return {InteropMode::host_copy, "LATHE_INTEROP=copy asks for copies through the host"};
    const std::vector<gpu::Device> devices = gpu::gl_devices();
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
        return {InteropMode::host_copy,
                fmt::format("OpenGL runs on {}, CUDA on {}", renderer, device.name())};
    if (auto problem = sharing_problem(renderer)) return {InteropMode::host_copy, *problem};
    return {InteropMode::zero_copy,
            fmt::format("CUDA on {} and OpenGL on {} share their memory", device.name(), renderer)};
}

Found found_here() {
    const gl::Context* gl_context = gl::Context::current();
    if (!gl_context) return {InteropMode::device_only, "no GL context is current on this thread"};
    std::lock_guard lock{mutex};
    const Pair here{gl_context->serial(), gpu::Context::ensure_current().device().get()};
    const auto known = found_for.find(here);
    if (known != found_for.end()) return known->second;
    std::erase_if(found_for, [](const auto& each) { return !gl::is_living(each.first.first); });
    Found found = find_mode(*gl_context);
    log::debug("interop: {} ({})", name_of(found.mode), found.reason);
    return found_for.emplace(here, std::move(found)).first->second;
}

} // namespace

std::string_view name_of(InteropMode mode) {
    switch (mode) {
    case InteropMode::zero_copy: return "zero copy";
    case InteropMode::host_copy: return "copy through the host";
    case InteropMode::device_only: return "device only";
    }
    return "?";
}

InteropMode interop_mode() { return found_here().mode; }

std::string interop_reason() { return found_here().reason; }

InteropStats interop_stats() {
    return {.maps = maps,
            .bytes_copied =
                bytes_copied + gpu::driver_interop_bytes_copied() - driver_bytes_at_reset};
}

void reset_interop_stats() {
    maps = 0;
    bytes_copied = 0;
    driver_bytes_at_reset = gpu::driver_interop_bytes_copied();
}

UncountedCopies::UncountedCopies() noexcept : before_{gpu::driver_interop_bytes_copied()} {}

UncountedCopies::~UncountedCopies() {
    driver_bytes_at_reset += gpu::driver_interop_bytes_copied() - before_;
}

void detail::count_map() noexcept { ++maps; }
void detail::count_copied(std::uint64_t bytes) noexcept { bytes_copied += bytes; }

} // namespace lathe
