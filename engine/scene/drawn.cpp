// SPDX-License-Identifier: MIT
#include "engine/scene/drawn.h"

namespace lathe {

namespace {

struct Kind {
    std::string_view operator()(const DrawnImage&) const { return "image"; }
    std::string_view operator()(const DrawnTexture&) const { return "image"; }
    std::string_view operator()(const DrawnPoints&) const { return "points"; }
    std::string_view operator()(const DrawnLines&) const { return "lines"; }
    std::string_view operator()(const DrawnText&) const { return "text"; }
};

struct InSpace {
    bool operator()(const DrawnImage&) const { return false; }
    bool operator()(const DrawnTexture&) const { return false; }
    bool operator()(const DrawnPoints& d) const { return d.points.components > 2; }
    bool operator()(const DrawnLines& d) const { return d.lines.components > 2; }
    bool operator()(const DrawnText& d) const { return d.place == DrawnText::Place::space; }
};

} // namespace

std::string_view kind_of(const Drawn& drawn) { return std::visit(Kind{}, drawn); }
bool is_in_space(const Drawn& drawn) { return std::visit(InSpace{}, drawn); }

bool is_solid(const Drawn& drawn) {
    const auto* points = std::get_if<DrawnPoints>(&drawn);
    return points && (points->style.radius || points->style.blend == Blend::opaque);
}

} // namespace lathe
