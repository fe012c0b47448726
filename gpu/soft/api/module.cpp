// SPDX-License-Identifier: MIT
// Modules and functions.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/module.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/printf.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace lathe::soft;

namespace {

/// The log buffers among the options of cuModuleLoadDataEx.
class JitOptions {
public:
    JitOptions(unsigned count, CUjit_option* options, void** values)
        : count_{count}, options_{options}, values_{values} {
        require(count == 0 || (options && values), CUDA_ERROR_INVALID_VALUE);
    }

    void write_log(CUjit_option buffer, CUjit_option size, const std::string& text) {
        void** bytes = find(size);
        void** to = find(buffer);
        if (!bytes) return;
        auto capacity = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(*bytes));
        std::size_t n = 0;
        if (to && *to && capacity) {
            n = std::min(text.size(), capacity - 1);
            std::memcpy(*to, text.data(), n);
            static_cast<char*>(*to)[n] = '\0';
        }
        *bytes = reinterpret_cast<void*>(n);
    }

    void write_time(float milliseconds) {
        if (void** p = find(CU_JIT_WALL_TIME)) std::memcpy(p, &milliseconds, sizeof milliseconds);
    }

private:
    void** find(CUjit_option option) {
        for (unsigned i = 0; i < count_; ++i)
            if (options_[i] == option) return &values_[i];
        return nullptr;
    }
    unsigned count_;
    CUjit_option* options_;
    void** values_;
};

// PTX is zero-terminated text; cubins and fat binaries hold machine code of GPUs.
std::string_view ptx_of(const void* image) {
    struct Probe {
        const char* text;
        std::size_t length;
    } probe{static_cast<const char*>(image), 0};
    bool readable = run_guarded(
        [](void* p) {
            auto& probed = *static_cast<Probe*>(p);
            probed.length = std::strlen(probed.text);
        },
        &probe);
    require(readable && probe.length > 0, CUDA_ERROR_INVALID_IMAGE, "image cannot be read");
    std::string_view text{probe.text, probe.length};
    bool elf = text.size() >= 4 && std::memcmp(text.data(),
                                               "\x7f"
                                               "ELF",
                                               4) == 0;
    bool fat = text.size() >= 4 && std::memcmp(text.data(), "\x50\xed\x55\xba", 4) == 0;
    require(!elf && !fat, CUDA_ERROR_NO_BINARY_FOR_GPU,
            "the image is GPU machine code; the software device takes PTX text");
    return text;
}

CUresult load(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
              void** values) {
    return in_context([&](Context& context) {
        require_pointer(module);
        require_pointer(image);
        JitOptions jit{count, options, values};
        auto start = std::chrono::steady_clock::now();
        try {
            auto made = Module::load(context, ptx_of(image));
            *module = reinterpret_cast<CUmodule>(Objects<Module>::instance().add(made));
        } catch (const Failure& f) {
            jit.write_log(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, f.text);
            throw;
        }
        jit.write_log(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, "");
        jit.write_log(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, "");
        jit.write_time(
            std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    });
}

void set_attribute(Function& f, CUfunction_attribute attribute, int value) {
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
        std::size_t most = (64u << 10) - f.info->static_shared_bytes;
        require(value >= 0 && static_cast<std::size_t>(value) <= most, CUDA_ERROR_INVALID_VALUE,
                "more shared memory than a block can have");
        f.max_dynamic_shared = static_cast<std::size_t>(value);
        break;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        require(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE);
        f.carveout = value;
        break;
    default:
        fail(CUDA_ERROR_INVALID_VALUE, "attribute cannot be set");
    }
}

int attribute_of(const Function& f, CUfunction_attribute attribute) {
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return static_cast<int>(f.info->max_threads ? f.info->max_threads : 1024);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        return static_cast<int>(f.info->static_shared_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        return static_cast<int>(f.info->local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        return 32; // registers are the host's; tools divide by this
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        return 75;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return static_cast<int>(f.max_dynamic_shared.load());
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return f.carveout.load();
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        return 0;
    default:
        require(attribute < CU_FUNC_ATTRIBUTE_MAX && attribute >= 0, CUDA_ERROR_INVALID_VALUE,
                "unknown function attribute");
        return 0;
    }
}

} // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return load(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
    return load(module, image, count, options, values);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    return load(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
    std::string text;
    CUresult read = in_context([&](Context&) {
        require_pointer(path);
        std::ifstream file{path, std::ios::binary};
        require(file.good(), CUDA_ERROR_FILE_NOT_FOUND, path);
        std::ostringstream all;
        all << file.rdbuf();
        text = std::move(all).str();
    });
    return read == CUDA_SUCCESS ? load(module, text.c_str(), 0, nullptr, nullptr) : read;
}

CUresult cuModuleUnload(CUmodule handle) {
    return in_context([&](Context& context) {
        auto module = object<Module>(handle);
        context.wait_idle(); // kernels may run in it; their text may still be unprinted
        flush_printf();
        Objects<Function>::instance().remove_if(
            [&](const Function& f) { return f.module == module; });
        Objects<Module>::instance().remove(handle);
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
        if (p) *p = reinterpret_cast<CUdeviceptr>(found.address);
        if (bytes) *bytes = found.bytes;
    });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    return entry([&] {
        require_pointer(mode);
        *mode = CU_MODULE_LAZY_LOADING;
    });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
    return in_context([&](Context&) {
        require_pointer(value);
        *value = attribute_of(*object<Function>(handle), attribute);
    });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
    return in_context(
        [&](Context&) { set_attribute(*object<Function>(handle), attribute, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache) {
    return in_context([&](Context&) { object<Function>(handle); });
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig) {
    return in_context([&](Context&) { object<Function>(handle); });
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
    return in_context([&](Context&) {
        require_pointer(name);
        *name = object<Function>(handle)->info->name.c_str();
    });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
    return in_context([&](Context&) {
        require_pointer(module);
        *module = reinterpret_cast<CUmodule>(object<Function>(handle)->module.get());
    });
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
    return in_context([&](Context&) {
        require_pointer(offset);
        auto function = object<Function>(handle);
        require(index < function->info->params.size(), CUDA_ERROR_INVALID_VALUE);
        *offset = function->info->params[index].offset;
        if (bytes) *bytes = function->info->params[index].bytes;
    });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
    return in_context([&](Context&) {
        require_pointer(state);
        object<Function>(handle);
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    });
}

CUresult cuFuncLoad(CUfunction handle) {
    return in_context([&](Context&) { object<Function>(handle); });
}

} // extern "C"
