// SPDX-License-Identifier: MIT
#include "engine/scene/color_scale.h"

#include "gl/texture.h"

#include <numbers>

namespace lathe {

namespace {

struct Scale {
    using Result = std::optional<ColorScale>;

    Result operator()(const DrawnImage& d) const {
        const ImageStyle& style = d.style;
        const bool is_complex = d.image.dtype == DType::complex64;
        if (d.image.channels > 1 || (is_complex && style.complex_as == ComplexAs::color)) return {};
        if (is_complex && style.complex_as == ComplexAs::phase) {
            constexpr float kHalfTurn = std::numbers::pi_v<float>;
            return ColorScale{style.colormap, {-kHalfTurn, kHalfTurn}, nullptr};
        }
        return ColorScale{style.colormap, style.range.value_or(usual_range(d.image.dtype)),
                          d.image.range ? &d.range : nullptr};
    }
    Result operator()(const DrawnTexture& d) const {
        if (gl::components_of(d.texture->format()) > 1) return {};
        const ValueRange range = d.style.range.value_or(ValueRange{});
        return ColorScale{d.style.colormap, {range.low * d.unit, range.high * d.unit}, nullptr};
    }
    Result operator()(const DrawnPoints& d) const { return of_values(d.points, d); }
    Result operator()(const DrawnMesh& d) const {
        if (!d.mesh.texture) return of_values(d.mesh, d);
        if (d.mesh.texture->channels > 1) return {};
        return ColorScale{d.style.colormap, d.style.range,
                          d.mesh.texture->range ? &d.range : nullptr};
    }
    Result operator()(const DrawnVolume& d) const {
        if (d.style.mode == VolumeMode::surface) return {};
        return ColorScale{d.style.colormap, d.style.range.value_or(usual_range(d.dtype)),
                          d.range.memory ? &d.range : nullptr};
    }
    template <class Other> Result operator()(const Other&) const { return {}; }

    Result operator()(const DrawnLines& d) const { return of_items(d.lines.colors, d); }
    Result operator()(const DrawnTubes& d) const { return of_items(d.tubes.colors, d); }
    Result operator()(const DrawnArrows& d) const { return of_items(d.arrows.colors, d); }

    template <class Data, class Thing> static Result of_values(const Data& data, const Thing& d) {
        if (!data.values || data.colors) return {};
        return ColorScale{d.style.colormap, d.style.range, data.range ? &d.range : nullptr};
    }
    template <class Thing> static Result of_items(const ItemColors& items, const Thing& d) {
        if (!items.values || items.colors) return {};
        return ColorScale{d.style.colormap, d.style.range, items.range ? &d.colors.range : nullptr};
    }
};

struct Color {
    using Result = std::optional<glm::vec4>;

    Result operator()(const DrawnLines& d) const { return of_all(d.lines.colors, d); }
    Result operator()(const DrawnTubes& d) const { return of_all(d.tubes.colors, d); }
    Result operator()(const DrawnArrows& d) const { return of_all(d.arrows.colors, d); }
    Result operator()(const DrawnPoints& d) const { return of_all(d.points, d); }
    Result operator()(const DrawnMesh& d) const {
        return d.mesh.texture ? Result{} : of_all(d.mesh, d);
    }
    Result operator()(const DrawnVolume& d) const {
        if (d.style.mode != VolumeMode::surface) return {};
        return d.style.color;
    }
    template <class Other> Result operator()(const Other&) const { return {}; }

    template <class Data, class Thing> static Result of_all(const Data& data, const Thing& d) {
        if (data.values || data.colors) return {};
        return d.style.color;
    }
};

} // namespace

ValueRange usual_range(DType dtype) { return {0, dtype == DType::uint8 ? 255.0f : 1.0f}; }

std::optional<ColorScale> scale_of(const Drawn& drawn) { return std::visit(Scale{}, drawn); }
std::optional<glm::vec4> color_of(const Drawn& drawn) { return std::visit(Color{}, drawn); }

} // namespace lathe
