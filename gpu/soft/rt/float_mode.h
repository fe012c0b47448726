// SPDX-License-Identifier: MIT
// The processor's float modes. Kernels whose every float operation flushes subnormal numbers run
// with FTZ and DAZ set, from the moment a worker begins with blocks of theirs to its return: their
// fibers have one mode, so switches do not change it. What of the run time computes with floats,
// compiles or makes reports sets the normal mode for itself; the rest of it moves and counts.
// Signal handlers begin with the normal mode, and what they leave by a jump does not go on.
#pragma once

#include <immintrin.h>

namespace lathe::soft {

inline constexpr unsigned kFlushSubnormals = 0x8040; ///< FTZ, DAZ of MXCSR

/// Flushes while it lives, where asked.
class FloatMode {
public:
    explicit FloatMode(bool flushes) : before_{_mm_getcsr()} {
        if (flushes) _mm_setcsr(before_ | kFlushSubnormals);
    }
    /// Also where the code between was left in the middle, in a mode of its own.
    ~FloatMode() { _mm_setcsr(before_); }
    FloatMode(const FloatMode&) = delete;
    FloatMode& operator=(const FloatMode&) = delete;

private:
    unsigned before_;
};

/// Subnormal numbers are numbers while it lives.
class NormalFloats {
public:
    NormalFloats() : before_{_mm_getcsr()} {
        if (before_ & kFlushSubnormals) _mm_setcsr(before_ & ~kFlushSubnormals);
    }
    ~NormalFloats() {
        if (before_ & kFlushSubnormals) _mm_setcsr(before_);
    }
    NormalFloats(const NormalFloats&) = delete;
    NormalFloats& operator=(const NormalFloats&) = delete;

private:
    unsigned before_;
};

} // namespace lathe::soft
