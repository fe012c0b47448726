// SPDX-License-Identifier: MIT
// GL time between two points, read some frames later so that nobody waits.
#pragma once

#include "engine/core/api.h"
#include "gl/object.h"

#include <array>
#include <optional>

namespace lathe::gl {

/// The time between two points of GL's command stream, as two timestamps (Mesa's software
/// rasterisers give no usable time-elapsed queries). Queries may overlap and nest.
class LATHE_API Query {
public:
    Query();

    void begin();
    void end();
    /// True once the result has arrived; false before the first end().
    bool ready() const;
    /// Waits for GL. Throws gl::Error before the first end().
    double milliseconds() const;

private:
    Object<Kind::query> begin_, end_;
    bool ended_ = false;
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
