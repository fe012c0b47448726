// SPDX-License-Identifier: MIT
// Axes with ticks; private to engine/scene.
#pragma once

#include "engine/render/image.h"
#include "engine/scene/annotation.h"
#include "engine/scene/camera.h"
#include "engine/scene/canvas.h"

#include <optional>

namespace lathe {

/// Around a box of whole ticks, which stays as it was as long as that is about right: what moves
/// does not shake its axes.
Box axes_box(const Box& around, const std::optional<Box>& before);

void draw_axes_in_space(Canvas& canvas, const AxesStyle& style, const Box& box,
                        const glm::dvec3& eye, UpAxis up);
/// Along the tile's sides.
void draw_axes_of_plane(Canvas& canvas, const AxesStyle& style, const PanZoomCamera& camera);
/// Along a picture's sides, in elements; `size`: columns and rows.
void draw_axes_of_picture(Canvas& canvas, const AxesStyle& style, const ImagePlacement& placed,
                          glm::vec2 size, bool y_up);
/// What they need around a picture.
Room room_for_axes(Canvas& canvas, const AxesStyle& style, glm::vec2 size);

} // namespace lathe
