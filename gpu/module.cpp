// SPDX-License-Identifier: MIT
#include "gpu/module.h"

#include "engine/core/source_name.h"
#include "engine/core/zone.h"
#include "gpu/compiler.h"
#include "gpu/driver/check.h"
#include "gpu/driver/device_traits.h"
#include "gpu/jit_options.h"
#include "gpu/launch_attributes.h"

#include <fmt/ranges.h>

namespace lathe::gpu {
namespace {

std::string to_string(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::vector<KernelParameter> ask_parameters(CUfunction function, bool& known) {
    std::vector<KernelParameter> parameters;
    const auto ask = driver().cuFuncGetParamInfo;
    known = ask != nullptr;
    if (!known) return parameters;
    KernelParameter p;
    CUresult code = CUDA_SUCCESS;
    while ((code = ask(function, parameters.size(), &p.offset_bytes, &p.bytes)) == CUDA_SUCCESS)
        parameters.push_back(p);
    known = code == CUDA_ERROR_INVALID_VALUE; // what the index after the last one answers
    return parameters;
}

} // namespace

std::string detail::describe(const Kernel& kernel, const LaunchConfig& config) {
    std::string text =
        fmt::format("kernel {}, grid {}, block {}, shared_bytes {}", source_name(kernel.name()),
                    to_string(config.grid), to_string(config.block), config.shared_bytes);
    if (config.cluster) text += fmt::format(", cluster {}", to_string(*config.cluster));
    int threads = 0;
    int shared = 0;
    const DriverApi& api = driver();
    if (api.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel.get()) ==
        CUDA_SUCCESS)
        text += fmt::format("; it allows {} threads per block, given {}", threads,
                            config.block.total());
    if (api.cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               kernel.get()) == CUDA_SUCCESS)
        text += fmt::format(", {} bytes of dynamic shared memory", shared);
    int most[3] = {};
    CUdevice device = 0;
    bool known = api.cuCtxGetDevice(&device) == CUDA_SUCCESS;
    for (int axis = 0; axis < 3; ++axis) { // X, Y and Z follow each other in the enumeration
        const auto limit =
            static_cast<CUdevice_attribute>(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis);
        known = known && api.cuDeviceGetAttribute(&most[axis], limit, device) == CUDA_SUCCESS;
    }
    if (known) text += fmt::format(", a grid of at most ({}, {}, {})", most[0], most[1], most[2]);
    return text;
}

Kernel Kernel::wrap(CUfunction function, std::string name) {
    auto info = std::make_shared<Info>();
    info->name = std::move(name);
    info->parameters = ask_parameters(function, info->parameters_known);
    Kernel kernel;
    kernel.function_ = function;
    kernel.info_ = std::move(info);
    return kernel;
}

const std::string& Kernel::name() const noexcept {
    static const std::string none;
    return info_ ? info_->name : none;
}

bool Kernel::parameters_known() const noexcept { return info_ && info_->parameters_known; }

const std::vector<KernelParameter>& Kernel::parameters() const noexcept {
    static const std::vector<KernelParameter> none;
    return info_ ? info_->parameters : none;
}

int Kernel::attribute(CUfunction_attribute which) const {
    int value = 0;
    CU_TRY(cuFuncGetAttribute(&value, which, function_), "kernel {}, attribute {}",
           source_name(name()), static_cast<int>(which));
    return value;
}

void Kernel::set_attribute(CUfunction_attribute which, int value) const {
    CU_TRY(cuFuncSetAttribute(function_, which, value), "kernel {}, attribute {}, value {}",
           source_name(name()), static_cast<int>(which), value);
}

int Kernel::max_threads_per_block() const {
    return attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

std::size_t Kernel::static_shared_bytes() const {
    return static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
}

int Kernel::registers_per_thread() const { return attribute(CU_FUNC_ATTRIBUTE_NUM_REGS); }

void Kernel::load() const {
    if (driver().cuFuncLoad) CU_TRY(cuFuncLoad(function_), "kernel {}", source_name(name()));
}

int Kernel::max_active_blocks(int threads_per_block, std::size_t shared_bytes) const {
    int blocks = 0;
    CU_TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, threads_per_block,
                                                       shared_bytes),
           "kernel {}, {} threads per block", source_name(name()), threads_per_block);
    return blocks;
}

void Kernel::launch(const LaunchConfig& config, void** arguments) const {
    const Dim3& g = config.grid;
    const Dim3& b = config.block;
    const auto shared = static_cast<unsigned>(config.shared_bytes);
    const CUstream stream = config.stream.get();
    if (!config.cooperative && !config.cluster) [[likely]] {
        std::optional<Zone> zone;
        if (ZoneSink::current()) [[unlikely]]
            zone.emplace(source_name(name()), ZoneWork::cuda, stream);
        CU_TRY(cuLaunchKernel(function_, g.x, g.y, g.z, b.x, b.y, b.z, shared, stream, arguments,
                              nullptr),
               "{}", detail::describe(*this, config));
        return;
    }
    launch_with(*this, config, {}, arguments);
}

void detail::check_arguments(const Kernel& kernel, std::span<const std::size_t> argument_bytes) {
    if (!kernel.parameters_known()) return;
    const std::vector<KernelParameter>& parameters = kernel.parameters();
    if (parameters.size() != argument_bytes.size())
        throw Error{"cuLaunchKernel", CUDA_ERROR_INVALID_VALUE,
                    fmt::format("kernel {} takes {} arguments, {} were given",
                                source_name(kernel.name()), parameters.size(),
                                argument_bytes.size())};
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].bytes != argument_bytes[i]) [[unlikely]]
            throw Error{"cuLaunchKernel", CUDA_ERROR_INVALID_VALUE,
                        fmt::format("argument {} of kernel {} has {} bytes, the parameter {}",
                                    i + 1, source_name(kernel.name()), argument_bytes[i],
                                    parameters[i].bytes)};
}

BestCodeScope::BestCodeScope() {
    if (const auto begin = device_traits().best_code_begin) begin();
}

BestCodeScope::~BestCodeScope() {
    if (const auto end = device_traits().best_code_end) end();
}

void detail::ModuleTraits::destroy(Type module) noexcept {
    if (const ReleaseScope scope{module.context})
        log_failure("cuModuleUnload", driver().cuModuleUnload(module.value));
}

Module::Module(std::span<const std::byte> image) {
    JitLog log;
    *this = Module{image, {}, log};
}

Module::Module(std::string_view ptx) : Module{std::as_bytes(std::span{ptx})} {}

Module::Module(std::span<const std::byte> image, std::span<const JitOption> options, JitLog& log) {
    // PTX must end with 0; a CUBIN does not mind one.
    const std::string text{reinterpret_cast<const char*>(image.data()), image.size()};
    load(text, options, log);
}

Module::Module(const CompileResult& result) {
    if (!result.ok) throw CompileError{result};
    *this = Module{std::span{result.image}};
}

Module Module::wrap(CUmodule module) noexcept {
    Module m;
    m.handle_ = Handle<detail::ModuleTraits>::wrap({module, {}});
    return m;
}

void Module::load(const std::string& image, std::span<const JitOption> given, JitLog& log) {
    const Context context = Context::ensure_current();
    detail::JitOptions options{given};
    CUmodule module = nullptr;
    const CUresult code = driver().cuModuleLoadDataEx(&module, image.c_str(), options.count(),
                                                      options.names(), options.values());
    if (code == CUDA_SUCCESS) handle_ = Handle<detail::ModuleTraits>{{module, context}};
    log = options.log();
    if (code != CUDA_SUCCESS)
        throw Error{"cuModuleLoadDataEx", code,
                    fmt::format("an image of {} bytes{}{}", image.size(),
                                log.error.empty() ? "" : ": ", log.error)};
}

std::optional<Kernel> Module::find_kernel(const std::string& name) const {
    CUfunction function = nullptr;
    const CUresult code = driver().cuModuleGetFunction(&function, get(), name.c_str());
    if (code == CUDA_ERROR_NOT_FOUND) return std::nullopt;
    if (code != CUDA_SUCCESS)
        throw Error{"cuModuleGetFunction", code, "kernel " + source_name(name)};
    return Kernel::wrap(function, name);
}

Kernel Module::kernel(const std::string& name) const {
    if (auto found = find_kernel(name)) return *found;
    const std::vector<std::string> names = kernel_names();
    throw Error{"cuModuleGetFunction", CUDA_ERROR_NOT_FOUND,
                names.empty()
                    ? fmt::format("kernel {}", name)
                    : fmt::format("kernel {}; the module has {}", name, fmt::join(names, ", "))};
}

std::vector<std::string> Module::kernel_names() const {
    const DriverApi& api = driver();
    if (!api.cuModuleGetFunctionCount || !api.cuModuleEnumerateFunctions || !api.cuFuncGetName)
        return {};
    unsigned count = 0;
    CU_TRY(cuModuleGetFunctionCount(&count, get()));
    std::vector<CUfunction> functions(count);
    if (count) CU_TRY(cuModuleEnumerateFunctions(functions.data(), count, get()));
    std::vector<std::string> names;
    for (const CUfunction function : functions) {
        const char* name = nullptr;
        CU_TRY(cuFuncGetName(&name, function));
        names.emplace_back(name);
    }
    return names;
}

std::optional<DeviceSpan<std::byte>> Module::find_global(const std::string& name) const {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const CUresult code = driver().cuModuleGetGlobal(&address, &bytes, get(), name.c_str());
    if (code == CUDA_ERROR_NOT_FOUND) return std::nullopt;
    if (code != CUDA_SUCCESS) throw Error{"cuModuleGetGlobal", code, "variable " + name};
    return DeviceSpan<std::byte>{address, bytes};
}

DeviceSpan<std::byte> Module::global(const std::string& name) const {
    if (const auto found = find_global(name)) return *found;
    throw Error{"cuModuleGetGlobal", CUDA_ERROR_NOT_FOUND, "variable " + name};
}

} // namespace lathe::gpu
