// SPDX-License-Identifier: MIT
#include "gpu/libraries/host_memory.h"

#include "engine/core/environment.h"
#include "gpu/driver/device_traits.h"
#include "gpu/event.h"

namespace lathe::gpu {

bool host_does_the_work(const char* library) {
    return device_traits().host_memory && !environment(library);
}

void wait_for_host_work(StreamView stream) {
    // A mark in the legacy stream comes after the work of the streams that order themselves by it.
    Event mark{EventConfig{.timing = false}};
    mark.record(stream);
    stream.synchronize();
}

} // namespace lathe::gpu
