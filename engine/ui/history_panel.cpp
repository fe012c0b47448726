// SPDX-License-Identifier: MIT
#include "engine/ui/history_panel.h"

#include "engine/core/log.h"
#include "engine/live/kernel_slot.h"
#include "engine/ui/theme.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lathe {

namespace {

using Kind = DiffLine::Kind;

constexpr double kLookEvery = 0.5;  // seconds
constexpr std::size_t kContext = 2; // lines around what differs
constexpr int kNumberGlyphs = 4;
constexpr const char* kMinus = "\u2212";

std::string time_text(std::chrono::system_clock::time_point time) {
    const auto local = [](std::chrono::system_clock::time_point t) {
        return fmt::localtime(std::chrono::system_clock::to_time_t(t));
    };
    const std::tm then = local(time), now = local(std::chrono::system_clock::now());
    const bool is_today = then.tm_year == now.tm_year && then.tm_yday == now.tm_yday;
    return is_today ? fmt::format("{:%H:%M:%S}", then) : fmt::format("{:%d %b %H:%M}", then);
}

struct Shown {
    unsigned rgb;
    const char* words;
};
Shown shown(Outcome outcome) {
    switch (outcome) {
    case Outcome::good: return {theme::kGood, "It compiled"};
    case Outcome::failed: return {theme::kError, "It did not compile"};
    case Outcome::faulted: return {theme::kWarning, "It compiled, and a launch faulted"};
    case Outcome::unknown: break;
    }
    return {theme::kDim, "It was not compiled"};
}

/// The lines of a difference that are near to what differs.
std::vector<std::size_t> near_changes(const std::vector<DiffLine>& lines, std::size_t gap) {
    std::vector<std::size_t> near;
    std::size_t end = 0; // behind what is there already
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].kind == Kind::common) continue;
        const std::size_t first = std::max(end, i > kContext ? i - kContext : 0);
        if (!near.empty() && first > end) near.push_back(gap);
        end = std::max(end, std::min(i + kContext + 1, lines.size()));
        for (std::size_t k = first; k < end; ++k) near.push_back(k);
    }
    return near;
}

/// Behind what was drawn last.
void draw_counts(std::size_t added, std::size_t removed) {
    const auto draw = [](std::size_t count, const char* sign, unsigned rgb) {
        if (count == 0) return;
        ImGui::SameLine(0, theme::px(10));
        theme::text(fmt::format("{}{}", sign, count), rgb);
    };
    draw(added, "+", theme::kGood);
    draw(removed, kMinus, theme::kError);
}

/// Number, sign and text; the ground of a line that differs is tinted over the whole width.
void draw_line(const DiffLine& line, ImVec2 size, float glyph) {
    const ImVec2 at = ImGui::GetCursorScreenPos(), corner = ImGui::GetWindowPos();
    ImGui::Dummy(size);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::string number =
        fmt::format("{:>{}}", line.after ? line.after : line.before, kNumberGlyphs);
    unsigned ink = theme::kDim;
    if (line.kind != Kind::common) {
        const bool is_added = line.kind == Kind::added;
        const unsigned rgb = is_added ? theme::kGood : theme::kError;
        ink = theme::kText;
        list.AddRectFilled({corner.x, at.y}, {corner.x + ImGui::GetWindowWidth(), at.y + size.y},
                           theme::packed(rgb, 0.16f));
        list.AddText({at.x + (kNumberGlyphs + 1) * glyph, at.y}, theme::packed(rgb),
                     is_added ? "+" : kMinus);
    }
    list.AddText(at, theme::packed(theme::kDim), number.c_str());
    list.AddText({at.x + (kNumberGlyphs + 3) * glyph, at.y}, theme::packed(ink), line.text.data(),
                 line.text.data() + line.text.size());
}

} // namespace

void HistoryPanel::look(const KernelSlot& slot) {
    const double now = ImGui::GetTime();
    const bool is_other = std::exchange(slot_, &slot) != &slot;
    const bool is_new = is_other || ImGui::IsWindowAppearing();
    if (!is_new && now - looked_at_ < kLookEvery) return;
    looked_at_ = now;
    std::vector<Session::Version> rows = session_->history(slot.key());
    if (is_other) chosen_.clear();
    is_stale_ |= is_other || rows != rows_;
    rows_ = std::move(rows);
}

void HistoryPanel::choose(const std::filesystem::path& version) {
    chosen_ = version;
    is_stale_ = true;
}

/// Where nothing is chosen, with the newest version that is not the text.
void HistoryPanel::compare(const std::string& text, std::uint64_t text_version) {
    if (!std::exchange(is_stale_, false) && text_version == text_version_) return;
    text_version_ = text_version;
    now_ = text;
    selected_ = chosen_.empty() ? rows_.front().file : chosen_;
    then_ = Session::read(selected_);
    if (chosen_.empty() && rows_.size() > 1 && then_.text == now_) {
        selected_ = rows_[1].file;
        then_ = Session::read(selected_);
    }
    if (!then_.problem.empty() && then_.problem != problem_) log::warning("{}", then_.problem);
    problem_ = then_.problem;
    diff_ = problem_.empty() ? diff_lines(then_.text, now_) : std::vector<DiffLine>{};
    shown_ = near_changes(diff_, kGap);
}

/// What a version changed in the one before it.
HistoryPanel::Change HistoryPanel::change_of(std::size_t row) {
    if (row + 1 >= rows_.size()) return {};
    const auto known = changes_.find(rows_[row].file);
    if (known != changes_.end()) return known->second;
    const Session::Text before = Session::read(rows_[row + 1].file);
    const Session::Text after = Session::read(rows_[row].file);
    Change change;
    if (before.problem.empty() && after.problem.empty()) {
        const auto lines = diff_lines(before.text, after.text);
        change = {count_of(lines, Kind::added), count_of(lines, Kind::removed)};
    }
    return changes_[rows_[row].file] = change;
}

void HistoryPanel::draw_row(std::size_t row) {
    const Session::Version& version = rows_[row];
    ImGui::PushID(version.file.filename().c_str());
    if (ImGui::Selectable("##version", version.file == selected_)) choose(version.file);
    theme::tooltip(shown(version.outcome).words);
    ImGui::SameLine(theme::px(6), 0);
    theme::dot(shown(version.outcome).rgb);
    theme::text(time_text(version.time));
    const Change change = change_of(row);
    draw_counts(change.added, change.removed);
    ImGui::PopID();
}

/// Up and Down, as long as the panel has the keyboard.
void HistoryPanel::take_keys() {
    if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) || ImGui::GetIO().WantTextInput)
        return;
    const auto at = std::ranges::find(rows_, selected_, &Session::Version::file);
    if (at == rows_.end()) return;
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow) && at + 1 != rows_.end()) choose(at[1].file);
    else if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) && at != rows_.begin()) choose(at[-1].file);
}

void HistoryPanel::draw_list(float width) {
    ImGui::BeginChild("versions", {width, 0});
    ImGuiListClipper clipper;
    clipper.Begin(int(rows_.size()));
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(std::size_t(i));
    ImGui::EndChild();
}

/// What the two texts differ in, and the button; true where it was pressed.
bool HistoryPanel::draw_head() {
    const bool differs = !shown_.empty();
    ImGui::AlignTextToFramePadding();
    if (!problem_.empty()) {
        ImGui::PushTextWrapPos();
        theme::text(problem_, theme::kError);
        ImGui::PopTextWrapPos();
        return false;
    }
    if (!differs) {
        theme::text("This is the text now.", theme::kDim);
        return false;
    }
    theme::text("Since then", theme::kDim);
    draw_counts(count_of(diff_, Kind::added), count_of(diff_, Kind::removed));
    const float width = ImGui::CalcTextSize("Restore").x + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SameLine(ImGui::GetWindowWidth() - width);
    const bool is_pressed = ImGui::Button("Restore");
    theme::tooltip("Makes this version the text again; Ctrl+Z takes it back");
    return is_pressed;
}

void HistoryPanel::draw_diff() const {
    theme::push_font(theme::Font::code);
    const float glyph = ImGui::CalcTextSize("0").x, height = ImGui::GetTextLineHeight();
    std::size_t longest = 0;
    for (const std::size_t i : shown_)
        if (i != kGap) longest = std::max(longest, diff_[i].text.size());
    const ImVec2 size{(kNumberGlyphs + 4 + float(longest)) * glyph, height};
    ImGui::SetNextWindowContentSize({size.x, 0});
    ImGui::BeginChild("diff", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2{0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(int(shown_.size()), height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const std::size_t n = shown_[std::size_t(i)];
            if (n == kGap) theme::text("   \u2026", theme::kDim);
            else draw_line(diff_[n], size, glyph);
        }
    ImGui::PopStyleVar();
    ImGui::EndChild();
    theme::pop_font();
}

std::optional<std::string> HistoryPanel::draw(const KernelSlot* slot, const std::string& text) {
    const auto say = [](const char* words) {
        ImGui::PushTextWrapPos();
        theme::text(words, theme::kDim);
        ImGui::PopTextWrapPos();
        return std::nullopt;
    };
    if (!session_) return say("Versions of the text are not kept in this run.");
    if (!slot) return say("No kernels to edit yet.");
    look(*slot);
    if (rows_.empty()) return say("Nothing was changed yet. A version is kept after each edit.");
    take_keys();
    compare(text, slot->text_version());
    const float room = ImGui::GetContentRegionAvail().x;
    draw_list(std::clamp(0.36f * room, theme::px(130), theme::px(230)));
    ImGui::SameLine();
    std::optional<std::string> wanted;
    ImGui::BeginChild("difference", {0, 0});
    if (draw_head()) wanted = then_.text;
    if (!shown_.empty()) draw_diff();
    ImGui::EndChild();
    if (wanted) choose({});
    return wanted;
}

} // namespace lathe
