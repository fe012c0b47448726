// SPDX-License-Identifier: MIT
#include "tests/soft/recorded/session.h"

#include "gpu/context.h"
#include "gpu/device.h"
#include "gpu/nvrtc.h"
#include "tests/soft/support/nvrtc.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>

namespace lathe::recorded {

Memory::Memory(std::size_t bytes) {
    bytes = bytes ? bytes : 8;
    CU_TRY(cuMemAlloc(&address_, bytes), "{} bytes", bytes);
    CU_TRY(cuMemsetD8(address_, 0, bytes));
}
Memory::~Memory() {
    if (address_) gpu::driver().cuMemFree(address_);
}
void Memory::copy_out(void* to, std::size_t bytes, std::size_t offset) const {
    CU_TRY(cuMemcpyDtoH(to, address_ + offset, bytes));
}

Session::Session() { gpu::Context::ensure_current(); }
Session::~Session() {
    if (module_) gpu::driver().cuModuleUnload(module_);
}

CUmodule Session::module_of(const std::string& text) {
    ptx = mixed(ptx, text);
    if (module_ && loaded_ == text) return module_;
    if (const char* const folder = std::getenv("LATHE_RECORDED_PTX")) // record_kernels --ptx
        std::ofstream{fmt::format("{}/{:016x}.ptx", folder, mixed(kHashStart, text))} << text;
    if (module_) gpu::driver().cuModuleUnload(module_);
    module_ = nullptr;
    char log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CU_TRY(cuModuleLoadDataEx(&module_, text.c_str(), 2, options, values), "{}",
           std::string_view{log});
    loaded_ = text;
    return module_;
}

CUfunction Session::function(const std::string& text, const std::string& name) {
    definition = mixed(definition, text);
    CUfunction f = nullptr;
    CUmodule const module = module_of(text);
    CU_TRY(cuModuleGetFunction(&f, module, name.c_str()), "{}", name);
    return f;
}

CUfunction Session::compiled(const std::string& source, const std::string& name,
                             std::vector<std::string> options) {
    definition = mixed(definition, source);
    std::string key = source;
    for (const std::string& option : options) {
        definition = mixed(definition, option);
        key += option;
    }
    if (!compiled_.contains(key)) {
        compiled_.clear();
        compiled_[key] = test::compile_to_ptx(source, "recorded.cu", std::move(options));
    }
    CUfunction f = nullptr;
    CUmodule const module = module_of(compiled_[key]);
    CU_TRY(cuModuleGetFunction(&f, module, name.c_str()), "{}", name);
    return f;
}

CUfunction Session::compiled_part(const std::string& source, const std::string& own,
                                  const std::string& name) {
    const std::uint64_t before = definition;
    CUfunction const f = compiled(source, name);
    definition = mixed(before, own);
    return f;
}

Memory Session::upload(const void* data, std::size_t bytes) {
    note(data, bytes);
    Memory memory{bytes};
    if (bytes) CU_TRY(cuMemcpyHtoD(memory.get(), data, bytes));
    return memory;
}

void Session::launch_pointers(CUfunction f, const Grid& grid, void** arguments) {
    note(grid.blocks.data(), sizeof grid.blocks);
    note(grid.threads.data(), sizeof grid.threads);
    note_value(grid.shared_bytes);
    const auto& b = grid.blocks;
    const auto& t = grid.threads;
    if (grid.cooperative) {
        CU_TRY(cuLaunchCooperativeKernel(f, b[0], b[1], b[2], t[0], t[1], t[2], grid.shared_bytes,
                                         nullptr, arguments));
    } else {
        CU_TRY(cuLaunchKernel(f, b[0], b[1], b[2], t[0], t[1], t[2], grid.shared_bytes, nullptr,
                              arguments, nullptr));
    }
    CU_TRY(cuCtxSynchronize());
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    add_op_cases(cases);
    add_more_op_cases(cases);
    add_function_cases(cases);
    add_ptx_cases(cases);
    add_kernel_cases(cases);
    add_warp_cases(cases);
    add_matrix_cases(cases);
    add_texture_cases(cases);
    add_surface_cases(cases);
    add_random_cases(cases);
    add_fault_cases(cases);
    std::set<std::string> names;
    for (Case& one : cases)
        while (!names.insert(one.name).second) one.name += '+';
    return cases;
}

namespace {

/// Whether the device still does what it is asked; a GPU that faulted does not.
bool answers() {
    const gpu::DriverApi& driver = gpu::driver();
    CUdeviceptr probe = 0;
    const bool good = driver.cuMemAlloc(&probe, 16) == CUDA_SUCCESS &&
                      driver.cuMemsetD8(probe, 1, 16) == CUDA_SUCCESS &&
                      driver.cuCtxSynchronize() == CUDA_SUCCESS;
    return good && driver.cuMemFree(probe) == CUDA_SUCCESS;
}

} // namespace

Record run(Session& session, const Case& one, bool& context_lost) {
    Record record;
    record.name = one.name;
    session.definition = session.ptx = kHashStart;
    try {
        record.parts = one.run(session);
    } catch (const gpu::Error& error) {
        record.code = error.code();
        record.problem = error.what();
        context_lost = !answers();
    } catch (const std::exception& error) {
        record.code = -1;
        record.problem = error.what();
    }
    record.definition = session.definition;
    record.ptx = session.ptx;
    finish(record);
    return record;
}

std::map<std::string, std::string> header_of_this_machine() {
    const gpu::Device device{0};
    const gpu::ComputeCapability capability = device.compute_capability();
    std::string nvrtc = "unknown";
    if (gpu::nvrtc_problem().empty())
        nvrtc = fmt::format("{}.{}", gpu::nvrtc().major, gpu::nvrtc().minor);
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    return {{"device", device.name()},
            {"capability", fmt::format("{}.{}", capability.major, capability.minor)},
            {"driver", fmt::format("{} (CUDA {}.{})", gpu::driver().path.filename().string(),
                                   gpu::driver().version / 1000, gpu::driver().version / 10 % 100)},
            {"nvrtc", nvrtc},
            {"date",
             fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday)}};
}

} // namespace lathe::recorded
