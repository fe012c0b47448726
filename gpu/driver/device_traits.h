// SPDX-License-Identifier: MIT
// All that differs between the devices behind the driver's API: what the author of a kernel or of a
// launch should know, and functions that go beyond CUDA's. It is read once from the opened driver,
// and nobody else above the API reads gpu/soft/soft_api.h or asks which device it is.
#pragma once

#include "engine/core/api.h"
#include "gpu/soft/soft_api.h"

#include <cstddef>

namespace lathe {
class SharedLibrary;
}

namespace lathe::gpu {

struct DeviceTraits {
    /// Bytes that a thread should access at once.
    std::size_t access_bytes = 16;
    /// One thread walks a long run of elements faster than a block that shares it: threads of a
    /// block take turns on one processor, so that what they exchange and wait for costs more than
    /// it gains. Longer rows go to one thread then, and a grid has a block for all work that there
    /// is.
    bool lone_threads = false;
    /// Device pointers are addresses of the host's: its own libraries can do a device's work.
    bool host_memory = false;
    /// Accesses behind the end of an allocation are found, to the byte.
    bool checks_bytes = false;
    /// The functions that kernels launch kernels with need no libcudadevrt.
    bool device_runtime = false;

    // What soft_api.h says; null where the driver has none.
    decltype(&latheSoftGetLastFault) last_fault = nullptr;
    decltype(&latheSoftGetLastErrorText) last_error_text = nullptr;
    decltype(&latheSoftSetPrintfCallback) set_printf_callback = nullptr;
    decltype(&latheSoftCancel) cancel = nullptr;
    decltype(&latheSoftSetTimeLimit) set_time_limit = nullptr;
    decltype(&latheSoftStreamWait) stream_wait = nullptr;
    decltype(&latheSoftBestCodeBegin) best_code_begin = nullptr;
    decltype(&latheSoftBestCodeEnd) best_code_end = nullptr;
    decltype(&latheSoftInteropBytesCopied) interop_bytes_copied = nullptr;
    decltype(&latheSoftCountersStart) counters_start = nullptr;
    decltype(&latheSoftCountersStop) counters_stop = nullptr;
    decltype(&latheSoftCountersRead) counters_read = nullptr;
    decltype(&latheSoftTimesStart) times_start = nullptr;
    decltype(&latheSoftTimesStop) times_stop = nullptr;
    decltype(&latheSoftTimesRead) times_read = nullptr;
    decltype(&latheSoftSpansStart) spans_start = nullptr;
    decltype(&latheSoftSpansStop) spans_stop = nullptr;
    decltype(&latheSoftSpansRead) spans_read = nullptr;
    decltype(&latheSoftCodeId) code_id = nullptr;
    decltype(&latheSoftReadCode) read_code = nullptr;
    decltype(&latheSoftHazardsWatch) hazards_watch = nullptr;
    decltype(&latheSoftHazardsRead) hazards_read = nullptr;
    decltype(&latheSoftHostHasWritten) host_has_written = nullptr;
    decltype(&latheSoftMemoryIsNew) memory_is_new = nullptr;
};

/// Of the driver that is open; opens it.
LATHE_API const DeviceTraits& device_traits();
/// Of software_driver(); throws as that does.
LATHE_API const DeviceTraits& software_traits();

/// Of a driver's library, by the names that it exports.
LATHE_API DeviceTraits read_device_traits(const SharedLibrary& driver);

} // namespace lathe::gpu
