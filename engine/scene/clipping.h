// SPDX-License-Identifier: MIT
// The planes that cut off what a view shows in space, by name.
#pragma once

#include "engine/core/api.h"
#include "engine/render/clip_planes.h"

#include <glm/vec3.hpp>

#include <map>
#include <string>
#include <string_view>

namespace lathe {

struct ClipPlane {
    glm::dvec3 origin{0, 0, 0}; ///< a place on it
    glm::vec3 normal{1, 0, 0};  ///< of any length; towards what stays
    bool is_active = true;      ///< false: it cuts nothing

    bool operator==(const ClipPlane&) const = default;
};

class LATHE_API Clipping {
public:
    /// Adds a plane, or moves that of the name. Throws std::invalid_argument for numbers that are
    /// none, a normal of length 0, and for more than ClipPlanes::kMost planes.
    void set(std::string_view name, const ClipPlane& plane);
    /// False where there is none of that name.
    bool remove(std::string_view name);
    void clear() { planes_.clear(); }
    /// Null where there is none.
    const ClipPlane* find(std::string_view name) const;
    const std::map<std::string, ClipPlane, std::less<>>& planes() const { return planes_; }
    /// Those that are active.
    ClipPlanes active() const;

private:
    std::map<std::string, ClipPlane, std::less<>> planes_;
};

} // namespace lathe
