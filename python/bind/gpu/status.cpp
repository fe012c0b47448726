// SPDX-License-Identifier: MIT
#include "gpu/status.h"

#include "gpu/driver/device_traits.h"
#include "python/bind/bind.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace lathe::bind {

void bind_status(py::module_& m) {
    m.def(
        "gpu_status",
        [] {
            gpu::StatusReport report;
            {
                py::gil_scoped_release release;
                report = gpu::status_report();
            }
            py::list devices;
            for (const auto& d : report.devices) {
                py::dict device;
                device["name"] = d.name;
                device["compute_capability"] =
                    py::make_tuple(d.capability.major, d.capability.minor);
                device["total_bytes"] = d.total_bytes;
                device["multiprocessors"] = d.multiprocessors;
                devices.append(device);
            }
            py::list shortcomings;
            for (const auto& s : report.shortcomings)
                shortcomings.append(py::make_tuple(s.what, s.mend));
            py::dict out;
            out["driver_ok"] = report.driver_ok;
            out["is_software"] = report.is_software;
            out["driver_kind"] = report.driver_kind;
            out["driver_path"] = report.driver_path.string();
            out["driver_version"] = report.driver_version;
            out["devices"] = devices;
            out["nvrtc_ok"] = report.nvrtc_ok;
            out["nvrtc_path"] = report.nvrtc_path.string();
            out["nvrtc_version"] = report.nvrtc_version;
            out["cache_folder"] = report.cache_folder.string();
            out["shortcomings"] = shortcomings;
            return out;
        },
        "Driver, devices and NVRTC of this machine as a dict; opens both. Never raises for what\n"
        "is missing: `shortcomings` lists (what, command that mends it).");
    m.def(
        "lone_threads", [] { return gpu::device_traits().lone_threads; },
        "Whether one thread walks a long run of elements faster than a block that shares it.");
    m.def(
        "device_runtime", [] { return gpu::device_traits().device_runtime; },
        "Whether kernels that launch kernels need no libcudadevrt.");
}

} // namespace lathe::bind
