// SPDX-License-Identifier: MIT
#include "engine/scene/svg_page.h"

#include "engine/scene/svg_elements.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace lathe {

namespace {

/// RFC 4648, section 4.
std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

std::string attributes_of(const SvgPlace& place) {
    return fmt::format("x=\"{:.7g}\" y=\"{:.7g}\" width=\"{:.7g}\" height=\"{:.7g}\"",
                       place.corner.x, place.corner.y, place.size.x, place.size.y);
}

} // namespace

SvgPage::SvgPage(int width, int height)
    : text_{fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                        "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{0}\" height=\"{1}\" "
                        "viewBox=\"0 0 {0} {1}\">\n"
                        "<style>text{{font-family:Inter,Helvetica,Arial,sans-serif;white-space:pre;"
                        "paint-order:stroke;stroke-linejoin:round}}</style>\n",
                        width, height)} {}

void SvgPage::fill(const std::array<float, 4>& color) {
    text_ += fmt::format("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
                         svg_color({color[0], color[1], color[2], 1}));
}

void SvgPage::add_picture(const SvgPlace& place, const ImageData& picture) {
    text_ += fmt::format("<image {} preserveAspectRatio=\"none\" "
                         "xlink:href=\"data:image/png;base64,{}\"/>\n",
                         attributes_of(place), base64(png_of(picture)));
}

void SvgPage::add_elements(const SvgPlace& place, float unit, std::string_view elements) {
    text_ += fmt::format("<svg {} viewBox=\"0 0 {:.7g} {:.7g}\">\n{}</svg>\n", attributes_of(place),
                         place.size.x / unit, place.size.y / unit, elements);
}

} // namespace lathe
