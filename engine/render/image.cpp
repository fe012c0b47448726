// SPDX-License-Identifier: MIT
// A kernel's buffer is read through a buffer texture. Measured on llvmpipe (2 threads), 512²
// float32 filling 720² pixels through a colormap, with the clear: buffer texture 2.3 ms, texture
// filled from the buffer by a copy inside GL 2.4 to 3.0 ms, storage buffer 4.3 ms. The buffer
// texture also knows 8- and 16-bit elements, which a storage buffer would have to unpack. The
// colormap as a texture costs 0.7 ms, as a storage buffer 7 ms.
#include "engine/render/image.h"

#include "engine/core/error.h"
#include "engine/render/colormap.h"
#include "engine/render/draw_state.h"
#include "engine/render/features.h"
#include "engine/render/image_source.h"
#include "gl/buffer.h"
#include "gl/texture.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace lathe {
namespace {

/// Bits of a program's key, and what its shader calls them.
enum ImageFeature : unsigned {
    kImageFromTexture = 1,
    kImageVector = 2,
    kImageSmooth = 4,
    kImageAverage = 8,
    kImageGamma = 16,
    kImageFoundRange = 32,
    kImageComplexMagnitude = 64,
    kImageComplexPhase = 128,
    kImageComplexColor = 256,
    kImageContours = 512,
    kImageInSpace = 1024,
    kImageClipped = 2048
};
constexpr std::array kImageFeatureNames{
    "FROM_TEXTURE",      "VECTOR",        "SMOOTH",        "AVERAGE",  "GAMMA",    "FOUND_RANGE",
    "COMPLEX_MAGNITUDE", "COMPLEX_PHASE", "COMPLEX_COLOR", "CONTOURS", "IN_SPACE", "CLIPPED"};

} // namespace

ImagePlacement ImagePlacement::fit(glm::vec2 picture, glm::vec2 viewport, float zoom,
                                   glm::vec2 center) {
    const float scale = zoom * std::min(viewport.x / picture.x, viewport.y / picture.y);
    const glm::vec2 size = picture * scale;
    return {viewport / 2.0f - center * size, size};
}

glm::vec2 ImagePlacement::element_at(glm::vec2 position, glm::vec2 picture) const {
    return (position - origin) / size * picture;
}

gl::Program& ImageRenderer::program(const ImageSource& source, unsigned features) {
    const std::tuple key{std::string_view{source.sampler}, source.channels, features};
    auto it = programs_.find(key);
    if (it != programs_.end()) return it->second;
    std::vector<std::string> defines = defines_of(features, kImageFeatureNames);
    add_defines(source, defines);
    return programs_.emplace(key, gl::Program{"image.vert", "image.frag", defines}).first->second;
}

/// On the screen, or in space.
struct ImageRenderer::Place {
    const ImagePlacement* placement = nullptr;
    glm::vec2 framebuffer_size{0, 0};
    const ImagePlane* plane = nullptr;
    const glm::mat4* to_clip = nullptr;
    const ClipPlanes* clip = nullptr; ///< null: none

    /// Elements that a pixel covers; in space a shader would have to say.
    glm::vec2 footprint(const ImageSource& source) const {
        if (!placement) return {1, 1};
        return glm::vec2{source.width, source.height} / placement->size;
    }
    void set(gl::Program& p) const {
        if (!placement) {
            p.set_matrix("to_clip", &(*to_clip)[0][0]);
            if (clip) set_clip_planes(*clip, from_window_to_world(*to_clip), p);
            const auto& [origin, right, up] = *plane;
            p.set("origin", origin.x, origin.y, origin.z, 1);
            p.set("right", right.x, right.y, right.z, 0);
            return p.set("up", up.x, up.y, up.z, 0);
        }
        const glm::vec2 low = placement->origin / framebuffer_size;
        const glm::vec2 high = (placement->origin + placement->size) / framebuffer_size;
        p.set("rectangle", 2 * low.x - 1, 1 - 2 * high.y, 2 * high.x - 1, 1 - 2 * low.y);
    }
};

void ImageRenderer::draw(const gl::Texture& texture, const ImageStyle& style,
                         const ImagePlacement& placement, glm::vec2 framebuffer_size) {
    draw(bind_image(texture), style, {&placement, framebuffer_size});
}

void ImageRenderer::draw(const ImageBuffer& image, const ImageStyle& style,
                         const ImagePlacement& placement, glm::vec2 framebuffer_size) {
    draw(bind_image(image), style, {&placement, framebuffer_size});
}

void ImageRenderer::draw(const gl::Texture& texture, const ImageStyle& style,
                         const ImagePlane& plane, const glm::mat4& view_projection,
                         const ClipPlanes& clip) {
    draw(bind_image(texture), style,
         {.plane = &plane, .to_clip = &view_projection, .clip = clip.count > 0 ? &clip : nullptr});
}

void ImageRenderer::draw(const ImageBuffer& image, const ImageStyle& style, const ImagePlane& plane,
                         const glm::mat4& view_projection, const ClipPlanes& clip) {
    draw(bind_image(image), style,
         {.plane = &plane, .to_clip = &view_projection, .clip = clip.count > 0 ? &clip : nullptr});
}

void ImageRenderer::draw(const ImageSource& source, const ImageStyle& style, const Place& place) {
    if (!corners_) corners_.emplace();
    const glm::vec2 footprint = place.footprint(source);
    const float shrunk = std::max(footprint.x, footprint.y);
    const int taps = std::clamp(int(std::ceil(shrunk - 0.01f)), 1, 8);
    const bool is_color = source.is_complex && style.complex_as == ComplexAs::color;
    const bool is_phase = source.is_complex && style.complex_as == ComplexAs::phase;
    const bool has_map = source.channels == 1 || (source.is_complex && !is_color);
    const unsigned features =
        (place.plane ? kImageInSpace : 0u) | (place.clip ? kImageClipped : 0u) |
        (has_map && style.contours > 0 ? kImageContours : 0u) |
        (source.from_texture ? kImageFromTexture : 0u) | (source.vector ? kImageVector : 0u) |
        (!style.linear ? 0u
         : taps > 1    ? kImageAverage
                       : kImageSmooth) |
        (style.gamma != 1 ? kImageGamma : 0u) | (source.has_range ? kImageFoundRange : 0u) |
        (is_color            ? kImageComplexColor
         : is_phase          ? kImageComplexPhase
         : source.is_complex ? kImageComplexMagnitude
                             : 0u);
    gl::Program& p = program(source, features);
    place.set(p);
    p.set("y_up", style.y_up ? 1 : 0);
    set_image_source(source, p);
    p.set("taps", taps);
    p.set("footprint", footprint.x, footprint.y);
    constexpr float pi = std::numbers::pi_v<float>;
    const ValueRange range =
        is_phase ? ValueRange{-pi, pi} : style.range.value_or(source.unless_given);
    if (!source.has_range) p.set("value_range", range.low, range.per_unit());
    p.set("inverse_gamma", 1 / style.gamma);
    p.set("opacity", style.opacity);
    if (features & kImageContours) set_contours(style, p);
    if (has_map) Colormap::named(style.colormap).texture().bind(1);
    const bool is_solid = style.opacity >= 1;
    const DrawState state{is_solid ? Mix::none : Mix::over, place.plane != nullptr, is_solid};
    p.use();
    corners_->bind();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

} // namespace lathe
