// SPDX-License-Identifier: MIT
#include "engine/ui/run_control_panel.h"

#include "engine/app/run_control.h"
#include "engine/core/log.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <charconv>

namespace lathe {

void RunControlPanel::draw(std::uint64_t frame, double frames_per_second) {
    using theme::px;
    using theme::Symbol;
    if (theme::symbol_button("##reset", Symbol::reset, "Reset (R)")) {
        control_.request_reset();
        log::info("app.run_control.reset()");
    }
    ImGui::SameLine(0, px(4));
    if (theme::symbol_button("##back", Symbol::step_back, "One step back (,)")) {
        control_.request_step_back();
        log::info("app.run_control.step_back()");
    }
    ImGui::SameLine(0, px(4));
    if (theme::symbol_button("##play", control_.paused ? Symbol::play : Symbol::pause,
                             control_.paused ? "Play (Space)" : "Pause (Space)", control_.paused)) {
        control_.toggle_pause();
        log::info("app.run_control.paused = {}", control_.paused ? "True" : "False");
    }
    ImGui::SameLine(0, px(4));
    if (theme::symbol_button("##step", Symbol::step, "One step (.)")) {
        control_.request_step();
        log::info("app.run_control.step()");
    }
    ImGui::SameLine(0, px(4));
    const bool records = is_recording; // the click changes it
    if (records) ImGui::PushStyleColor(ImGuiCol_Text, theme::color(theme::kError));
    if (theme::symbol_button("##record", Symbol::record,
                             records ? "End the movie" : "Record a movie", records) &&
        record)
        record();
    if (records) ImGui::PopStyleColor();

    ImGui::SameLine(0, px(16));
    ImGui::AlignTextToFramePadding();
    theme::text("Speed", theme::kDim);
    ImGui::SameLine();
    float speed = float(control_.speed);
    ImGui::SetNextItemWidth(px(110));
    if (ImGui::SliderFloat("##speed", &speed, 0.1f, 10.0f, "%.2f×",
                           ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat))
        control_.speed = std::clamp(double(speed), 0.1, 10.0);
    const bool is_back = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    if (is_back) control_.speed = 1;
    if (is_back || ImGui::IsItemDeactivatedAfterEdit())
        log::info("app.run_control.speed = {:.3g}", control_.speed);
    theme::tooltip("Steps a frame are multiplied by this; right-click for 1×");

    ImGui::SameLine(0, px(16));
    theme::text("Steps", theme::kDim);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(px(56));
    ImGui::DragInt("##substeps", &control_.substeps, 0.1f, 1, 1000, "%d");
    control_.substeps = std::clamp(control_.substeps, 1, 1000);
    if (ImGui::IsItemDeactivatedAfterEdit())
        log::info("app.run_control.substeps = {}", control_.substeps);
    theme::tooltip("Simulation steps in each frame; drag, or double-click to type");

    std::string numbers = fmt::format("step {}", steps);
    if (time) numbers += fmt::format("   t = {:.4g} s", *time);
    if (!caption.empty()) numbers += "   " + caption;
    ImGui::SameLine(0, px(16));
    theme::text(numbers);
    theme::tooltip("Click to go to another step");
    go_to();

    const std::string right = fmt::format("frame {}   {:.0f} fps", frame, frames_per_second);
    const float button = ImGui::CalcTextSize("?").x + 2 * ImGui::GetStyle().FramePadding.x;
    const float width = ImGui::CalcTextSize(right.c_str()).x + px(12) + button;
    ImGui::SameLine();
    const float free = ImGui::GetContentRegionAvail().x - width;
    if (free < px(8)) {
        ImGui::NewLine();
        return;
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + free);
    theme::text(right, theme::kDim);
    ImGui::SameLine(0, px(12));
    wants_keys |= ImGui::Button("?");
    theme::tooltip("Keys (F1)");
}

/// The last widget, clicked on, asks for a step.
void RunControlPanel::go_to() {
    if (ImGui::IsItemClicked()) {
        wanted_.clear();
        ImGui::OpenPopup("go to");
    }
    if (!ImGui::BeginPopup("go to")) return;
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(theme::px(110));
    if (ImGui::InputTextWithHint("##step", "step", &wanted_,
                                 ImGuiInputTextFlags_CharsDecimal |
                                     ImGuiInputTextFlags_EnterReturnsTrue)) {
        std::uint64_t step = 0;
        const auto [end, failed] =
            std::from_chars(wanted_.data(), wanted_.data() + wanted_.size(), step);
        if (failed == std::errc{} && end == wanted_.data() + wanted_.size()) {
            control_.request_go_to(step);
            log::info("app.run_control.go_to({})", step);
        }
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

} // namespace lathe
