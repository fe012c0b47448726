// SPDX-License-Identifier: MIT
// The real services of a KernelSlot: gpu::compile and Module on a worker thread for the version
// that runs, and a second pass with -G whose DWARF names the parameters.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_slot.h"
#include "gpu/compiler.h"
#include "gpu/device.h"

namespace lathe {

/// What the compiler is asked for a source, in full and for the current device.
LATHE_API gpu::CompileRequest request_of(const KernelSource& source);
/// The same for one kernel, which may be an instance of a template: "scale<float, 4>".
LATHE_API gpu::CompileRequest request_of(const KernelSource& source, const std::string& kernel);

/// Compiles for the current device, with gpu::CompileRequest::quick for Effort::quick, and loads
/// the module in the current context. Thread-safe. A source that does not compile, or a module the
/// driver refuses, is a KernelBuild without `loaded`; throws gpu::Error only where NVRTC itself is
/// missing.
LATHE_API KernelBuild build_kernel(const KernelSource& source, Effort effort);

/// The same in the primary context of `device`.
LATHE_API BuildKernel build_for(gpu::Device device);

/// Compiles with -G and reads the DWARF (parameters_of in reflect.h). Thread-safe.
LATHE_API ReflectKernel reflect_for(gpu::Device device);

} // namespace lathe
