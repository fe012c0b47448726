// SPDX-License-Identifier: MIT
// Initialisation, versions, error names, and the driver's own symbol look-up.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/api/symbols.h"
#include "gpu/soft/drv/device.h"
#include "gpu/soft/drv/module.h"
#include "gpu/soft/rt/fault.h"

#include "engine/core/error.h"
#include "engine/core/log.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
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

int unsupported(const char* name, bool first_call) noexcept {
    try {
        last_error_text() = fmt::format("the software CUDA device does not have {}", name);
        if (first_call) log::warning("{}", last_error_text());
    } catch (...) {} // no memory for the text
    return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace lathe::soft

using namespace lathe::soft;

extern "C" {

CUresult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    install_fault_handler();
    (void)loads_eagerly(); // looks at the environment now
    g_initialised.store(true, std::memory_order_release);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
    if (!is_pointer(version)) return CUDA_ERROR_INVALID_VALUE;
    *version = driver_version();
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
    if (!is_pointer(text)) return CUDA_ERROR_INVALID_VALUE;
    const ErrorText* e = find_error(error);
    *text = e ? e->name : nullptr;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!is_pointer(text)) return CUDA_ERROR_INVALID_VALUE;
    const ErrorText* e = find_error(error);
    *text = e ? e->text : nullptr;
    return e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Asks for a name without its version suffix; the newest symbol that is not newer than the
// version counts, of the per-thread variants first where those are asked for.
CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
    constexpr cuuint64_t streams =
        CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!is_pointer(symbol) || !is_pointer(pfn) || (flags & ~streams) != 0 || flags == streams)
        return CUDA_ERROR_INVALID_VALUE;
    bool per_thread = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, known = false;
    *pfn = nullptr;
    for (const Proc& proc : procs()) {
        if (std::strcmp(proc.name, symbol) != 0 || (proc.per_thread && !per_thread)) continue;
        known = true;
        if (proc.version <= version) *pfn = proc.address; // the last one of those that fit
    }
    if (status)
        *status = *pfn    ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *pfn || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// The driver's private tables are not for us to give.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
    if (!is_pointer(table) || !is_pointer(id)) return CUDA_ERROR_INVALID_VALUE;
    *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
}

#undef cuGetProcAddress
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char* symbol, void** pfn,
                                                                 int version, cuuint64_t flags) {
    CUdriverProcAddressQueryResult status;
    CUresult result = cuGetProcAddress_v2(symbol, pfn, version, flags, &status);
    return result == CUDA_SUCCESS && pfn && !*pfn ? CUDA_ERROR_NOT_FOUND : result;
}

} // extern "C"
