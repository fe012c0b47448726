// SPDX-License-Identifier: MIT
#include "engine/render/polylines.h"

#include "gl/program.h"

namespace lathe {

void set_lines(const Polylines& lines, gl::Program& program) {
    program.set("points_a_line", int(lines.points_a_line));
    program.set("segments_a_line", int(lines.segments_a_line()));
    program.set("point_step", lines.step());
}

} // namespace lathe
