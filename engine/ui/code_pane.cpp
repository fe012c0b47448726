// SPDX-License-Identifier: MIT
#include "engine/ui/code_pane.h"

#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace lathe {

namespace {

constexpr float kSplitter = 5;    ///< before px()
constexpr float kWideRoom = 1000; ///< the same: two columns of some sixty letters
constexpr int kNumberGlyphs = 5;

std::vector<CodeTint> tints_of(const CodeView& view) {
    std::vector<CodeTint> tints;
    for (const int line : view.lines())
        if (line > 0) tints.push_back({line, 0});
    std::ranges::sort(tints, {}, &CodeTint::line);
    tints.erase(std::unique(tints.begin(), tints.end()), tints.end());
    for (std::size_t i = 0; i < tints.size(); ++i) tints[i].rgb = color_of_line(i);
    return tints;
}

unsigned ink_of(gpu::CodeRow::Kind kind) {
    switch (kind) {
    case gpu::CodeRow::Kind::label: return theme::kWarning;
    case gpu::CodeRow::Kind::function: return theme::kAccent;
    case gpu::CodeRow::Kind::directive: return theme::kDim;
    case gpu::CodeRow::Kind::instruction: break;
    }
    return theme::kText;
}

int indent_of(const CodeLine& row) {
    using Kind = gpu::CodeRow::Kind;
    if (row.kind == Kind::instruction) return 2;
    return row.kind == Kind::directive && row.text.find_first_of("{})") != 0 ? 2 : 0;
}

std::string title_of(CodeKind kind) { return kind == CodeKind::ptx ? "PTX" : "Machine code"; }

} // namespace

/// Each goes on by the golden ratio of the circle.
unsigned color_of_line(std::size_t order) {
    float r = 0, g = 0, b = 0;
    ImGui::ColorConvertHSVtoRGB(std::fmod(0.58f + 0.618034f * float(order), 1.0f), 0.62f, 0.95f, r,
                                g, b);
    const auto byte = [](float x) { return unsigned(std::lround(255 * x)); };
    return byte(r) << 16 | byte(g) << 8 | byte(b);
}

void CodePane::set(CodeKind kind) {
    if (kind_ == kind) return;
    kind_ = kind;
    if (kind != CodeKind::none) last_ = kind;
    to_front_ = kind;
}

/// By the user: the console says what a script would write.
void CodePane::choose(CodeKind kind) {
    if (kind_ == kind) return;
    set(kind);
    log::info("app.code_pane = \"{}\"", name_of(kind));
}

bool CodePane::handle(const KeyEvent& key) {
    if (!key.down || key.repeat || key.key != Key::f10 || key.modifiers) return false;
    choose(CodeKind((int(kind_) + 1) % 3));
    return true;
}

void CodePane::draw_button() {
    if (is_open()) ImGui::PushStyleColor(ImGuiCol_Text, theme::color(theme::kAccent));
    const int flags = ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip;
    const bool was_open = is_open();
    if (ImGui::TabItemButton("Code###code", flags)) choose(was_open ? CodeKind::none : last_);
    if (was_open) ImGui::PopStyleColor();
    theme::tooltip("PTX and machine code beside the text (F10)");
}

void CodePane::follow(CodeTab& tab, const KernelSlot& slot) {
    if (!is_open()) {
        tab.tints.clear();
        tab.version = 0;
        return;
    }
    if (!read) return;
    if (!worker_) worker_ = std::make_unique<Worker>();
    if (!tab.view) tab.view = std::make_unique<CodeView>(slot, read, worker_->executor());
    tab.view->follow(kind_);
    if (tab.version == tab.view->version()) return;
    tab.version = tab.view->version();
    tab.tints = tints_of(*tab.view);
    tab.shown_line = 0;
    std::size_t longest = 0;
    tab.instructions = 0;
    for (const CodeLine& row : tab.view->listing().rows) {
        longest = std::max(longest, row.text.size() + std::size_t(indent_of(row)));
        tab.instructions += row.kind == gpu::CodeRow::Kind::instruction;
    }
    tab.width = float(longest);
}

ImVec2 CodePane::text_size(ImVec2 room) {
    room_ = room;
    text_ = room;
    if (!is_open()) return text_;
    is_beside_ = room.x >= theme::px(kWideRoom);
    float& size = is_beside_ ? text_.x : text_.y;
    const float all = size - theme::px(kSplitter), least = std::min(theme::px(90), 0.5f * all);
    size = std::round(std::clamp(share_ * all, least, all - least));
    return text_;
}

void CodePane::draw_splitter() {
    const float thick = theme::px(kSplitter);
    const auto stay_close = [this] { // to what was drawn last
        if (is_beside_) ImGui::SameLine(0, 0);
        else ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
    };
    stay_close();
    const ImVec2 size = is_beside_ ? ImVec2{thick, room_.y} : ImVec2{room_.x, thick};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("splitter", size);
    const bool is_held = ImGui::IsItemActive(), is_lit = is_held || ImGui::IsItemHovered();
    if (is_lit)
        ImGui::SetMouseCursor(is_beside_ ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    if (is_held) {
        const ImVec2 mouse = ImGui::GetMousePos();
        share_ = is_beside_ ? (mouse.x - (at.x - text_.x)) / std::max(room_.x, 1.0f)
                            : (mouse.y - (at.y - text_.y)) / std::max(room_.y, 1.0f);
        share_ = std::clamp(share_, 0.1f, 0.9f);
    }
    const float inset = std::floor(0.5f * (thick - theme::px(1)));
    const ImVec2 low = is_beside_ ? ImVec2{at.x + inset, at.y} : ImVec2{at.x, at.y + inset};
    const ImVec2 high = is_beside_ ? ImVec2{low.x + theme::px(1), low.y + room_.y}
                                   : ImVec2{low.x + room_.x, low.y + theme::px(1)};
    ImGui::GetWindowDrawList()->AddRectFilled(
        low, high, theme::packed(is_lit ? theme::kAccent : theme::kLine));
    stay_close();
}

/// The two kinds as tabs, what is shown at the right.
void CodePane::draw_head(const CodeTab& tab) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float right = corner.x + ImGui::GetContentRegionAvail().x - theme::px(8);
    if (!ImGui::BeginTabBar("code kinds")) return;
    for (const CodeKind kind : {CodeKind::ptx, CodeKind::machine}) {
        const bool is_wanted = to_front_ == kind;
        if (ImGui::BeginTabItem(title_of(kind).c_str(), nullptr,
                                is_wanted ? ImGuiTabItemFlags_SetSelected : 0)) {
            if (!to_front_ || is_wanted) choose(kind);
            ImGui::EndTabItem();
        }
    }
    const float used = ImGui::GetItemRectMax().x;
    ImGui::EndTabBar();
    to_front_.reset();
    if (!tab.view || tab.instructions == 0) return;
    theme::push_font(theme::Font::small);
    std::string words =
        fmt::format("{} · {} instructions", tab.view->listing().title, tab.instructions);
    if (right - ImGui::CalcTextSize(words.c_str()).x < used + theme::px(12))
        words = fmt::format("{} instructions", tab.instructions);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    const float y = corner.y + 0.5f * (ImGui::GetFrameHeight() - size.y);
    ImGui::GetWindowDrawList()->AddText({right - size.x, y}, theme::packed(theme::kDim),
                                        words.c_str());
    theme::pop_font();
}

std::optional<int> CodePane::draw_rows(CodeTab& tab, int line) {
    const CodeView& view = *tab.view;
    const auto& rows = view.listing().rows;
    const std::vector<int>& lines = view.lines();
    std::optional<int> wanted;
    theme::push_font(theme::Font::code);
    const float glyph = ImGui::CalcTextSize("0").x, height = ImGui::GetTextLineHeight();
    const float numbers = (kNumberGlyphs + 1) * glyph;
    ImGui::SetNextWindowContentSize({numbers + (tab.width + 2) * glyph, 0});
    ImGui::BeginChild("rows", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{0, 0});
    if (line != tab.shown_line) {
        const bool is_new = tab.shown_line == 0;
        tab.shown_line = line;
        const float top = ImGui::GetScrollY(), foot = top + ImGui::GetWindowHeight() - height;
        std::optional<std::size_t> first;
        bool is_seen = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (lines[i] != line) continue;
            if (!first) first = i;
            is_seen |= float(i) * height >= top && float(i) * height <= foot;
        }
        if (is_new && !first && !tab.tints.empty()) // the first that is of some line
            first = std::size_t(std::ranges::find_if(lines, [](int of) { return of > 0; }) -
                                lines.begin());
        if (first && !is_seen)
            ImGui::SetScrollY(
                std::max(float(*first) * height - 0.3f * ImGui::GetWindowHeight(), 0.0f));
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 corner = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    ImGuiListClipper clipper;
    clipper.Begin(int(rows.size()), height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const CodeLine& row = rows[std::size_t(i)];
            const int of = lines[std::size_t(i)];
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const ImVec2 low{corner.x, at.y}, high{corner.x + width, at.y + height};
            const bool is_under = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
            if (of > 0) {
                const auto tint = std::ranges::lower_bound(tab.tints, of, {}, &CodeTint::line);
                const float alpha = of == line ? 0.30f : is_under ? 0.24f : 0.14f;
                list.AddRectFilled(low, high, theme::packed(tint->rgb, alpha));
                if (of == line)
                    list.AddRectFilled(low, {low.x + theme::px(3), high.y},
                                       theme::packed(tint->rgb));
                const std::string number = std::to_string(of);
                list.AddText({at.x + (kNumberGlyphs - float(number.size())) * glyph, at.y},
                             theme::packed(of == line ? theme::kText : theme::kDim),
                             number.c_str());
                if (is_under && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) wanted = of;
            }
            list.AddText({at.x + numbers + float(indent_of(row)) * glyph, at.y},
                         theme::packed(ink_of(row.kind)), row.text.c_str());
            if (is_under && !row.place.empty()) ImGui::SetTooltip("%s", row.place.c_str());
            ImGui::Dummy({numbers + tab.width * glyph, height});
        }
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
    theme::pop_font();
    return wanted;
}

std::optional<int> CodePane::draw(CodeTab& tab, int line) {
    std::optional<int> wanted;
    draw_splitter();
    const float thick = theme::px(kSplitter);
    const ImVec2 size = is_beside_ ? ImVec2{room_.x - text_.x - thick, room_.y}
                                   : ImVec2{room_.x, room_.y - text_.y - thick};
    ImGui::BeginChild("code", size, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    draw_head(tab);
    std::string words;
    if (!read) words = "There is no device here that has code.";
    else if (!tab.view || tab.view->listing().kind != kind_)
        words = tab.view && tab.view->is_reading() ? "Reading the code …" : "Nothing runs yet.";
    else words = tab.view->listing().problem;
    if (words.empty() && is_open()) {
        wanted = draw_rows(tab, line);
    } else {
        ImGui::SetCursorPos({theme::px(12), ImGui::GetCursorPosY() + theme::px(8)});
        ImGui::PushTextWrapPos(size.x - theme::px(12));
        theme::text(words, theme::kDim);
        ImGui::PopTextWrapPos();
    }
    ImGui::EndChild();
    return wanted;
}

} // namespace lathe
