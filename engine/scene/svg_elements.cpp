// SPDX-License-Identifier: MIT
#include "engine/scene/svg_elements.h"

#include "engine/render/colormap.h"
#include "engine/render/glyph_atlas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace lathe {

namespace {

constexpr float kEdgeWidth = 3; // of the line around letters, of which half lies outside

/// As the attributes of that name and of its opacity.
std::string paint(std::string_view attribute, const glm::vec4& color) {
    std::string text = fmt::format("{}=\"{}\"", attribute, svg_color(color));
    if (color.a < 1) text += fmt::format(" {}-opacity=\"{:.3g}\"", attribute, color.a);
    return text;
}

void append_utf8(std::string& out, char32_t c) {
    const auto add = [&](char32_t byte) { out += char(byte); };
    if (c < 0x80) return add(c);
    if (c < 0x800) add(0xC0 | c >> 6);
    else if (c < 0x10000) {
        add(0xE0 | c >> 12);
        add(0x80 | (c >> 6 & 0x3F));
    } else {
        add(0xF0 | c >> 18);
        add(0x80 | (c >> 12 & 0x3F));
        add(0x80 | (c >> 6 & 0x3F));
    }
    add(0x80 | (c & 0x3F));
}

/// Of XML 1.0, section 2.2.
bool is_xml_character(char32_t c) {
    return c == '\t' || (c >= 0x20 && c < 0xD800) || (c >= 0xE000 && c < 0xFFFE) || c >= 0x10000;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char32_t c : code_points(text)) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else append_utf8(out, is_xml_character(c) ? c : 0xFFFD);
    }
    return out;
}

/// A stop at the middle of each colour.
std::string stops_of(const std::array<Rgb8, 256>& colors) {
    std::string text;
    for (std::size_t i = 0; i < colors.size(); ++i)
        fmt::format_to(std::back_inserter(text),
                       "<stop offset=\"{:.5g}\" stop-color=\"#{:02x}{:02x}{:02x}\"/>",
                       (float(i) + 0.5f) / float(colors.size()), colors[i].r, colors[i].g,
                       colors[i].b);
    return text;
}

} // namespace

std::string svg_color(const glm::vec4& color) {
    const auto byte = [](float part) {
        return int(std::lround(255 * std::clamp(part, 0.0f, 1.0f)));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(color.r), byte(color.g), byte(color.b));
}

void SvgElements::stroke(glm::vec2 begin, glm::vec2 end, const glm::vec4& color, float width) {
    shapes_ +=
        fmt::format("<path d=\"M{:.7g} {:.7g}L{:.7g} {:.7g}\" {} stroke-width=\"{:.4g}\"/>\n",
                    begin.x, begin.y, end.x, end.y, paint("stroke", color), width);
}

void SvgElements::polyline(std::span<const glm::vec2> points, const glm::vec4& color, float width) {
    shapes_ += "<polyline points=\"";
    for (const glm::vec2 point : points)
        fmt::format_to(std::back_inserter(shapes_), "{:.7g},{:.7g} ", point.x, point.y);
    shapes_ += fmt::format("\" fill=\"none\" stroke-linejoin=\"round\" {} "
                           "stroke-width=\"{:.4g}\"/>\n",
                           paint("stroke", color), width);
}

void SvgElements::rectangle(glm::vec2 corner, glm::vec2 size, const glm::vec4& color) {
    shapes_ += fmt::format("<rect x=\"{:.7g}\" y=\"{:.7g}\" width=\"{:.7g}\" height=\"{:.7g}\" "
                           "{}/>\n",
                           corner.x, corner.y, size.x, size.y, paint("fill", color));
}

void SvgElements::dot(glm::vec2 middle, const glm::vec4& color, float radius) {
    shapes_ += fmt::format("<circle cx=\"{:.7g}\" cy=\"{:.7g}\" r=\"{:.4g}\" {}/>\n", middle.x,
                           middle.y, radius, paint("fill", color));
}

void SvgElements::ramp(const ImagePlacement& place, std::string_view colormap, bool upright) {
    std::string& name = gradients_[{std::string{colormap}, upright}];
    if (name.empty()) {
        name = fmt::format("{}map{}", prefix_, gradients_.size());
        shapes_ += fmt::format("<linearGradient id=\"{}\"{}>{}</linearGradient>\n", name,
                               upright ? " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" : "",
                               stops_of(Colormap::named(colormap).table()));
    }
    shapes_ += fmt::format("<rect x=\"{:.7g}\" y=\"{:.7g}\" width=\"{:.7g}\" height=\"{:.7g}\" "
                           "fill=\"url(#{})\"/>\n",
                           place.origin.x, place.origin.y, place.size.x, place.size.y, name);
}

void SvgElements::line_of_text(std::string_view text, glm::vec2 place, TextSide side, float size,
                               const glm::vec4& color, const glm::vec4& edge) {
    constexpr std::array<std::string_view, 3> kAnchors{"start", "middle", "end"};
    letters_ +=
        fmt::format("<text x=\"{:.7g}\" y=\"{:.7g}\" text-anchor=\"{}\" font-size=\"{:.4g}\" {}",
                    place.x, place.y, kAnchors[std::size_t(side)], size, paint("fill", color));
    if (edge.a > 0)
        letters_ += fmt::format(" {} stroke-width=\"{:.4g}\"", paint("stroke", edge), kEdgeWidth);
    letters_ += fmt::format(">{}</text>\n", escaped(text));
}

} // namespace lathe
