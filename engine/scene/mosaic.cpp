// SPDX-License-Identifier: MIT
#include "engine/scene/mosaic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace lathe {
namespace {

constexpr std::size_t kMost = 64; // rows, and columns
constexpr char kEmpty = '.';

} // namespace

std::vector<std::string> mosaic_rows(std::string_view mosaic) {
    std::vector<std::string> rows(1);
    for (const char c : mosaic) {
        if (c == ';' || c == '\n') rows.emplace_back();
        else if (c != ' ' && c != '\t' && c != '\r') rows.back() += c;
    }
    std::erase_if(rows, [](const std::string& row) { return row.empty(); });
    if (rows.empty()) throw std::invalid_argument{"a mosaic of views has no letter"};
    for (const std::string& row : rows)
        if (row.size() != rows[0].size())
            throw std::invalid_argument{
                fmt::format("rows of a mosaic have one length, got \"{}\" of {} and \"{}\" of {}",
                            rows[0], rows[0].size(), row, row.size())};
    if (rows.size() > kMost || rows[0].size() > kMost)
        throw std::invalid_argument{fmt::format("a mosaic has 1 to {} rows and columns, got {} and "
                                                "{}",
                                                kMost, rows.size(), rows[0].size())};
    return rows;
}

std::vector<std::pair<char, Viewport>> mosaic_tiles(const std::vector<std::string>& rows) {
    const std::size_t high = rows.size(), wide = rows[0].size();
    const glm::vec2 cell{1.0f / float(wide), 1.0f / float(high)};
    std::vector<std::pair<char, Viewport>> tiles;
    for (std::size_t y = 0; y < high; ++y)
        for (std::size_t x = 0; x < wide; ++x) {
            const char letter = rows[y][x];
            const auto is_known = [&](const auto& tile) { return tile.first == letter; };
            if (letter == kEmpty || std::ranges::any_of(tiles, is_known)) continue;
            std::size_t right = x, below = y; // beyond the rectangle that begins here
            while (right < wide && rows[y][right] == letter) ++right;
            while (below < high && rows[below][x] == letter) ++below;
            for (std::size_t j = 0; j < high; ++j)
                for (std::size_t i = 0; i < wide; ++i)
                    if ((rows[j][i] == letter) != (i >= x && i < right && j >= y && j < below))
                        throw std::invalid_argument{
                            fmt::format("'{}' fills no rectangle of the mosaic \"{}\"", letter,
                                        fmt::join(rows, "; "))};
            tiles.emplace_back(
                letter, Viewport{glm::vec2{x, y} * cell, glm::vec2{right - x, below - y} * cell});
        }
    if (tiles.empty()) throw std::invalid_argument{"a mosaic of views has no letter"};
    return tiles;
}

} // namespace lathe
