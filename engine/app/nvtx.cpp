// SPDX-License-Identifier: MIT
#include "engine/app/nvtx.h"

#include <cstdlib>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define LATHE_HAS_NVTX 1
#else
#define LATHE_HAS_NVTX 0 // NVIDIA's wheels of the toolkit have none
#endif

namespace lathe::nvtx {

bool has_tool() {
    const char* const path = std::getenv("NVTX_INJECTION64_PATH");
    return LATHE_HAS_NVTX && path && *path;
}

void begin_range([[maybe_unused]] const char* name) {
#if LATHE_HAS_NVTX
    nvtxRangePushA(name);
#endif
}

void end_range() {
#if LATHE_HAS_NVTX
    nvtxRangePop();
#endif
}

} // namespace lathe::nvtx
