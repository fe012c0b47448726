// SPDX-License-Identifier: MIT
// What this machine offers: the CUDA part of `lathe doctor` and of the status bar.
#pragma once

#include "engine/core/api.h"
#include "gpu/device.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace lathe::gpu {

/// Something that is missing or not as it should be, and the command or setting that mends it.
struct Shortcoming {
    std::string what;
    std::string mend;
};

struct LATHE_API StatusReport {
    struct DeviceStatus {
        std::string name;
        ComputeCapability capability;
        std::size_t total_bytes = 0;
        int multiprocessors = 0;
    };

    bool driver_ok = false;
    bool is_software = false; ///< for the text; behaviour never depends on it
    std::string driver_kind;  ///< "NVIDIA driver", "Lathe software device"
    std::filesystem::path driver_path;
    std::string driver_version; ///< CUDA version it supports: "13.0"
    std::vector<DeviceStatus> devices;

    bool nvrtc_ok = false;
    std::filesystem::path nvrtc_path;
    std::string nvrtc_version; ///< "13.0"
    std::vector<std::filesystem::path> include_directories;

    std::filesystem::path cache_folder;
    std::vector<Shortcoming> shortcomings;

    /// One line for a status bar: "NVIDIA H200 · CUDA 13.0 · NVRTC 13.0".
    std::string summary() const;
};

/// Opens the driver and NVRTC. Never throws for what is missing: it is in the report.
LATHE_API StatusReport status_report();

} // namespace lathe::gpu
