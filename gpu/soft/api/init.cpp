// SPDX-License-Identifier: MIT
// Initialisation, versions, error names, and the driver's own symbol look-up.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/device.h"
#include "gpu/soft/rt/fault.h"

#include "engine/core/error.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace lathe::soft {

namespace {

std::atomic<bool> g_initialised{false};

struct ErrorText {
    CUresult code;
    const char* name;
    const char* text;
};
constexpr ErrorText kErrors[] = {
#define LATHE_CU_ERROR(code, text) {code, #code, text},
#include "gpu/soft/api/errors.inc"
#undef LATHE_CU_ERROR
};

const ErrorText* find_error(CUresult code) {
    for (const ErrorText& e : kErrors)
        if (e.code == code) return &e;
    return nullptr;
}

struct Proc {
    const char* name;
    int version;
    const char* symbol;
};
constexpr Proc kProcs[] = {
#define LATHE_CU_PROC(name, version, symbol) {name, version, symbol},
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
};

void* own_symbol(const char* symbol) {
    static void* const library = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&kProcs), &info);
        return dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    }();
    return library ? dlsym(library, symbol) : nullptr;
}

} // namespace

bool initialised() { return g_initialised.load(std::memory_order_acquire); }

CUresult code_of_current_exception() noexcept {
    try {
        throw;
    } catch (const Failure& f) {
        last_error_text() = f.text;
        return f.code;
    } catch (const std::bad_alloc&) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    } catch (const std::exception& e) {
        last_error_text() = e.what();
        return CUDA_ERROR_UNKNOWN;
    } catch (...) { return CUDA_ERROR_UNKNOWN; }
}

} // namespace lathe::soft

using namespace lathe::soft;

extern "C" {

CUresult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    install_fault_handler();
    g_initialised.store(true, std::memory_order_release);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = driver_version();
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const ErrorText* e = find_error(error);
    *text = e ? e->name : nullptr;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const ErrorText* e = find_error(error);
    *text = e ? e->text : nullptr;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Asks for a name without its version suffix; the newest symbol that is not newer than the
// version counts. Per-thread-default-stream variants are the ordinary ones: those order more.
CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
    if (!symbol || !pfn) return CUDA_ERROR_INVALID_VALUE;
    if (flags > 3) return CUDA_ERROR_INVALID_VALUE;
    *pfn = nullptr;
    const Proc* best = nullptr;
    bool known = false;
    for (const Proc& proc : kProcs) {
        if (std::strcmp(proc.name, symbol) != 0) continue;
        known = true;
        if (proc.version <= version && (!best || proc.version >= best->version)) best = &proc;
    }
    if (best) *pfn = own_symbol(best->symbol);
    if (status)
        *status = *pfn    ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *pfn || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char* symbol, void** pfn,
                                                                 int version, cuuint64_t flags) {
    CUdriverProcAddressQueryResult status;
    CUresult result = cuGetProcAddress_v2(symbol, pfn, version, flags, &status);
    return result == CUDA_SUCCESS && pfn && !*pfn ? CUDA_ERROR_NOT_FOUND : result;
}

} // extern "C"
