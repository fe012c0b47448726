// SPDX-License-Identifier: MIT
// What a device tells about a failure beyond its error code: where a kernel went wrong, and why a
// call was refused. The software device knows both, a GPU neither.
#pragma once

#include "engine/core/api.h"

#include <cuda.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace lathe::gpu {

struct DeviceTraits;

struct Fault {
    CUresult code = CUDA_SUCCESS;
    std::string kernel; ///< as the source spells it
    std::array<unsigned, 3> block{};
    std::array<unsigned, 3> thread{};
    std::string file;          ///< as given to the compiler; empty where unknown
    int line = 0;              ///< from 1; 0 where unknown
    int column = 0;            ///< from 1; 0 where unknown
    std::uint64_t address = 0; ///< of a memory fault
    std::string message;       ///< one sentence, without the place
};

/// "kernel step, block (3, 0, 0), thread (17, 0, 0), step.cu:12: message"
LATHE_API std::string to_string(const Fault& fault);

/// The last launch of this process that failed; null where the device keeps no such notes or none
/// failed.
LATHE_API std::shared_ptr<const Fault> last_fault();
/// The same of another device than the one that is open.
LATHE_API std::shared_ptr<const Fault> last_fault(const DeviceTraits& device);

/// Why the calling thread's last driver call failed, in words; empty where the device does not say.
/// To be asked before the next driver call.
LATHE_API std::string last_error_text();

/// Bytes that the driver itself had to copy through the host for mapped graphics resources since
/// the start: the software device's textures. 0 where the device does not say.
LATHE_API std::uint64_t driver_interop_bytes_copied();

} // namespace lathe::gpu
