// SPDX-License-Identifier: MIT
#include "tests/engine/app/nvtx_tool.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#define LATHE_HAS_NVTX 1
#else
#define LATHE_HAS_NVTX 0
#endif

namespace lathe::test {

bool has_nvtx() { return LATHE_HAS_NVTX; }

std::vector<std::string>& nvtx_ranges() {
    static std::vector<std::string> ranges;
    return ranges;
}

#if LATHE_HAS_NVTX
namespace {

int push_range(const char* name) {
    nvtx_ranges().emplace_back(name);
    return 0;
}

int pop_range() {
    nvtx_ranges().emplace_back("end");
    return 0;
}

int begin_tool(NvtxGetExportTableFunc_t table_of) {
    const auto* callbacks =
        static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size))
        return 0;
    *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push_range);
    *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop_range);
    return 1;
}

} // namespace

/// Where NVTX looks for a tool that is part of the program.
extern "C" {
__attribute__((visibility(
    "default"))) NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = begin_tool;
}
#endif

} // namespace lathe::test
