// SPDX-License-Identifier: MIT
#include "gpu/driver/device_traits.h"

#include "engine/core/library.h"
#include "gpu/driver/api.h"

namespace lathe::gpu {

DeviceTraits read_device_traits(const SharedLibrary& driver) {
    DeviceTraits traits;
#define LATHE_FIND(name) driver.find<decltype(name)>(#name)
    if (const auto bytes = LATHE_FIND(latheSoftAccessBytes)) traits.access_bytes = bytes();
    if (const auto lone = LATHE_FIND(latheSoftPrefersLoneThreads))
        traits.lone_threads = lone() != 0;
    if (const auto host = LATHE_FIND(latheSoftIsHostMemory)) traits.host_memory = host() != 0;
    if (const auto checks = LATHE_FIND(latheSoftChecksBytes)) traits.checks_bytes = checks() != 0;
    if (const auto runtime = LATHE_FIND(latheSoftHasDeviceRuntime))
        traits.device_runtime = runtime() != 0;
    traits.last_fault = LATHE_FIND(latheSoftGetLastFault);
    traits.last_error_text = LATHE_FIND(latheSoftGetLastErrorText);
    traits.set_printf_callback = LATHE_FIND(latheSoftSetPrintfCallback);
    traits.cancel = LATHE_FIND(latheSoftCancel);
    traits.set_time_limit = LATHE_FIND(latheSoftSetTimeLimit);
    traits.stream_wait = LATHE_FIND(latheSoftStreamWait);
    traits.best_code_begin = LATHE_FIND(latheSoftBestCodeBegin);
    traits.best_code_end = LATHE_FIND(latheSoftBestCodeEnd);
    traits.interop_bytes_copied = LATHE_FIND(latheSoftInteropBytesCopied);
    traits.counters_start = LATHE_FIND(latheSoftCountersStart);
    traits.counters_stop = LATHE_FIND(latheSoftCountersStop);
    traits.counters_read = LATHE_FIND(latheSoftCountersRead);
    traits.times_start = LATHE_FIND(latheSoftTimesStart);
    traits.times_stop = LATHE_FIND(latheSoftTimesStop);
    traits.times_read = LATHE_FIND(latheSoftTimesRead);
    traits.spans_start = LATHE_FIND(latheSoftSpansStart);
    traits.spans_stop = LATHE_FIND(latheSoftSpansStop);
    traits.spans_read = LATHE_FIND(latheSoftSpansRead);
    traits.code_id = LATHE_FIND(latheSoftCodeId);
    traits.read_code = LATHE_FIND(latheSoftReadCode);
    traits.hazards_watch = LATHE_FIND(latheSoftHazardsWatch);
    traits.hazards_read = LATHE_FIND(latheSoftHazardsRead);
    traits.host_has_written = LATHE_FIND(latheSoftHostHasWritten);
    traits.memory_is_new = LATHE_FIND(latheSoftMemoryIsNew);
#undef LATHE_FIND
    return traits;
}

const DeviceTraits& device_traits() {
    static const DeviceTraits traits = read_device_traits(driver().library);
    return traits;
}

const DeviceTraits& software_traits() {
    static const DeviceTraits traits = read_device_traits(software_driver().library);
    return traits;
}

} // namespace lathe::gpu
