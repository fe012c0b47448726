// SPDX-License-Identifier: MIT
// How fast kernels compute beside what the device can do: the roofline model (S. Williams,
// A. Waterman, D. Patterson, CACM 52(4), 2009). A kernel's roof is the arithmetic's peak, or the
// memory's times the operations that the kernel does for each byte, whichever is lower.
#pragma once

#include "engine/core/api.h"

#include <string>

namespace lathe::gpu {

/// Measured on this device, by kernels that do nothing else.
struct DevicePeaks {
    /// Operations a second of fused multiply-adds, in float32 and in float64.
    double flops = 0, double_flops = 0;
    double bandwidth = 0;       ///< bytes a second, read and written, of arrays of 32 MiB
    double cache_bandwidth = 0; ///< the same of arrays of 16 KiB
};

/// Measures them in the current context, once in a process: then it takes about two seconds and
/// waits for the device. Throws Error where launches cannot be timed: on a GPU. Thread-safe.
LATHE_API const DevicePeaks& device_peaks();
/// Those, or null before anyone has measured them.
LATHE_API const DevicePeaks* known_device_peaks();

/// What a launch of a kernel does, and how long it takes. Means over launches.
struct LATHE_API KernelRate {
    std::string kernel;
    double flops = 0;        ///< floating-point operations
    double double_flops = 0; ///< those of them that are in float64
    double bytes = 0;        ///< of the sectors of global memory that warps touch
    double seconds = 0;      ///< without counting

    double intensity() const; ///< operations for each byte; infinite without memory
    /// Rates that were reached; 0 where no launch was timed.
    double flops_per_second() const;
    double bytes_per_second() const;
    bool is_double() const; ///< most of the operations are in float64
    /// The flat part of the roof: of float64 where is_double().
    double peak_flops(const DevicePeaks& peaks) const;
    /// Operations a second that memory and arithmetic allow.
    double roof(const DevicePeaks& peaks) const;
    bool is_bound_by_memory(const DevicePeaks& peaks) const;
    /// What is reached of the roof; of the bandwidth where nothing is computed. More than 1 where a
    /// cache serves the kernel.
    double share(const DevicePeaks& peaks) const;
};

} // namespace lathe::gpu
