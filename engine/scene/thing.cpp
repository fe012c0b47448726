// SPDX-License-Identifier: MIT
#include "engine/scene/thing.h"

#include "gl/texture.h"

namespace lathe {

namespace {

struct Count {
    std::size_t operator()(const DrawnImage& d) const {
        return std::size_t(d.image.height) * std::size_t(d.image.width);
    }
    std::size_t operator()(const DrawnTexture& d) const {
        return std::size_t(d.texture->height()) * std::size_t(d.texture->width());
    }
    std::size_t operator()(const DrawnPoints& d) const { return d.points.count; }
    std::size_t operator()(const DrawnLines& d) const { return d.lines.count; }
    std::size_t operator()(const DrawnTubes& d) const { return d.tubes.count; }
    std::size_t operator()(const DrawnArrows& d) const { return d.arrows.count; }
    std::size_t operator()(const DrawnMesh& d) const {
        return d.mesh.instances ? d.mesh.instances->count
               : d.grid         ? d.mesh.vertex_count
                                : d.mesh.triangle_count;
    }
    std::size_t operator()(const DrawnVolume& d) const {
        return std::size_t(d.cells.x) * std::size_t(d.cells.y) * std::size_t(d.cells.z);
    }
    template <class Other> std::size_t operator()(const Other&) const { return 1; }
};

template <class T> void set(T& value, const std::optional<T>& wanted) {
    if (wanted) value = *wanted;
}

struct Restyle {
    const ThingSettings& to;

    void operator()(DrawnImage& d) const {
        if (to.range) d.image.range = nullptr;
        restyle(d.style, 1);
    }
    void operator()(DrawnTexture& d) const { restyle(d.style, d.unit); }
    void operator()(DrawnPoints& d) const {
        PointsStyle& style = d.style;
        if (style.radius && to.size) style.radius = to.size;
        else set(style.size, to.size);
        restyle(style, d.points);
    }
    void operator()(DrawnLines& d) const {
        set(d.style.width, to.size);
        set(d.style.opacity, to.opacity);
        recolor(d.style, d.lines.colors);
    }
    void operator()(DrawnTubes& d) const {
        if (to.size) {
            d.style.radius = *to.size;
            d.tubes.radii = nullptr;
        }
        recolor(d.style, d.tubes.colors);
    }
    void operator()(DrawnArrows& d) const {
        set(d.style.scale, to.size);
        recolor(d.style, d.arrows.colors);
    }
    void operator()(DrawnMesh& d) const {
        set(d.style.scale, to.size);
        if (to.color) d.mesh.texture.reset();
        if (to.range && d.mesh.texture) d.mesh.texture->range = nullptr;
        restyle(d.style, d.mesh);
    }
    /// Texts and annotations.
    template <class Words> void operator()(Words& d) const {
        set(d.style.color, to.color);
        set(d.style.size, to.size);
        if (to.opacity) d.style.color.a = *to.opacity;
    }
    void operator()(DrawnVolume& d) const {
        set(d.style.opacity, to.opacity);
        set(d.style.colormap, to.colormap);
        set(d.style.color, to.color);
        if (!to.range) return;
        d.style.range = *to.range;
        d.range = {};
    }

    /// What has values, colours or one colour.
    template <class Style, class Data> void restyle(Style& style, Data& data) const {
        set(style.opacity, to.opacity);
        recolor(style, data);
    }
    template <class Style, class Data> void recolor(Style& style, Data& data) const {
        set(style.colormap, to.colormap);
        if (to.color) {
            style.color = *to.color;
            data.values = data.colors = nullptr;
        }
        if (!to.range) return;
        style.range = *to.range;
        data.range = nullptr;
    }
    void restyle(ImageStyle& style, float unit) const {
        set(style.opacity, to.opacity);
        set(style.colormap, to.colormap);
        if (to.range) style.range = {to.range->low / unit, to.range->high / unit};
    }
};

struct Enlarge {
    float scale;

    void operator()(DrawnPoints& d) const {
        if (!d.style.world_size && !d.style.radius) d.style.size *= scale;
    }
    void operator()(DrawnLines& d) const { d.style.width *= scale; }
    void operator()(DrawnTubes& d) const { d.style.least_radius *= scale; }
    void operator()(DrawnArrows& d) const { d.style.least_radius *= scale; }
    void operator()(DrawnMesh& d) const {
        d.style.edge_width *= scale;
        d.style.contour_width *= scale;
    }
    void operator()(DrawnImage& d) const { d.style.contour_width *= scale; }
    void operator()(DrawnTexture& d) const { d.style.contour_width *= scale; }
    template <class Other> void operator()(Other&) const {}
};

} // namespace

Drawn enlarged(const Drawn& drawn, float scale) {
    Drawn other = drawn;
    std::visit(Enlarge{scale}, other);
    return other;
}

std::vector<Thing> things_of(const std::vector<ListItem>& items) {
    std::vector<Thing> things;
    things.reserve(items.size());
    std::map<std::string_view, int> numbers;
    for (const ListItem& item : items) {
        const std::string_view kind = kind_of(item.drawn);
        std::string name = item.name;
        if (name.empty()) {
            name = kind;
            if (const int number = ++numbers[kind]; number > 1)
                name += ' ' + std::to_string(number);
        }
        things.push_back({std::move(name), kind, std::visit(Count{}, item.drawn),
                          is_made_by_kernels(item.drawn)});
    }
    return things;
}

Drawn restyled(const Drawn& drawn, const ThingSettings& settings) {
    Drawn other = drawn;
    std::visit(Restyle{settings}, other);
    return other;
}

} // namespace lathe
