// SPDX-License-Identifier: MIT
// Ranges of NVIDIA's Tools Extension, which Nsight Systems shows beside what it records itself.
#pragma once

namespace lathe::nvtx {

/// A tool has been started with the program, and takes ranges (NVTX_INJECTION64_PATH).
bool has_tool();
/// Of this thread; they nest. Nothing happens without a tool, or where the build found no header
/// of it.
void begin_range(const char* name);
void end_range();

} // namespace lathe::nvtx
