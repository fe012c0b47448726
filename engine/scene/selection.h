// SPDX-License-Identifier: MIT
// What lies in a rectangle of a view.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/array.h"

#include <string>
#include <string_view>

namespace lathe {

struct Selected {
    std::string item; ///< name of the thing
    std::string_view kind;
    /// (k,) int64, rising: of points, arrows, instances and heights; of a line's points at which
    /// segments begin; of triangles; of a picture's elements in the plane, row * width + column.
    /// Memory of its own.
    gpu::Array indices;
};

} // namespace lathe
