// SPDX-License-Identifier: MIT
// GL time of points and between them, read some frames later so that nobody waits.
#pragma once

#include "engine/core/api.h"
#include "gl/object.h"

#include <array>
#include <cstdint>
#include <optional>

namespace lathe::gl {

/// When the GPU reaches a point of GL's command stream.
class LATHE_API Timestamp {
public:
    Timestamp();

    void mark();
    /// True once the GPU was there; false before the first mark().
    bool ready() const;
    /// By the GPU's clock. Waits for GL. Throws gl::Error before the first mark().
    std::uint64_t nanoseconds() const;
    /// By the same clock, without a wait: the GPU's time when all commands before have been sent
    /// to it.
    static std::uint64_t now();

private:
    Object<Kind::query> query_;
    bool is_marked_ = false;
};

/// The time between two points of GL's command stream, as two timestamps (Mesa's software
/// rasterisers give no usable time-elapsed queries). Queries may overlap and nest.
class LATHE_API Query {
public:
    void begin() { begin_.mark(); }
    void end() { end_.mark(); }
    /// True once the result has arrived; false before the first end().
    bool ready() const { return end_.ready(); }
    /// Waits for GL. Throws gl::Error before the first end().
    double milliseconds() const;

private:
    Timestamp begin_, end_;
};

/// Times the same stretch of every frame with a ring of queries.
class LATHE_API FrameTimer {
public:
    void begin();
    void end();
    /// The newest time that has arrived, without waiting; nothing in the first frames.
    std::optional<double> milliseconds();

private:
    static constexpr int kRing = 4;
    std::array<Query, kRing> ring_;
    std::array<bool, kRing> pending_{};
    int next_ = 0;
    std::optional<double> newest_;
};

} // namespace lathe::gl
