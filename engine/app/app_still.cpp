// SPDX-License-Identifier: MIT
// Stills: what the views show, drawn once more at any size.
#include "engine/app/app_parts.h"
#include "engine/core/output_file.h"
#include "engine/plots/plot_sheet.h"
#include "engine/render/screenshot.h"
#include "engine/scene/svg_page.h"
#include "gl/saved_state.h"

#include <glm/common.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace lathe {

namespace {

/// Red, green and blue as they are without the background.
void divide_by_alpha(ImageData& image) {
    for (std::size_t i = 0; i < image.bytes.size(); i += 4) {
        const int alpha = int(image.bytes[i + 3]);
        for (std::size_t c = i; alpha > 0 && c < i + 3; ++c)
            image.bytes[c] =
                std::byte(std::min(255, (int(image.bytes[c]) * 255 + alpha / 2) / alpha));
    }
}

/// From a corner on, as much of it as is there.
ImageData part_of(const ImageData& image, glm::ivec2 corner, glm::ivec2 size) {
    size = glm::min(size, glm::ivec2{image.width, image.height} - corner);
    ImageData part{size.x, size.y, image.channels, {}};
    const std::size_t row = std::size_t(size.x) * std::size_t(image.channels);
    part.bytes.reserve(row * std::size_t(size.y));
    for (int y = 0; y < size.y; ++y) {
        const std::byte* at = image.at(corner.x, corner.y + y);
        part.bytes.insert(part.bytes.end(), at, at + row);
    }
    return part;
}

/// GL is ours as long as it lives: that of a frame, which finds it as it was, or between frames.
class GlBesideFrames {
public:
    GlBesideFrames(Window& window, bool in_frame) : window_{window} {
        if (in_frame) {
            window_.context().make_current();
            ours_.emplace();
        } else {
            window_.enter();
            entered_ = true;
        }
    }
    GlBesideFrames(const GlBesideFrames&) = delete;
    GlBesideFrames& operator=(const GlBesideFrames&) = delete;
    ~GlBesideFrames() {
        if (entered_) window_.leave();
    }

private:
    Window& window_;
    bool entered_ = false;
    std::optional<gl::SavedState> ours_;
};

ImageData still_of(const gl::Framebuffer& target, const StillConfig& config) {
    ImageData image = averaged(read_image(target, config.transparent ? 4 : 3), config.samples);
    if (config.transparent) divide_by_alpha(image);
    return image;
}

void check(const StillConfig& config) {
    constexpr int kLargestSide = 1 << 20; // and GL allows less
    const auto [width, height, samples, transparent] = config;
    if (width < 1 || height < 1 || samples < 1 || samples > 8 || width > kLargestSide ||
        height > kLargestSide)
        throw std::invalid_argument{
            fmt::format("a still has a width and height of 1 or more and 1 to 8 samples, got {} x "
                        "{} and {}",
                        width, height, samples)};
}

} // namespace

/// Calls `done` with a framebuffer that has the still's samples; `take`: Scene::draw_beside().
void App::Parts::draw_still(const StillConfig& still, const OfTarget& done, const OfTile& take) {
    check(still);
    const GlBesideFrames ours{window, in_frame};
    const gpu::CurrentContext here{frame_map.cuda()};
    const gl::Framebuffer target{still.width * still.samples, still.height * still.samples,
                                 gl::Format::rgba8, true};
    const float scale =
        float(still.height * still.samples) / float(std::max(sampled.picture().height(), 1));
    std::function<void(SvgTile)> take_tile;
    if (take) take_tile = [&](const SvgTile& tile) { take(target, tile); };
    scene.draw_beside(target, scale, still.transparent, [&] { unmap(); }, take_tile);
    done(target);
}

ImageData App::still(const StillConfig& config) {
    ImageData image;
    p_->draw_still(config,
                   [&](const gl::Framebuffer& target) { image = still_of(target, config); });
    return image;
}

void App::save_svg(const std::filesystem::path& file, const StillConfig& config) {
    SvgPage page{config.width, config.height};
    if (!config.transparent) page.fill(p_->scene.clear_color());
    const auto add = [&](const gl::Framebuffer& target, const SvgTile& tile) {
        const int samples = config.samples;
        const auto per_pixel = float(samples);
        const glm::ivec2 begin = tile.picture_corner / samples,
                         end = (tile.picture_corner + tile.picture_size + samples - 1) / samples;
        page.add_picture({glm::vec2{begin}, glm::vec2{end - begin}},
                         part_of(still_of(target, config), begin, end - begin));
        page.add_elements({glm::vec2{tile.corner} / per_pixel, glm::vec2{tile.size} / per_pixel},
                          tile.scale / per_pixel, tile.elements);
    };
    p_->draw_still(config, [](const gl::Framebuffer&) {}, add);
    write_file(file, page.finish());
}

void App::save_plot(Plot& plot, const std::filesystem::path& file, int width, int height) {
    constexpr int kLeast = 64, kMost = 16384;
    if (std::min(width, height) < kLeast || std::max(width, height) > kMost)
        throw std::invalid_argument{fmt::format("a plot has {} to {} pixels in each direction, got "
                                                "{} x {}",
                                                kLeast, kMost, width, height)};
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
    if (ending == ".csv") return save_as_csv(plot.table(), file);
    if (ending != ".png" && ending != ".svg")
        throw std::invalid_argument{
            fmt::format("plots are saved as .csv, .png or .svg, got {}", file.string())};
    plot.wait();
    const PlotShape shape = plot.shape({.columns = std::size_t(width)});
    if (ending == ".svg") return save_plot_as_svg(shape, width, height, file);
    const GlBesideFrames ours{p_->window, p_->in_frame};
    save_png(file, picture_of(shape, width, height));
}

} // namespace lathe
