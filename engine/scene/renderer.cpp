// SPDX-License-Identifier: MIT
#include "engine/scene/renderer.h"

#include <glm/ext/matrix_transform.hpp>
#include <glm/mat3x3.hpp>

namespace lathe {

DrawView DrawView::from(const glm::dvec3& origin) const {
    DrawView own = *this;
    own.clip = clip.from(origin);
    if (origin == glm::dvec3{0}) return own;
    own.eye = eye - origin; // what cancels, cancels in double
    own.view = glm::translate(glm::mat4{glm::mat3{view}}, -glm::vec3{own.eye});
    return own;
}

} // namespace lathe
