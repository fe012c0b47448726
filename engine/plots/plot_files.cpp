// SPDX-License-Identifier: MIT
// Plots as files: the pens of a sheet, and tables of numbers.
#include "engine/core/output_file.h"
#include "engine/plots/plot_sheet.h"
#include "engine/render/strokes.h"
#include "engine/render/text.h"
#include "engine/scene/svg_page.h"
#include "gl/framebuffer.h"

#include <glm/common.hpp>
#include <glm/ext/matrix_clip_space.hpp>
#include <glm/mat4x4.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

namespace {

constexpr std::array<float, 4> kPaper{1, 1, 1, 1};

class SvgPen final : public PlotPen {
public:
    explicit SvgPen(SvgPage& page) : page_{page} {}

    void line(std::span<const glm::vec2> points, const glm::vec4& color, float width) override {
        elements_.polyline(points, color, width);
    }
    void fill(glm::vec2 corner, glm::vec2 size, const glm::vec4& color) override {
        elements_.rectangle(corner, size, color);
    }
    void dots(std::span<const glm::vec2> middles, const glm::vec4& color, float size) override {
        for (const glm::vec2 middle : middles) elements_.dot(middle, color, 0.5f * size);
    }
    void picture(const ImageData& image, glm::vec2 corner, glm::vec2 size) override {
        page_.add_picture({corner, size}, image);
    }
    void text(std::string_view text, glm::vec2 place, TextSide side, float size,
              const glm::vec4& color) override {
        if (!text.empty()) elements_.line_of_text(text, place, side, size, color, {});
    }
    std::string elements() const { return elements_.text(); }

private:
    SvgPage& page_;
    SvgElements elements_{"plot"};
};

/// Pictures are put into the finished image, under whose pixels nothing else is.
class GlPen final : public PlotPen {
public:
    void line(std::span<const glm::vec2> points, const glm::vec4& color, float width) override {
        for (std::size_t i = 1; i < points.size(); ++i)
            stroke(points[i - 1], points[i], color, width);
    }
    void fill(glm::vec2 corner, glm::vec2 size, const glm::vec4& color) override {
        const float middle = corner.x + 0.5f * size.x;
        stroke({middle, corner.y}, {middle, corner.y + size.y}, color, size.x);
    }
    void dots(std::span<const glm::vec2> middles, const glm::vec4& color, float size) override {
        for (const glm::vec2 at : middles)
            stroke({at.x, at.y - 0.5f * size}, {at.x, at.y + 0.5f * size}, color, size);
    }
    void picture(const ImageData& image, glm::vec2 corner, glm::vec2 size) override {
        pictures_.push_back({image, corner, size});
    }
    void text(std::string_view text, glm::vec2 place, TextSide side, float size,
              const glm::vec4& color) override {
        texts_.add(text, {place.x, place.y - texts_.base_line(size)},
                   {.size = size,
                    .color = color,
                    .anchor = {0.5f * float(side), 0},
                    .edge = {0, 0, 0, 0}});
    }

    ImageData finish(int width, int height) {
        const gl::Framebuffer target{width, height, gl::Format::rgba8};
        target.clear(kPaper);
        target.bind();
        const glm::vec2 size{width, height};
        const glm::mat4 to_clip = glm::orthoRH_NO(0.0f, size.x, size.y, 0.0f, -1.0f, 1.0f);
        strokes_renderer_.draw(strokes_, to_clip, size, false);
        texts_.draw(size);
        ImageData image = read_image(target, 3);
        for (const Picture& each : pictures_) put(image, each);
        return image;
    }

private:
    struct Picture {
        ImageData image;
        glm::vec2 corner, size;
    };

    void stroke(glm::vec2 begin, glm::vec2 end, const glm::vec4& color, float width) {
        strokes_.push_back({{begin, 0}, width, {end, 0}, 0, color});
    }
    static void put(ImageData& to, const Picture& picture) {
        const glm::ivec2 begin{glm::ceil(picture.corner)},
            end{glm::floor(picture.corner + picture.size)};
        const glm::vec2 texels{picture.image.width, picture.image.height};
        for (int y = begin.y; y < end.y; ++y)
            for (int x = begin.x; x < end.x; ++x) {
                const glm::vec2 at =
                    (glm::vec2{x, y} + 0.5f - picture.corner) / picture.size * texels;
                const std::byte* from = picture.image.at(int(at.x), int(at.y));
                std::copy_n(from, 3, const_cast<std::byte*>(to.at(x, y)));
            }
    }

    StrokeRenderer strokes_renderer_;
    TextRenderer texts_;
    std::vector<Stroke> strokes_;
    std::vector<Picture> pictures_;
};

/// RFC 4180: quoted where it has to be.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    return quoted + '"';
}

} // namespace

void save_plot_as_svg(const PlotShape& shape, int width, int height,
                      const std::filesystem::path& file) {
    SvgPage page{width, height};
    page.fill(kPaper);
    SvgPen pen{page};
    draw_on_sheet(shape, {width, height}, pen);
    page.add_elements({{0, 0}, {width, height}}, 1, pen.elements());
    write_file(file, page.finish());
}

ImageData picture_of(const PlotShape& shape, int width, int height) {
    GlPen pen;
    draw_on_sheet(shape, {width, height}, pen);
    return pen.finish(width, height);
}

void save_as_csv(const PlotTable& table, const std::filesystem::path& file) {
    OutputFile out{file};
    std::string text;
    for (std::size_t column = 0; column < table.names.size(); ++column)
        text += (column > 0 ? "," : "") + csv_field(table.names[column]);
    if (!table.names.empty()) text += '\n';
    const std::size_t rows = table.columns.empty() ? 0 : table.columns.front().size();
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            fmt::format_to(std::back_inserter(text), "{}{}", column > 0 ? "," : "",
                           table.columns[column][row]);
        text += '\n';
        if (text.size() < (1u << 20)) continue;
        out << text;
        text.clear();
    }
    out << text;
    out.close();
}

} // namespace lathe
