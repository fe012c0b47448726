// SPDX-License-Identifier: MIT
#include "engine/scene/scene.h"

#include "engine/core/log.h"
#include "engine/core/zone.h"
#include "engine/scene/mesh_kernels.h"
#include "engine/scene/mosaic.h"
#include "engine/scene/renderers.h"
#include "engine/scene/svg_elements.h"
#include "gl/framebuffer.h"
#include "gpu/array/dtype_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace lathe {

namespace {

constexpr int kMostTiles = 64; // in a row, and rows
constexpr int kGap = 2;        // pixels between tiles
constexpr std::array<float, 4> kBetweenTiles{0.11f, 0.12f, 0.14f, 1};
constexpr Viewport kWhole{{0, 0}, {1, 1}};

/// First pixel and number of pixels of a tile, of `whole`; `begin` and `size` are parts of 1.
std::pair<int, int> span_of(float begin, float size, int whole, int gap) {
    const int first = int(std::lround(begin * float(whole)));
    const int last = int(std::lround((begin + size) * float(whole)));
    const int low = first > 0 ? first + gap / 2 : 0;
    const int high = last < whole ? last - gap / 2 : whole;
    return {low, std::max(high - low, 1)};
}

struct TilePixels {
    glm::ivec2 corner, size;
};

TilePixels pixels_of(const Viewport& tile, const gl::Framebuffer& target, float scale,
                     int pixels_between = kGap) {
    // Several samples a pixel: tiles end where pixels do.
    const int samples = int(scale);
    if (samples > 1 && float(samples) == scale && target.width() % samples == 0 &&
        target.height() % samples == 0) {
        const auto [x, width] =
            span_of(tile.origin.x, tile.size.x, target.width() / samples, pixels_between);
        const auto [y, height] =
            span_of(tile.origin.y, tile.size.y, target.height() / samples, pixels_between);
        return {{samples * x, samples * y}, {samples * width, samples * height}};
    }
    const int gap = int(std::lround(float(pixels_between) * scale));
    const auto [x, width] = span_of(tile.origin.x, tile.size.x, target.width(), gap);
    const auto [y, height] = span_of(tile.origin.y, tile.size.y, target.height(), gap);
    return {{x, y}, {width, height}};
}

} // namespace

Scene::Scene(SceneServices services)
    : services_{std::move(services)}, renderers_{std::make_unique<Renderers>()} {
    views_.push_back(std::make_shared<View>(*this));
}

Scene::~Scene() = default;

const std::vector<std::shared_ptr<View>>& Scene::set_views(int rows, int columns) {
    if (rows < 1 || columns < 1 || rows > kMostTiles || columns > kMostTiles)
        throw std::invalid_argument{fmt::format("views are 1 to {} rows and columns, got {} and {}",
                                                kMostTiles, rows, columns)};
    std::vector<Tile> tiles;
    const glm::vec2 size{1.0f / float(columns), 1.0f / float(rows)};
    for (int i = 0; i < rows * columns; ++i)
        tiles.push_back({{glm::vec2{i % columns, i / columns} * size, size},
                         fmt::format("app.views({}, {})[{}]", rows, columns, i)});
    set_tiles(tiles);
    return views_;
}

std::vector<std::pair<char, std::shared_ptr<View>>> Scene::set_mosaic(std::string_view mosaic) {
    const std::vector<std::string> rows = mosaic_rows(mosaic);
    const auto lettered = mosaic_tiles(rows);
    std::vector<Tile> tiles;
    for (const auto& [letter, place] : lettered)
        tiles.push_back(
            {place, fmt::format("app.mosaic(\"{}\")[\"{}\"]", fmt::join(rows, "; "), letter)});
    set_tiles(tiles);
    std::vector<std::pair<char, std::shared_ptr<View>>> views;
    for (std::size_t i = 0; i < lettered.size(); ++i)
        views.emplace_back(lettered[i].first, views_[i]);
    return views;
}

/// Without insets.
void Scene::set_tiles(const std::vector<Tile>& tiles) {
    const auto is_too_much = [&] {
        return views_.size() > tiles.size() || views_.back()->is_inset_;
    };
    for (; views_.size() > 1 && is_too_much(); views_.pop_back()) views_.back()->hide();
    while (views_.size() < tiles.size()) views_.push_back(std::make_shared<View>(*this));
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        views_[i]->tile_ = tiles[i].place;
        views_[i]->script_name_ = i == 0 ? "app.view" : tiles[i].script_name;
    }
}

std::shared_ptr<View> Scene::add_inset(const View& on, const Viewport& within) {
    const glm::vec2 low = within.origin, high = low + within.size;
    const bool is_inside = low.x >= 0 && low.y >= 0 && high.x <= 1 && high.y <= 1;
    if (!is_inside || !(within.size.x > 0 && within.size.y > 0))
        throw std::invalid_argument{fmt::format(
            "an inset lies within 0 to 1 of its view, got left {:.4g}, top {:.4g}, width {:.4g}, "
            "height {:.4g}",
            low.x, low.y, within.size.x, within.size.y)};
    const auto insets = std::ranges::count_if(views_, [](const auto& v) { return v->is_inset_; });
    auto view = std::make_shared<View>(*this);
    view->tile_ = {on.tile_.origin + low * on.tile_.size, within.size * on.tile_.size};
    view->is_inset_ = true;
    view->script_name_ = fmt::format("app.insets[{}]", insets);
    views_.push_back(view);
    return view;
}

void Scene::begin_step() {
    for (const auto& view : views_) {
        view->end_step();
        view->list_.begin_step();
        view->grips_.clear();
    }
    copies_.begin_step();
}

void Scene::drop_step() {
    for (const auto& view : views_) view->list_.drop_step();
}

bool Scene::end_step() {
    bool any = false;
    for (const auto& view : views_) {
        view->end_step();
        any = any || !view->list_.shown().empty();
    }
    return any;
}

void Scene::clear() {
    for (const auto& view : views_) view->list_.clear();
    copies_.clear();
}

void Scene::begin_frame() {
    for (const auto& view : views_) view->begin_frame();
}

void Scene::end_frame(bool was_drawn) {
    for (const auto& view : views_) view->end_frame(was_drawn);
}

/// Of a float picture whose range nobody gave. Looks after 1, 2, 4, 8 and so on pictures, since
/// what begins with zeros grows, and each look waits for the device.
void Scene::look_for_values_outside(const gpu::Array& array) {
    const auto dtype = array.type().dtype;
    const bool is_float = dtype && gpu::kind_of(*dtype) == gpu::Kind::floating;
    if (told_outside_ || !is_float) return;
    if (!std::has_single_bit(++pictures_)) return;
    services_.wait();
    const auto found = least_and_greatest(array);
    if (!found || ((*found)[0] >= 0 && (*found)[1] <= 1)) return;
    told_outside_ = true;
    log::warning("the picture's values go from {:.4g} to {:.4g}, its range from 0 to 1: give a "
                 "range, or \"auto\"",
                 (*found)[0], (*found)[1]);
}

/// Looks after 1, 2, 4, 8 and so on meshes: each look waits for the device.
void Scene::look_for_indices_outside(const gpu::Array& triangles, std::int64_t vertices) {
    if (told_indices_ || !std::has_single_bit(++meshes_)) return;
    services_.wait();
    const std::uint64_t outside = indices_outside(triangles, vertices);
    if (outside == 0) return;
    told_indices_ = true;
    log::warning("a mesh of {} vertices has {} {} outside of 0 to {}: triangles with such a one "
                 "are not drawn",
                 vertices, outside, outside == 1 ? "index" : "indices", vertices - 1);
}

void Scene::compute(const gl::Framebuffer& target, float scale, const RaysApart& rays) {
    const Zone zone{"prepare drawing"};
    const auto views = views_; // a wait may let the program change them
    for (const auto& view : views) {
        view->state_.last.pixels = pixels_of(view->tile_, target, scale).size;
        view->state_.last.scale = scale;
        view->state_.last.coarse = view->has_moved() ? rays.moving : rays.still;
        view->compute();
    }
}

void Scene::draw(const gl::Framebuffer& target, float scale) {
    try {
        for (const auto& view : views_) draw(*view, target, scale);
    } catch (...) {
        for (const auto& view : views_) view->list_.clear();
        throw;
    }
}

struct Scene::Kept {
    Scene& scene;
    std::array<float, 4> background = scene.background_;
    std::vector<std::pair<std::shared_ptr<View>, View::State>> states;

    explicit Kept(Scene& of) : scene{of} {
        for (const auto& view : scene.views_) states.emplace_back(view, view->state_);
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() {
        scene.background_ = background;
        for (auto& [view, state] : states) {
            view->state_ = std::move(state);
            if (view->link_) view->link_->cameras = view->state_.shared;
        }
    }
};

void Scene::draw_beside(const gl::Framebuffer& target, float scale, bool transparent,
                        const std::function<void()>& unmap,
                        const std::function<void(SvgTile)>& take) {
    const Kept kept{*this};
    if (transparent) background_ = {0, 0, 0, 0};
    compute(target, scale);
    unmap();
    target.bind();
    target.clear(transparent ? background_ : clear_color());
    for (std::size_t i = 0; i < views_.size(); ++i) {
        View& view = *views_[i];
        if (!take) {
            draw(view, target, scale);
            continue;
        }
        SvgElements elements{fmt::format("view{}-", i)};
        draw(view, target, scale, &elements);
        const TilePixels whole = pixels_of(view.tile_, target, scale, view.is_inset_ ? 0 : kGap),
                         tile = pixels_of(view.tile_, target, scale);
        take({whole.corner, whole.size, tile.corner, tile.size, scale, elements.text()});
    }
}

void Scene::draw(View& view, const gl::Framebuffer& target, float scale, SvgElements* svg) {
    if (view.is_inset_) { // with a frame around it
        const TilePixels whole = pixels_of(view.tile_, target, scale, 0);
        const gl::FramebufferPart part{target, whole.corner.x, whole.corner.y, whole.size.x,
                                       whole.size.y};
        part.clear(kBetweenTiles);
        part.clear_depth();
    }
    const InTile here{view, target, scale};
    here.clear(background_);
    view.show(target, svg);
}

std::array<float, 4> Scene::clear_color() const {
    return views_.front()->tile_ == kWhole ? background_ : kBetweenTiles;
}

InTile::InTile(View& view, const gl::Framebuffer& target, float scale) {
    const TilePixels pixels = pixels_of(view.tile_, target, scale);
    view.state_.last.pixels = pixels.size;
    view.state_.last.scale = scale;
    if (pixels.size != glm::ivec2{target.width(), target.height()})
        part_.emplace(target, pixels.corner.x, pixels.corner.y, pixels.size.x, pixels.size.y);
}

void InTile::clear(const std::array<float, 4>& color) const {
    if (part_) part_->clear(color);
}

} // namespace lathe
