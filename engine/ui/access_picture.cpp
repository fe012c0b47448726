// SPDX-License-Identifier: MIT
#include "engine/ui/access_picture.h"

#include "engine/core/memory_model.h"
#include "engine/render/colormap.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace lathe {

namespace {

using gpu::WarpEvent;
using gpu::WarpSpace;
using gpu::WarpStep;
using theme::px;

constexpr unsigned kWordBytes = 4;
constexpr unsigned kWordsOfSector = kSectorBytes / kWordBytes;

/// The first lane that accesses each word.
std::map<std::uint64_t, unsigned> words_of(const WarpStep& step) {
    std::map<std::uint64_t, unsigned> words;
    for_lanes(step.lanes, [&](unsigned lane) {
        const std::uint64_t at = step.addresses[lane];
        for (std::uint64_t word = at / kWordBytes; word <= (at + step.bytes - 1) / kWordBytes;
             ++word)
            words.emplace(word, lane);
    });
    return words;
}

/// 128 bytes of memory: four sectors, or a word of each bank.
constexpr unsigned kRowWords = 32;

std::vector<std::uint64_t> rows_of(const std::map<std::uint64_t, unsigned>& words) {
    std::set<std::uint64_t> rows;
    for (const auto& [word, lane] : words) rows.insert(word / kRowWords);
    return {rows.begin(), rows.end()};
}

/// Cells below a head, with labels at the left; as large as fits.
class Grid {
public:
    Grid(ImVec2 room, std::size_t rows)
        : low_{ImGui::GetCursorScreenPos()}, draw_{*ImGui::GetWindowDrawList()} {
        label_ = ImGui::CalcTextSize("+000000").x;
        width_ = std::floor(std::clamp((room.x - label_) / kRowWords, px(3), px(18)));
        head_ = width_ >= ImGui::CalcTextSize("00").x ? ImGui::GetTextLineHeight() + px(5) : px(6);
        const float height = (room.y - head_) / float(rows);
        height_ = std::floor(std::clamp(height, px(2), width_ + px(3)));
        fit_ = std::size_t(std::max((room.y - head_) / height_, 1.0f));
        if (rows > fit_) // and a line of words
            fit_ = std::size_t(
                std::max((room.y - head_ - ImGui::GetTextLineHeight()) / height_, 1.0f));
        end_ = low_.y + room.y;
        low_.y += head_;
    }
    std::size_t fit() const { return fit_; }
    /// Where there is room for it below the label before.
    void label(std::size_t row, const std::string& text) {
        const float y = corner(row, 0).y - px(1);
        const float end = y + ImGui::GetTextLineHeight();
        if (y < next_label_ || end > end_ + px(2)) return;
        next_label_ = end;
        draw_.AddText({low_.x, y}, theme::packed(theme::kDim), text.c_str());
    }
    void cell(std::size_t row, unsigned column, unsigned ink) {
        const ImVec2 at = corner(row, column);
        draw_.AddRectFilled(at, {at.x + width_ - 1, at.y + height_ - gap()}, ink);
    }
    /// Below the words of a sector that is touched.
    void sector(std::size_t row, unsigned sector) {
        const ImVec2 from = corner(row, sector * kWordsOfSector);
        if (gap() < px(3)) return;
        draw_.AddRectFilled({from.x, from.y + height_ - px(2)},
                            {from.x + width_ * kWordsOfSector - px(2), from.y + height_ - px(1)},
                            theme::packed(theme::kText));
    }
    /// Above a bank, its turns.
    void turns(unsigned bank, unsigned count) {
        const ImVec2 at = corner(0, bank);
        const ImU32 ink = theme::packed(count > 1 ? theme::kError : theme::kGood);
        draw_.AddRectFilled({at.x, at.y - px(5)}, {at.x + width_ - 1, at.y - px(2)}, ink);
        const std::string text = std::to_string(count);
        const float width = ImGui::CalcTextSize(text.c_str()).x;
        if (head_ > px(6))
            draw_.AddText({at.x + (width_ - width) / 2, at.y - head_}, ink, text.c_str());
    }
    bool is_hovered(std::size_t row, unsigned column) const {
        const ImVec2 at = corner(row, column);
        return ImGui::IsMouseHoveringRect(at, {at.x + width_, at.y + height_});
    }

private:
    ImVec2 corner(std::size_t row, unsigned column) const {
        return {low_.x + label_ + float(column) * width_, low_.y + float(row) * height_};
    }
    float gap() const { return height_ >= px(8) ? px(4) : height_ >= px(4) ? px(1) : 0; }

    ImVec2 low_;
    ImDrawList& draw_;
    float label_ = 0, head_ = 0, width_ = 0, height_ = 0;
    float next_label_ = 0; ///< no label is above it
    float end_ = 0;        ///< of the room
    std::size_t fit_ = 0;
};

std::string lanes_at(const WarpStep& step, std::uint64_t word) {
    std::string lanes;
    unsigned count = 0;
    for_lanes(step.lanes, [&](unsigned lane) {
        const std::uint64_t at = step.addresses[lane];
        if (word < at / kWordBytes || word > (at + step.bytes - 1) / kWordBytes) return;
        if (++count <= 8) lanes += fmt::format("{}{}", lanes.empty() ? "" : ", ", lane);
    });
    if (count == 0) return "no lane";
    if (count > 8) lanes += ", …";
    return fmt::format("{} {}", count == 1 ? "lane" : "lanes", lanes);
}

} // namespace

unsigned color_of_lane(unsigned lane) {
    const Rgb8 c = Colormap::named("plasma")(0.12f + 0.85f * float(lane) / 31);
    return IM_COL32(c.r, c.g, c.b, 255);
}

std::string words_of_access(const WarpStep& step) {
    const bool is_shared = step.space == WarpSpace::shared;
    const char* what = step.event == WarpEvent::read    ? "read of"
                       : step.event == WarpEvent::write ? "write to"
                                                        : "atomic update of";
    std::string text =
        fmt::format("{} {} memory, {} byte{} a lane: ", what, is_shared ? "shared" : "global",
                    step.bytes, step.bytes == 1 ? "" : "s");
    const auto number = [](unsigned n, const char* word) {
        return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
    };
    if (is_shared) return text + number(step.turns(), "turn") + " of the banks";
    text += number(step.sectors(), "sector");
    if (step.sectors() > step.ideal_sectors())
        text += fmt::format(", {} would do", step.ideal_sectors());
    return text;
}

void draw_access(const WarpStep& step, ImVec2 room) {
    const bool is_shared = step.space == WarpSpace::shared;
    const auto words = words_of(step);
    const auto rows = rows_of(words);
    theme::push_font(theme::Font::small);
    Grid grid{room, rows.size()};
    if (is_shared) {
        const auto turns = step.turns_of_banks();
        for (unsigned bank = 0; bank < turns.size(); ++bank)
            if (turns[bank]) grid.turns(bank, turns[bank]);
    }
    std::string tip;
    for (std::size_t r = 0; r < std::min(rows.size(), grid.fit()); ++r) {
        const std::uint64_t first = rows[r] * kRowWords;
        const std::uint64_t bytes = (rows[r] - rows.front()) * kRowWords * kWordBytes;
        grid.label(r, fmt::format("+{}", bytes));
        std::set<unsigned> sectors;
        for (unsigned k = 0; k < kRowWords; ++k) {
            const auto found = words.find(first + k);
            const bool is_touched = found != words.end();
            grid.cell(r, k,
                      is_touched ? color_of_lane(found->second) : theme::packed(theme::kField));
            if (is_touched) sectors.insert(k / kWordsOfSector);
            if (grid.is_hovered(r, k))
                tip = fmt::format("byte {}: {}", bytes + k * kWordBytes, lanes_at(step, first + k));
        }
        if (!is_shared)
            for (const unsigned sector : sectors) grid.sector(r, sector);
    }
    if (rows.size() > grid.fit())
        grid.label(grid.fit(), fmt::format("and {} more rows", rows.size() - grid.fit()));
    if (!tip.empty()) ImGui::SetTooltip("%s", tip.c_str());
    theme::pop_font();
}

} // namespace lathe
