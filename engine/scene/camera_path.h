// SPDX-License-Identifier: MIT
// The way of a camera through key frames.
#pragma once

#include "engine/core/api.h"
#include "engine/scene/camera.h"

#include <vector>

namespace lathe {

struct CameraKey {
    double seconds;
    OrbitCamera camera;
};

/// A camera that passes each key frame at its time. Target, distance and field of view go along
/// monotone cubics (Fritsch and Butland, as SciPy's PchipInterpolator), the distance's logarithm
/// instead of itself; the axes turn by the shortest way from key to key. What else a camera has
/// is as in the key before.
class LATHE_API CameraPath {
public:
    /// Throws std::invalid_argument for no keys, for times that do not rise, and for a distance
    /// that is not above 0.
    explicit CameraPath(std::vector<CameraKey> keys);
    /// Once about the target and the camera's up axis, at the same speed all the time, from 0 to
    /// `seconds`. The eye goes counterclockwise as seen from above. Throws std::invalid_argument
    /// unless seconds > 0.
    static CameraPath turntable(const OrbitCamera& camera, double seconds);

    /// Before the first key as there, and after the last one, too.
    OrbitCamera at(double seconds) const;
    double begin() const { return keys_.front().seconds; }
    double end() const { return keys_.back().seconds; }

private:
    /// Target, logarithm of the distance, field of view.
    static constexpr int kCurves = 5;
    struct Values {
        double value[kCurves], slope[kCurves];
    };

    std::vector<CameraKey> keys_;
    std::vector<Values> curves_; ///< at each key
};

} // namespace lathe
