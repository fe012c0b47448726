// SPDX-License-Identifier: MIT
#include "engine/scene/painter.h"

#include "engine/core/zone.h"
#include "engine/scene/axes.h"
#include "engine/scene/far_places.h"
#include "engine/scene/keys.h"
#include "engine/scene/renderers.h"
#include "engine/scene/splatter.h"
#include "engine/scene/view.h"
#include "engine/scene/volume.h"
#include "gl/texture.h"

#include <glm/ext/matrix_transform.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <variant>

namespace lathe {

namespace {

constexpr float kBesidePicture = 14; // pixels, between it and colour bars

bool is_blended_mesh(const ShownThing* thing) {
    return std::holds_alternative<DrawnMesh>(*thing->drawn) && !is_solid(*thing->drawn);
}

/// Among neighbours in space.
int turn_of(const ShownThing& thing) {
    if (is_annotation(*thing.drawn)) return 0;
    if (is_solid(*thing.drawn)) return 1;
    if (is_blended_mesh(&thing)) return 2;
    return std::holds_alternative<DrawnVolume>(*thing.drawn) ? 4 : 3;
}

} // namespace

Painter::Painter(View& view, Renderers& renderers, SvgElements* svg)
    : view_{view}, renderers_{renderers}, world_{view.look()},
      canvas_{world_, origin_near(view.region(view.camera())), view.state_.last.scale, renderers,
              svg} {}

bool Painter::is_on_screen(const Drawn& thing) const {
    if (std::holds_alternative<DrawnText>(thing)) return true;
    if (!is_annotation(thing)) return false;
    return !std::holds_alternative<DrawnAxes>(thing) || view_.camera() != Camera::orbit;
}

void Painter::draw(const std::vector<ShownThing>& things, const ListContents& contents,
                   const gl::Texture& depth) {
    all_ = &things;
    view_.state_.last.room = {};
    if (contents.annotations) make_room();
    std::vector<const ShownThing*> order;
    order.reserve(things.size());
    for (const ShownThing& each : things)
        if (!is_on_screen(*each.drawn)) order.push_back(&each);
    if (contents.space) sort_in_space(order);
    bool is_lit = !contents.space || view_.lighting_ == Lighting{};
    for (auto at = order.begin(); at != order.end();) {
        if (!is_lit && turn_of(**at) > 1) {
            add_light(order, depth);
            is_lit = true;
        }
        const auto end = std::find_if_not(at, order.end(), is_blended_mesh);
        if (end == at) {
            draw(**at++);
            continue;
        }
        const Zone zone{"blended meshes", ZoneWork::opengl};
        renderers_.peeler.draw(depth, [&](const PeelPass& pass) {
            for (auto each = at; each != end; ++each) {
                look_ = (*each)->seen_by(world_);
                paint(std::get<DrawnMesh>(*(*each)->drawn), &pass);
            }
        });
        at = end;
    }
    if (!is_lit) add_light(order, depth);
    for (const ShownThing& each : things)
        if (is_on_screen(*each.drawn)) draw(each);
    draw_outline();
    const Zone zone{"annotations", ZoneWork::opengl};
    canvas_.finish();
}

void Painter::add_light(const std::vector<const ShownThing*>& solids, const gl::Texture& depth) {
    constexpr float kUsualRadius = 0.08f; // of the distance to the target
    if (view_.camera() != Camera::orbit) return;
    const Zone zone{"light", ZoneWork::opengl};
    canvas_.flush(); // axes
    const Lighting& lighting = view_.lighting_;
    const DrawView& look = canvas_.look();
    const OrbitCamera& camera = view_.state_.orbit;
    if (lighting.occlusion > 0)
        renderers_.occlusion.draw(depth,
                                  {lighting.occlusion, lighting.occlusion_radius > 0
                                                           ? lighting.occlusion_radius
                                                           : kUsualRadius * camera.distance},
                                  look.projection);
    if (const std::optional<Box>& box = view_.state_.ground_box; box && lighting.ground > 0)
        renderers_.ground.draw({box->low - canvas_.origin(), box->high - canvas_.origin(),
                                camera.up == UpAxis::y ? 1 : 2, lighting.ground},
                               look.view, look.projection, [&](const GroundLook& from) {
                                   for (const ShownThing* each : solids)
                                       if (turn_of(*each) == 1 && is_in_space(*each->drawn))
                                           paint_below(*each, from);
                               });
}

void Painter::paint_below(const ShownThing& thing, const GroundLook& from) {
    const ClipPlanes clip = thing.seen_by(world_).clip;
    const auto& [seen, projection, size] = from;
    const glm::mat4 view{
        glm::translate(glm::dmat4{seen}, glm::dvec3{thing.origin - canvas_.origin()})};
    if (const auto* points = std::get_if<DrawnPoints>(thing.drawn)) {
        if (points->style.radius || points->style.world_size)
            renderers_.points.draw(points->points, points->style, projection * view, size, clip);
    } else if (const auto* tubes = std::get_if<DrawnTubes>(thing.drawn))
        renderers_.tubes.draw(tubes->tubes, tubes->style, view, projection, size, clip);
    else if (const auto* arrows = std::get_if<DrawnArrows>(thing.drawn))
        renderers_.arrows.draw(arrows->arrows, arrows->style, view, projection, size, clip);
    else if (const auto* mesh = std::get_if<DrawnMesh>(thing.drawn))
        renderers_.meshes.draw(mesh->mesh, mesh->style, view, projection, size, clip);
    else if (const auto* image = std::get_if<DrawnImage>(thing.drawn); image && image->plane)
        renderers_.images.draw(image->image, image->style, *image->plane, projection * view, clip);
}

void Painter::draw_outline() {
    if (!view_.outline_) return;
    const glm::vec2 a = view_.outline_->front() * canvas_.pixels(),
                    b = view_.outline_->back() * canvas_.pixels();
    const std::array<glm::vec2, 4> corners{a, glm::vec2{b.x, a.y}, b, glm::vec2{a.x, b.y}};
    for (std::size_t i = 0; i < 4; ++i)
        canvas_.screen_stroke(corners[i], corners[(i + 1) % 4], {1, 1, 1, 0.8f});
}

/// Each run of neighbours that lie in space.
void Painter::sort_in_space(std::vector<const ShownThing*>& things) {
    const auto lies_in_space = [](const ShownThing* each) {
        return is_in_space(*each->drawn) || is_annotation(*each->drawn);
    };
    for (auto at = things.begin(); at != things.end();) {
        const bool in_space = lies_in_space(*at);
        const auto end = std::find_if(at, things.end(), [&](const ShownThing* each) {
            return lies_in_space(each) != in_space;
        });
        if (in_space)
            std::stable_sort(at, end, [](const ShownThing* a, const ShownThing* b) {
                return turn_of(*a) < turn_of(*b);
            });
        at = end;
    }
}

void Painter::draw(const ShownThing& thing) {
    const Zone zone{thing.name.empty() ? kind_of(*thing.drawn) : thing.name, ZoneWork::opengl};
    look_ = thing.seen_by(world_);
    std::visit([this](const auto& drawn) { paint(drawn); }, *thing.drawn);
}

void Painter::paint(const DrawnImage& drawn) {
    if (drawn.plane)
        return renderers_.images.draw(drawn.image, drawn.style, *drawn.plane, look_.to_clip(),
                                      look_.clip);
    renderers_.images.draw(drawn.image, drawn.style,
                           view_.place({drawn.image.width, drawn.image.height}, drawn.style.y_up),
                           size());
}

void Painter::paint(const DrawnTexture& drawn) {
    const gl::Texture& texture = *drawn.texture;
    renderers_.images.draw(texture, drawn.style,
                           view_.place({texture.width(), texture.height()}, drawn.style.y_up),
                           size());
}

void Painter::paint(const DrawnPoints& drawn) {
    if (drawn.splatter) return renderers_.layers.draw(drawn.splatter->picture(), true, size());
    renderers_.points.draw(drawn.points, drawn.style, look_.to_clip(), size(), look_.clip);
}

void Painter::paint(const DrawnLines& drawn) {
    renderers_.lines.draw(drawn.lines, drawn.style, look_.to_clip(), size(), look_.clip);
}

void Painter::paint(const DrawnTubes& drawn) {
    renderers_.tubes.draw(drawn.tubes, drawn.style, look_.view, look_.projection, size(),
                          look_.clip);
}

void Painter::paint(const DrawnArrows& drawn) {
    renderers_.arrows.draw(drawn.arrows, drawn.style, look_.view, look_.projection, size(),
                           look_.clip);
}

void Painter::paint(const DrawnMesh& drawn, const PeelPass* pass) {
    renderers_.meshes.draw(drawn.mesh, drawn.style, look_.view, look_.projection, size(),
                           look_.clip, pass);
}

void Painter::paint(const DrawnVolume& drawn) {
    renderers_.layers.draw(drawn.marcher->picture(), is_solid(drawn.style), size());
}

void Painter::paint(const DrawnText& drawn) {
    if (drawn.place == DrawnText::Place::tile)
        canvas_.text(drawn.text, glm::vec2{drawn.position} * canvas_.pixels(), drawn.style);
    else if (const auto place = canvas_.project(drawn.position))
        canvas_.text(drawn.text, *place, drawn.style);
}

void Painter::paint(const DrawnAxes& drawn) {
    if (view_.camera() == Camera::orbit) {
        const OrbitCamera& camera = view_.state_.orbit;
        const std::optional<Box>& box = view_.state_.axes_box;
        if (!box) return;
        const glm::dvec3 from =
            camera.orthographic ? box->middle() + glm::dvec3{camera.axes()[2]} : camera.eye();
        draw_axes_in_space(canvas_, drawn.style, *box, from, camera.up);
    } else if (auto placed = view_.state_.last.placement) {
        placed->origin /= view_.state_.last.scale; // as the canvas counts
        placed->size /= view_.state_.last.scale;
        draw_axes_of_picture(canvas_, drawn.style, *placed, view_.state_.last.picture,
                             view_.state_.last.y_up);
    } else draw_axes_of_plane(canvas_, drawn.style, view_.state_.pan_zoom);
}

ValueRange Painter::range_of(const ShownThing& thing, const ColorScale& scale) const {
    const auto found = view_.state_.found_ranges.find(thing.name);
    return scale.found && found != view_.state_.found_ranges.end() ? found->second : scale.range;
}

template <class Call> void Painter::for_scale(const std::string& name, const Call& call) const {
    for (const ShownThing& each : *all_)
        if (const auto scale = each.name == name ? scale_of(*each.drawn) : std::nullopt)
            call(scale->colormap, range_of(each, *scale));
}

void Painter::make_room() {
    Room room;
    glm::vec2 picture{0, 0};
    for (const ShownThing& each : *all_) {
        if (const auto* image = std::get_if<DrawnImage>(each.drawn); image && !image->plane)
            picture = {image->image.width, image->image.height};
        else if (const auto* texture = std::get_if<DrawnTexture>(each.drawn))
            picture = {texture->texture->width(), texture->texture->height()};
    }
    if (picture.x == 0) return;
    bool has_axes = false;
    for (const ShownThing& each : *all_) {
        if (const auto* axes = std::get_if<DrawnAxes>(each.drawn)) {
            const Room wanted = room_for_axes(canvas_, axes->style, picture);
            room = {wanted.left, wanted.top, room.right + wanted.right, wanted.bottom};
            has_axes = true;
        } else if (const auto* bar = std::get_if<DrawnColorbar>(each.drawn))
            for_scale(bar->thing, [&](const std::string&, ValueRange range) {
                room.right += width_of_colorbar(canvas_, bar->style, range);
            });
    }
    if (room.right > 0 && !has_axes) room.right += kBesidePicture;
    for (const ShownThing& each : *all_)
        if (const auto* text = std::get_if<DrawnText>(each.drawn);
            text && text->place == DrawnText::Place::tile && has_axes)
            room.top += 1.6f * text->style.size;
    // A tile too small for all that keeps its picture.
    if (room.left + room.right < 0.6f * canvas_.pixels().x &&
        room.top + room.bottom < 0.6f * canvas_.pixels().y)
        view_.state_.last.room = room;
}

void Painter::paint(const DrawnColorbar& drawn) {
    for_scale(drawn.thing, [&](const std::string& colormap, ValueRange range) {
        draw_colorbar(canvas_, drawn.style, colormap, range);
    });
}

void Painter::paint(const DrawnLegend& drawn) {
    std::vector<LegendEntry> entries;
    for (const ShownThing& each : *all_) {
        if (const auto scale = scale_of(*each.drawn))
            entries.push_back({each.name, scale->colormap, {}});
        else if (const auto color = color_of(*each.drawn))
            entries.push_back({each.name, {}, *color});
    }
    draw_legend(canvas_, drawn.style, entries);
}

void Painter::paint(const DrawnScaleBar& drawn) {
    const glm::vec2 pixels = canvas_.pixels();
    const OrbitCamera& camera = view_.state_.orbit;
    const double pixel = view_.camera() == Camera::orbit
                             ? double(camera.height()) / double(pixels.y)
                         : view_.state_.last.placement
                             ? double(view_.state_.last.picture.x * view_.state_.last.scale /
                                      view_.state_.last.placement->size.x)
                             : double(view_.state_.pan_zoom.height) / double(pixels.y);
    draw_scale_bar(canvas_, drawn.style, pixel);
}

} // namespace lathe
