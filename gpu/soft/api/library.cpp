// SPDX-License-Identifier: MIT
// Libraries and their kernels.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/jit_options.h"
#include "gpu/soft/drv/library.h"
#include "gpu/soft/drv/ptx_image.h"

#include <chrono>

using namespace lathe::soft;

namespace {

CUresult load(CUlibrary* handle, const JitOptions& jit, unsigned count,
              const CUlibraryOption* options, void** values, const std::string& ptx) {
    if (count) require_pointer(options);
    for (unsigned i = 0; i < count; ++i) {
        require(options[i] < CU_LIBRARY_NUM_OPTIONS, CUDA_ERROR_INVALID_VALUE,
                "unknown library option");
        require(options[i] != CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE ||
                    (is_pointer(values) && values[i]),
                CUDA_ERROR_INVALID_VALUE);
    }
    const auto start = std::chrono::steady_clock::now();
    try {
        auto library = Library::load(ptx);
        // What the compiler cannot do should be told here where it can be.
        if (auto context = current_context()) library->module(*context);
        *handle = reinterpret_cast<CUlibrary>(Objects<Library>::instance().add(std::move(library)));
    } catch (const Failure& f) {
        jit.write_error(f.text);
        throw;
    }
    jit.write_error("");
    jit.write_info("");
    jit.write_time(start);
    return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jit_options,
                           void** jit_values, unsigned jit_count, CUlibraryOption* options,
                           void** values, unsigned count) {
    return entry([&] {
        require_pointer(library);
        require_pointer(code);
        const JitOptions jit{jit_count, jit_options, jit_values};
        return load(library, jit, count, options, values, ptx_of_image(code));
    });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* jit_options,
                               void** jit_values, unsigned jit_count, CUlibraryOption* options,
                               void** values, unsigned count) {
    return entry([&] {
        require_pointer(library);
        require_pointer(path);
        const JitOptions jit{jit_count, jit_options, jit_values};
        return load(library, jit, count, options, values, ptx_of_file(path));
    });
}

CUresult cuLibraryUnload(CUlibrary handle) {
    return entry([&] {
        auto library = Objects<Library>::instance().remove(handle);
        if (!library) fail(CUDA_ERROR_INVALID_HANDLE);
        for (const auto& module : library->modules()) unload(module);
    });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary handle, const char* name) {
    return entry([&] {
        require_pointer(kernel);
        require_pointer(name);
        LibraryKernel* found = object<Library>(handle)->kernel(name);
        if (!found) fail(CUDA_ERROR_NOT_FOUND, name);
        *kernel = reinterpret_cast<CUkernel>(found);
    });
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
    return entry([&] {
        require_pointer(count);
        *count = static_cast<unsigned>(object<Library>(handle)->kernels().size());
    });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned capacity, CUlibrary handle) {
    return entry([&] {
        require_pointer(kernels);
        unsigned i = 0;
        for (const auto& kernel : object<Library>(handle)->kernels())
            if (i < capacity) kernels[i++] = reinterpret_cast<CUkernel>(kernel.get());
    });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary handle) {
    return in_context([&](Context& context) {
        require_pointer(module);
        *module = reinterpret_cast<CUmodule>(object<Library>(handle)->module(context).get());
    });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* p, std::size_t* bytes, CUlibrary handle,
                            const char* name) {
    return in_context([&](Context& context) {
        require_pointer(name);
        require(p || bytes, CUDA_ERROR_INVALID_VALUE);
        const auto found = object<Library>(handle)->module(context)->variable(name);
        if (!found.address) fail(CUDA_ERROR_NOT_FOUND, name);
        give(p, reinterpret_cast<CUdeviceptr>(found.address));
        give(bytes, found.bytes);
    });
}

CUresult cuLibraryGetManaged(CUdeviceptr* p, std::size_t* bytes, CUlibrary handle,
                             const char* name) {
    return in_context([&](Context&) {
        require_pointer(name);
        const auto* found = object<Library>(handle)->ptx().find_variable(name);
        if (!found || !found->managed) fail(CUDA_ERROR_NOT_FOUND, name);
        return cuLibraryGetGlobal(p, bytes, handle, name);
    });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel handle) {
    return in_context([&](Context& context) {
        require_pointer(function);
        const auto kernel = object<LibraryKernel>(handle);
        *function =
            reinterpret_cast<CUfunction>(kernel->library()->function(context, *kernel).get());
    });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel handle) {
    return entry([&] {
        require_pointer(library);
        *library = reinterpret_cast<CUlibrary>(object<LibraryKernel>(handle)->library().get());
    });
}

CUresult cuKernelGetName(const char** name, CUkernel handle) {
    return entry([&] {
        require_pointer(name);
        *name = object<LibraryKernel>(handle)->info->name.c_str();
    });
}

CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset,
                              std::size_t* bytes) {
    return entry([&] {
        require_pointer(offset);
        const auto kernel = object<LibraryKernel>(handle);
        const auto& params = kernel->info->params;
        require(index < params.size(), CUDA_ERROR_INVALID_VALUE, "no such parameter");
        *offset = params[index].offset;
        give(bytes, params[index].bytes);
    });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle,
                              CUdevice device) {
    return entry([&] {
        require_pointer(value);
        require(device == 0, CUDA_ERROR_INVALID_DEVICE);
        const auto kernel = object<LibraryKernel>(handle);
        *value = function_attribute(*kernel->info, kernel->settings, kernel->library()->ptx(),
                                    attribute);
    });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle,
                              CUdevice device) {
    return entry([&] {
        require(device == 0, CUDA_ERROR_INVALID_DEVICE);
        const auto kernel = object<LibraryKernel>(handle);
        kernel->library()->set_attribute(*kernel, attribute, value);
    });
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device) {
    return entry([&] {
        require(device == 0, CUDA_ERROR_INVALID_DEVICE);
        object<LibraryKernel>(handle)->settings.set_cache_config(config);
    });
}

} // extern "C"
