// SPDX-License-Identifier: MIT
#include "gpu/libraries/host_memory.h"

#include "engine/core/environment.h"
#include "gpu/driver/api.h"
#include "gpu/event.h"

namespace lathe::gpu {

bool host_does_the_work(const char* library) {
    static const bool is_host_memory = [] {
        const auto ask = driver().find<int()>("latheSoftIsHostMemory");
        return ask && ask() != 0;
    }();
    return is_host_memory && !environment(library);
}

void wait_for_host_work(StreamView stream) {
    // A mark in the legacy stream comes after the work of the streams that order themselves by it.
    Event mark{EventConfig{.timing = false}};
    mark.record(stream);
    stream.synchronize();
}

} // namespace lathe::gpu
