// SPDX-License-Identifier: MIT
#include "gpu/inspect/launch_replay.h"

#include "engine/core/error.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/kernel_ptx.h"
#include "gpu/launch_attribute_list.h"
#include "gpu/ptx/printer.h"

#include <fmt/format.h>

#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

/// Throws Error with the software device's words where a call failed.
void check(CUresult code, std::string_view call) {
    if (code == CUDA_SUCCESS) return;
    const char* text = software_traits().last_error_text();
    if (!text || !*text) software_driver().cuGetErrorString(code, &text);
    throw lathe::Error{fmt::format("the replay's {} failed: {}", call, text ? text : "?")};
}
/// A call by the software device's table, which may not be that of driver().
#define LATHE_REPLAY_TRY(call) check(software_driver().call, detail::routine_of(#call))

/// What all replays of a process share on the software device.
struct ReplayDevice {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    CompileTarget target;
    std::mutex replaying;

    static ReplayDevice& get() {
        static ReplayDevice* const instance =
            new ReplayDevice; // a driver's objects outlive static ones
        return *instance;
    }

private:
    ReplayDevice() {
        CUdevice device = 0;
        LATHE_REPLAY_TRY(cuDeviceGet(&device, 0));
        LATHE_REPLAY_TRY(cuDevicePrimaryCtxRetain(&context, device));
        LATHE_REPLAY_TRY(cuDeviceGetAttribute(
            &target.capability.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
        LATHE_REPLAY_TRY(cuDeviceGetAttribute(
            &target.capability.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
        LATHE_REPLAY_TRY(cuCtxPushCurrent(context));
        const CUresult made =
            software_driver().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
        CUcontext popped = nullptr;
        software_driver().cuCtxPopCurrent(&popped);
        check(made, "cuStreamCreateWithPriority");
    }
};

/// The calling thread's context on the software device.
class ReplayContext {
public:
    ReplayContext() { LATHE_REPLAY_TRY(cuCtxPushCurrent(ReplayDevice::get().context)); }
    ~ReplayContext() {
        CUcontext popped = nullptr;
        software_driver().cuCtxPopCurrent(&popped);
    }
    ReplayContext(const ReplayContext&) = delete;
    ReplayContext& operator=(const ReplayContext&) = delete;
};

/// The launch's memory on the software device, and its addresses there.
class ReplayMemory {
public:
    explicit ReplayMemory(const LaunchCopy& copy) : copy_{copy} {
        try {
            for (const LaunchCopy::Memory& each : copy.memory()) {
                LATHE_REPLAY_TRY(cuMemAlloc(&addresses_.emplace_back(0), each.bytes.size()));
                LATHE_REPLAY_TRY(
                    cuMemcpyHtoD(addresses_.back(), each.bytes.data(), each.bytes.size()));
            }
        } catch (...) {
            free();
            throw;
        }
    }
    ~ReplayMemory() { free(); }
    ReplayMemory(const ReplayMemory&) = delete;
    ReplayMemory& operator=(const ReplayMemory&) = delete;

    /// Words that point into the launch's memory point here.
    void translate(std::span<std::byte> words) const {
        constexpr std::size_t kWord = sizeof(CUdeviceptr);
        for (std::size_t at = 0; at + kWord <= words.size(); at += kWord) {
            CUdeviceptr value = 0;
            std::memcpy(&value, words.data() + at, kWord);
            for (std::size_t i = 0; i < addresses_.size(); ++i) {
                const LaunchCopy::Memory& memory = copy_.memory()[i];
                if (value < memory.address || value - memory.address >= memory.bytes.size())
                    continue;
                value = addresses_[i] + (value - memory.address);
                std::memcpy(words.data() + at, &value, kWord);
                break;
            }
        }
    }

private:
    void free() {
        for (const CUdeviceptr address : addresses_)
            if (address) software_driver().cuMemFree(address);
    }
    const LaunchCopy& copy_;
    std::vector<CUdeviceptr> addresses_;
};

void launch(CUfunction function, const LaunchConfig& config, std::span<void*> arguments) {
    if (config.shared_bytes > 0)
        LATHE_REPLAY_TRY(cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(config.shared_bytes)));
    LaunchAttributeList attributes{config};
    const CUlaunchConfig full = attributes.launch(config, ReplayDevice::get().stream);
    LATHE_REPLAY_TRY(cuLaunchKernelEx(&full, function, arguments.data(), nullptr));
    const CUresult done = software_driver().cuStreamSynchronize(ReplayDevice::get().stream);
    const auto fault = done == CUDA_SUCCESS ? nullptr : last_fault(software_traits());
    if (fault && fault->code == done) throw lathe::Error{to_string(*fault)};
    check(done, "cuStreamSynchronize");
}

} // namespace

std::string replay_problem() {
    try {
        if (!software_traits().counters_read) return "the software device is of another version";
        return {};
    } catch (const lathe::Error& error) { return error.what(); }
}

ReplayKernel::ReplayKernel(const CompileRequest& request, const std::string& kernel) {
    CompileRequest wanted = request;
    wanted.target = ReplayDevice::get().target;
    const ptx::Module code = ptx_of(std::move(wanted));
    const std::string entry = entry_of(code, kernel, request.name);
    variables_ = variables_of(code);
    const ReplayContext here;
    const std::string text = ptx::print(code);
    LATHE_REPLAY_TRY(cuModuleLoadDataEx(&module_, text.c_str(), 0, nullptr, nullptr));
    LATHE_REPLAY_TRY(cuModuleGetFunction(&function_, module_, entry.c_str()));
}

ReplayKernel::ReplayKernel(ReplayKernel&& other) noexcept
    : variables_{std::move(other.variables_)}, module_{std::exchange(other.module_, nullptr)},
      function_{std::exchange(other.function_, nullptr)} {}

ReplayKernel::~ReplayKernel() {
    if (!module_ || !driver_is_usable()) return;
    try {
        const ReplayContext here;
        software_driver().cuModuleUnload(module_);
    } catch (const lathe::Error&) {} // the module stays
}

LaunchReplay ReplayKernel::replay(const LaunchCopy& copy, bool searches,
                                  std::chrono::milliseconds most) const {
    const DeviceTraits& traits = software_traits();
    std::lock_guard one_after_another{ReplayDevice::get().replaying};
    const ReplayContext here;
    const ReplayMemory memory{copy};
    for (const LaunchCopy::Variable& variable : copy.variables()) {
        CUdeviceptr address = 0;
        std::size_t bytes = 0;
        LATHE_REPLAY_TRY(cuModuleGetGlobal(&address, &bytes, module_, variable.name.c_str()));
        std::vector<std::byte> value = variable.bytes;
        memory.translate(value);
        LATHE_REPLAY_TRY(cuMemcpyHtoD(address, value.data(), std::min(bytes, value.size())));
    }
    std::vector<std::vector<std::byte>> values = copy.arguments();
    std::vector<void*> arguments;
    for (std::vector<std::byte>& value : values) {
        memory.translate(value);
        arguments.push_back(value.data());
    }
    traits.set_time_limit(ReplayDevice::get().stream, static_cast<std::uint64_t>(most.count()));
    const std::vector<LineCounts> before = line_counts(traits);
    std::optional<HazardSearch> search;
    if (searches) search.emplace(traits);
    {
        const CountingScope counting{traits};
        launch(function_, copy.config(), arguments);
    }
    LaunchReplay replay;
    replay.counts = counted_since(before, line_counts(traits));
    if (search) replay.findings = search->findings();
    return replay;
}

void ReplayKernel::cancel() {
    const ReplayContext here;
    software_traits().cancel(ReplayDevice::get().stream);
}

} // namespace lathe::gpu
