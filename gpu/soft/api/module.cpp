// SPDX-License-Identifier: MIT
// Modules and functions.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/jit_options.h"
#include "gpu/soft/drv/library.h"
#include "gpu/soft/drv/ptx_image.h"

#include <fmt/format.h>

#include <chrono>

using namespace lathe::soft;

namespace {

/// What a verbose load says of each kernel.
std::string describe(const CompiledModule& code) {
    std::string text;
    for (const KernelInfo& k : code.kernels())
        text += fmt::format("{}: {} bytes of parameters, {} of static shared, {} of local memory\n",
                            k.name, k.param_bytes, k.static_shared_bytes, k.local_bytes);
    return text;
}

CUresult load(CUmodule* module, unsigned count, CUjit_option* options, void** values,
              auto&& read_image) {
    return in_context([&](Context& context) {
        require_pointer(module);
        const JitOptions jit{count, options, values};
        const auto start = std::chrono::steady_clock::now();
        try {
            auto made = Module::load(context, Module::parse(read_image()));
            *module = reinterpret_cast<CUmodule>(Objects<Module>::instance().add(made));
            jit.write_info(jit.verbose() ? describe(*made->code()) : "");
        } catch (const Failure& f) {
            jit.write_error(f.text);
            throw;
        }
        jit.write_error("");
        jit.write_time(start);
    });
}

} // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
    return load(module, count, options, values, [&] {
        require(image != nullptr, CUDA_ERROR_INVALID_VALUE);
        return ptx_of_image(image);
    });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
    return load(module, 0, nullptr, nullptr, [&] {
        require_pointer(path);
        return ptx_of_file(path);
    });
}

CUresult cuModuleUnload(CUmodule handle) {
    return in_context([&](Context&) {
        auto module = object<Module>(handle);
        require(!module->of_library, CUDA_ERROR_NOT_PERMITTED, "the module belongs to a library");
        unload(module);
    });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
    return in_context([&](Context&) {
        require_pointer(function);
        require_pointer(name);
        Function* found = object<Module>(handle)->function(name);
        if (!found) fail(CUDA_ERROR_NOT_FOUND, name);
        *function = reinterpret_cast<CUfunction>(found);
    });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
    return in_context([&](Context&) {
        require_pointer(count);
        *count = static_cast<unsigned>(object<Module>(handle)->code()->kernels().size());
    });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned capacity, CUmodule handle) {
    return in_context([&](Context&) {
        require_pointer(functions);
        unsigned i = 0;
        for (Function* f : object<Module>(handle)->functions())
            if (i < capacity) functions[i++] = reinterpret_cast<CUfunction>(f);
    });
}

CUresult cuModuleGetGlobal(CUdeviceptr* p, std::size_t* bytes, CUmodule handle, const char* name) {
    return in_context([&](Context&) {
        require_pointer(name);
        auto found = object<Module>(handle)->variable(name);
        if (!found.address) fail(CUDA_ERROR_NOT_FOUND, name);
        give(p, reinterpret_cast<CUdeviceptr>(found.address));
        give(bytes, found.bytes);
    });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    return entry([&] {
        require_pointer(mode);
        *mode = loads_eagerly() ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
    return in_context([&](Context& context) {
        require_pointer(value);
        auto f = function_of(context, handle);
        *value = function_attribute(*f->info, f->settings, f->module->ptx(), attribute);
    });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
    return in_context([&](Context& context) {
        auto f = function_of(context, handle);
        f->settings.set(*f->info, attribute, value);
    });
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
    return in_context(
        [&](Context& context) { function_of(context, handle)->settings.set_cache_config(config); });
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig) {
    return in_context([&](Context& context) { function_of(context, handle); });
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
    return in_context([&](Context& context) {
        require_pointer(name);
        *name = function_of(context, handle)->info->name.c_str();
    });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
    return in_context([&](Context& context) {
        require_pointer(module);
        *module = reinterpret_cast<CUmodule>(function_of(context, handle)->module.get());
    });
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
    return in_context([&](Context& context) {
        require_pointer(offset);
        auto function = function_of(context, handle);
        require(index < function->info->params.size(), CUDA_ERROR_INVALID_VALUE);
        *offset = function->info->params[index].offset;
        give(bytes, function->info->params[index].bytes);
    });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
    return in_context([&](Context& context) {
        require_pointer(state);
        function_of(context, handle);
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    });
}

CUresult cuFuncLoad(CUfunction handle) {
    return in_context([&](Context& context) { function_of(context, handle); });
}

} // extern "C"
