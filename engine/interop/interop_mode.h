// SPDX-License-Identifier: MIT
// How CUDA and GL share memory here: one storage for both, or copies through the host where CUDA
// cannot register this GL's objects (another GPU's GL, a software GL beside a GPU).
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lathe {

enum class InteropMode {
    zero_copy,   ///< GL objects are registered with CUDA
    host_copy,   ///< each side has its own storage; an unmap copies through the host. Also the
                 ///< software device beside a GPU's OpenGL
    device_only, ///< no GL context on this thread: shared objects are plain device memory
};

LATHE_API std::string_view name_of(InteropMode mode);

/// The mode of this thread's GL and CUDA contexts. Found once for a GL context, by asking the
/// driver and registering a small buffer; LATHE_INTEROP=copy asks for host_copy.
LATHE_API InteropMode interop_mode();
/// Why it is so, in a sentence for the status bar: "OpenGL runs on llvmpipe, CUDA on NVIDIA H200".
LATHE_API std::string interop_reason();

struct InteropStats {
    std::uint64_t maps = 0;         ///< driver or copy-path maps, one a frame
    std::uint64_t bytes_copied = 0; ///< through the host, both directions; 0 in zero_copy unless
                                    ///< the driver itself must copy (textures of a software GL)
};
/// Since the start or the last reset. Thread-safe.
LATHE_API InteropStats interop_stats();
LATHE_API void reset_interop_stats();

/// While it lives, what the driver copies is not for shared objects, and stays out of the stats.
class LATHE_API UncountedCopies {
public:
    UncountedCopies() noexcept;
    UncountedCopies(const UncountedCopies&) = delete;
    UncountedCopies& operator=(const UncountedCopies&) = delete;
    ~UncountedCopies();

private:
    std::uint64_t before_;
};

} // namespace lathe
