// SPDX-License-Identifier: MIT
#include "engine/ui/profiler_panel.h"

#include "engine/app/frame_loop.h"
#include "engine/app/profiler.h"
#include "engine/core/log.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <utility>

namespace lathe {

namespace {

using theme::px;

constexpr double kEvery = 0.25; ///< seconds for which numbers stand still, to be read
constexpr std::size_t kFramesOfSums = 60;
constexpr ImGuiTableFlags kTable = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY |
                                   ImGuiTableFlags_RowBg | ImGuiTableFlags_NoPadOuterX;

/// A table with names and, behind them, columns of numbers.
bool begin_table(const char* id, const char* names, std::initializer_list<const char*> numbers) {
    if (!ImGui::BeginTable(id, 1 + int(numbers.size()), kTable)) return false;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn(names, ImGuiTableColumnFlags_WidthStretch);
    for (const char* each : numbers)
        ImGui::TableSetupColumn(each, ImGuiTableColumnFlags_WidthFixed, px(76));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    theme::text(names, theme::kDim);
    for (const char* each : numbers) {
        ImGui::TableNextColumn();
        theme::text_at_right(each, theme::kDim);
    }
    return true;
}

bool tab(const char* label, bool is_chosen) {
    ImGui::PushStyleColor(ImGuiCol_Button,
                          theme::color(is_chosen ? theme::kFieldActive : theme::kField));
    const bool is_pressed = ImGui::SmallButton(label);
    ImGui::PopStyleColor();
    ImGui::SameLine();
    return is_pressed;
}

} // namespace

void ProfilerPanel::want(bool is_wanted) {
    if (std::exchange(is_wanted_, is_wanted) == is_wanted) return;
    if (is_wanted) profiler_.want();
    else profiler_.unwant();
}

void ProfilerPanel::draw(const FrameStats& stats, bool is_seen) {
    want(is_seen && !is_held_);
    if (!is_seen) return roofline_.draw(false);
    theme::push_font(theme::Font::small);
    row(stats);
    if (page_ != Page::roofline) draw_times(stats);
    const double now = ImGui::GetTime();
    const bool is_due = now - looked_at_ >= kEvery || now < looked_at_;
    if (is_due) looked_at_ = now;
    const auto& frames = profiler_.frames();
    if (!is_held_ && !frames.empty() && (is_due || !shown_)) {
        shown_ = frames.back();
        sums_ = sum_zones(frames, kFramesOfSums);
        frames_of_sums_ = std::min(frames.size(), kFramesOfSums);
    }
    if (page_ != Page::roofline) roofline_.draw(false);
    switch (page_) {
    case Page::frame: draw_frame(); break;
    case Page::sums: draw_sums(); break;
    case Page::memory:
        if (is_due || uses_.empty()) uses_ = memory();
        draw_memory();
        break;
    case Page::roofline: roofline_.draw(true); break;
    }
    theme::pop_font();
}

void ProfilerPanel::draw_times(const FrameStats& stats) {
    const float height = std::min(px(72), ImGui::GetContentRegionAvail().y * 0.4f);
    const auto chosen = times_.draw(stats, height);
    if (!chosen) return;
    const auto& frames = profiler_.frames();
    const auto found = std::ranges::find(frames, *chosen, &ProfiledFrame::index);
    if (found == frames.end()) return;
    shown_ = *found;
    is_held_ = true;
    page_ = Page::frame;
}

void ProfilerPanel::row(const FrameStats& stats) {
    const auto page = [&](const char* label, Page each) {
        if (tab(label, page_ == each)) page_ = each;
    };
    page("Frame", Page::frame);
    page("Sums", Page::sums);
    page("Memory", Page::memory);
    page("Roofline", Page::roofline);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(8));
    if (tab(is_held_ ? "Go on" : "Hold", is_held_)) is_held_ = !is_held_;
    theme::tooltip(
        "Keeps the frame that is shown. A click in the plot of the frames holds that one.");
    if (tab("Save trace", false)) save();
    theme::tooltip("The last frames, as chrome://tracing and ui.perfetto.dev open them");
    const std::size_t late = stats.late();
    theme::text(fmt::format("{} of {} frames late", late, stats.size()),
                late > 0 ? theme::kWarning : theme::kDim);
    theme::tooltip("Late is what took more than twice the median.");
}

void ProfilerPanel::draw_frame() {
    if (!shown_) return theme::text("no frame is measured yet", theme::kDim);
    flame_.draw(*shown_, ImGui::GetContentRegionAvail());
}

void ProfilerPanel::draw_sums() {
    if (!begin_table("sums", "zone", {"lane", "calls/frame", "ms/frame"})) return;
    const double frames = double(std::max<std::size_t>(frames_of_sums_, 1));
    std::vector<ZoneSum> sums = sums_;
    std::ranges::stable_sort(sums, std::greater{}, &ZoneSum::time);
    for (const ZoneSum& sum : sums) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        theme::text(sum.name);
        ImGui::TableNextColumn();
        theme::text_at_right(kLaneNames[std::size_t(sum.lane)]);
        ImGui::TableNextColumn();
        theme::text_at_right(fmt::format("{:.3g}", double(sum.calls) / frames));
        ImGui::TableNextColumn();
        theme::text_at_right(fmt::format("{:.3f}", double(sum.time.count()) * 1e-6 / frames));
    }
    ImGui::EndTable();
}

void ProfilerPanel::draw_memory() {
    if (!begin_table("memory", "owner", {"MB"})) return;
    for (const MemoryUse& use : uses_) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        theme::text(use.owner);
        ImGui::TableNextColumn();
        theme::text_at_right(fmt::format("{:.2f}", double(use.bytes) * 1e-6));
    }
    ImGui::EndTable();
}

void ProfilerPanel::save() {
    const std::filesystem::path file = name_ + "-trace.json";
    try {
        save_chrome_trace(profiler_.frames(), file);
        log::info("{} frames are in {}", profiler_.frames().size(),
                  std::filesystem::absolute(file).string());
    } catch (const std::exception& error) { log::error("{}", error.what()); }
}

} // namespace lathe
