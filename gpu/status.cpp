// SPDX-License-Identifier: MIT
#include "gpu/status.h"

#include "gpu/compile_cache.h"
#include "gpu/driver/check.h"
#include "gpu/nvrtc.h"

#include <fmt/core.h>

#include <unistd.h>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

// Messages of driver_problem() and nvrtc_problem() end with the sentence that mends them; here
// the two parts are shown apart.
Shortcoming split(const std::string& message, std::string_view fallback) {
    for (const std::string_view verb : {". Install ", ". Build ", ". Run ", ". Name "})
        if (const auto at = message.rfind(verb); at != std::string::npos)
            return {message.substr(0, at + 1), message.substr(at + 2)};
    return {message, std::string{fallback}};
}

void add_driver(StatusReport& report) {
    if (const std::string problem = driver_problem(); !problem.empty()) {
        report.shortcomings.push_back(split(problem, "Unset LATHE_DEVICE."));
        return;
    }
    const DriverApi& api = driver();
    report.driver_ok = true;
    report.is_software = api.is_software();
    report.driver_kind = api.is_software() ? "Lathe software device" : "NVIDIA driver";
    report.driver_path = api.path;
    report.driver_version = fmt::format("{}.{}", api.version / 1000, api.version % 1000 / 10);
    try {
        for (const Device& device : Device::all())
            report.devices.push_back(
                {.name = device.name(),
                 .capability = device.compute_capability(),
                 .total_bytes = device.total_bytes(),
                 .multiprocessors = device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)});
    } catch (const Error& e) { report.shortcomings.push_back({e.what(), "Restart the program."}); }
}

void add_compiler(StatusReport& report) {
    if (const std::string problem = nvrtc_problem(); !problem.empty()) {
        report.shortcomings.push_back(split(problem, "Run tools/bootstrap."));
        return;
    }
    const NvrtcApi& api = nvrtc();
    report.nvrtc_ok = true;
    report.nvrtc_path = api.path;
    report.nvrtc_version = fmt::format("{}.{}", api.major, api.minor);
    report.include_directories = api.include_directories;
    if (api.include_directories.empty())
        report.shortcomings.push_back(
            {"No CUDA headers were found: kernels cannot include cuda_fp16.h or cuda/std.",
             fmt::format("pip install 'cuda-toolkit[cudart,crt,cccl]=={}.*'", api.major)});
}

void add_cache(StatusReport& report) {
    report.cache_folder = CompileCache::instance().folder();
    std::error_code failed;
    fs::create_directories(report.cache_folder, failed);
    if (failed || access(report.cache_folder.c_str(), W_OK) != 0)
        report.shortcomings.push_back(
            {fmt::format("Compiled kernels cannot be kept in {}.", report.cache_folder.string()),
             "Name a writable folder in LATHE_CACHE_DIR."});
}

} // namespace

std::string StatusReport::summary() const {
    std::string text = devices.empty() ? "no CUDA device" : devices.front().name;
    if (devices.size() > 1) text += fmt::format(" and {} more", devices.size() - 1);
    if (driver_ok) text += fmt::format(" · CUDA {}", driver_version);
    text += nvrtc_ok ? fmt::format(" · NVRTC {}", nvrtc_version) : " · no NVRTC";
    return text;
}

StatusReport status_report() {
    StatusReport report;
    add_driver(report);
    add_compiler(report);
    add_cache(report);
    return report;
}

} // namespace lathe::gpu
