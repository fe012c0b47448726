// SPDX-License-Identifier: MIT
#include "engine/scene/drawn.h"

namespace lathe {

namespace {

struct Kind {
    std::string_view operator()(const DrawnImage&) const { return "image"; }
    std::string_view operator()(const DrawnTexture&) const { return "image"; }
    std::string_view operator()(const DrawnPoints&) const { return "points"; }
    std::string_view operator()(const DrawnLines&) const { return "lines"; }
    std::string_view operator()(const DrawnTubes&) const { return "tubes"; }
    std::string_view operator()(const DrawnArrows&) const { return "arrows"; }
    std::string_view operator()(const DrawnMesh& d) const {
        return d.mesh.instances ? "instances" : d.grid ? "height field" : "mesh";
    }
    std::string_view operator()(const DrawnText&) const { return "text"; }
    std::string_view operator()(const DrawnAxes&) const { return "axes"; }
    std::string_view operator()(const DrawnColorbar&) const { return "colorbar"; }
    std::string_view operator()(const DrawnLegend&) const { return "legend"; }
    std::string_view operator()(const DrawnScaleBar&) const { return "scale bar"; }
    std::string_view operator()(const DrawnVolume&) const { return "volume"; }
};

struct InSpace {
    bool operator()(const DrawnPoints& d) const { return d.points.components > 2; }
    bool operator()(const DrawnLines& d) const { return d.lines.components > 2; }
    bool operator()(const DrawnTubes& d) const { return d.tubes.components > 2; }
    bool operator()(const DrawnArrows& d) const { return d.arrows.components > 2; }
    bool operator()(const DrawnImage& d) const { return d.plane.has_value(); }
    bool operator()(const DrawnMesh&) const { return true; }
    bool operator()(const DrawnText& d) const { return d.place == DrawnText::Place::space; }
    bool operator()(const DrawnVolume&) const { return true; }
    template <class Other> bool operator()(const Other&) const { return false; }
};

} // namespace

std::string_view kind_of(const Drawn& drawn) { return std::visit(Kind{}, drawn); }
bool is_in_space(const Drawn& drawn) { return std::visit(InSpace{}, drawn); }

bool is_solid(const Drawn& drawn) {
    if (const auto* mesh = std::get_if<DrawnMesh>(&drawn)) return is_solid(mesh->mesh, mesh->style);
    if (const auto* volume = std::get_if<DrawnVolume>(&drawn)) return is_solid(volume->style);
    if (const auto* image = std::get_if<DrawnImage>(&drawn))
        return image->plane && image->style.opacity >= 1;
    if (std::holds_alternative<DrawnTubes>(drawn) || std::holds_alternative<DrawnArrows>(drawn))
        return true;
    const auto* points = std::get_if<DrawnPoints>(&drawn);
    return points && (points->style.radius || points->style.blend == Blend::opaque);
}

bool is_made_by_kernels(const Drawn& drawn) {
    const auto* points = std::get_if<DrawnPoints>(&drawn);
    return (points && points->splatter) || std::holds_alternative<DrawnVolume>(drawn);
}

bool is_annotation(const Drawn& drawn) {
    return std::holds_alternative<DrawnAxes>(drawn) ||
           std::holds_alternative<DrawnColorbar>(drawn) ||
           std::holds_alternative<DrawnLegend>(drawn) ||
           std::holds_alternative<DrawnScaleBar>(drawn);
}

} // namespace lathe
