// SPDX-License-Identifier: MIT
#include "engine/ui/follow_form.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/parameter.h"
#include "engine/live/parameter_bindings.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

namespace lathe {

namespace {

using theme::px;

constexpr std::array kSources{
    "sine",    "triangle", "saw", "square", "noise", "mouse, left to right", "mouse, bottom to top",
    "two keys"};
constexpr int kMouse = 5, kKeys = 7;
constexpr std::array<std::pair<ImGuiKey, const char*>, 8> kNamedKeys{
    {{ImGuiKey_LeftArrow, "left"},
     {ImGuiKey_RightArrow, "right"},
     {ImGuiKey_UpArrow, "up"},
     {ImGuiKey_DownArrow, "down"},
     {ImGuiKey_Home, "home"},
     {ImGuiKey_End, "end"},
     {ImGuiKey_PageUp, "page_up"},
     {ImGuiKey_PageDown, "page_down"}}};
constexpr const char* kPopup = "follow";

float form_width() { return px(280); }

/// A label in its column; the next item fills the other.
float label(const char* text) {
    ImGui::AlignTextToFramePadding();
    theme::text(text, theme::kDim);
    const float column = px(80), width = form_width() - column;
    ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + column);
    ImGui::SetNextItemWidth(width);
    return width;
}

bool number_field(const char* id, double& value, float speed, const char* format) {
    return ImGui::DragScalar(id, ImGuiDataType_Double, &value, speed, nullptr, nullptr, format);
}

/// The key that went down in this frame, as the bindings name it; empty: none of theirs.
std::string key_pressed_now() {
    for (int k = 0; k < 26; ++k)
        if (ImGui::IsKeyPressed(ImGuiKey(ImGuiKey_A + k), false))
            return std::string(1, char('a' + k));
    for (const auto& [key, name] : kNamedKeys)
        if (ImGui::IsKeyPressed(key, false)) return name;
    return {};
}

/// Two periods of a wave.
void draw_wave(const Oscillation& wave) {
    const ImVec2 corner = ImGui::GetCursorScreenPos(), size{form_width(), px(44)};
    const ImVec2 end{corner.x + size.x, corner.y + size.y};
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(corner, end, theme::packed(theme::kField), px(4));
    theme::curve(draw, {corner.x, corner.y + px(6)}, {end.x, end.y - px(6)},
                 theme::packed(theme::kAccent), px(1.5f),
                 [&](double x) { return wave_at({wave.wave, 1, wave.phase}, 2 * x); });
    ImGui::Dummy(size);
}

} // namespace

void FollowForm::open(const Parameter& p) {
    name_ = p.name;
    component_ = 0;
    listens_ = nullptr;
    opens_ = true;
    if (p.kind == ParameterKind::vector) // the first one that follows something
        for (int c = p.components - 1; c >= 0; --c) {
            const int before = std::exchange(component_, c);
            if (!bindings_.find(target(p))) component_ = before;
        }
    take(p);
}

/// What it follows, or did; else the fields stay as they were used last, but for the range.
void FollowForm::take(const Parameter& p) {
    low_ = p.min.value_or(0);
    high_ = p.max.value_or(low_ + 1);
    if (p.kind == ParameterKind::choice) source_ = kKeys;
    const ParameterBinding* const b = bindings_.find(target(p));
    if (!b) return;
    low_ = b->follow.low.value_or(low_);
    high_ = b->follow.high.value_or(high_);
    if (const auto* wave = std::get_if<Oscillation>(&b->follow.source)) {
        wave_ = *wave;
        source_ = int(wave->wave);
    } else if (const auto* axis = std::get_if<MouseAxis>(&b->follow.source)) {
        source_ = kMouse + int(*axis);
    } else if (const auto* keys = std::get_if<StepKeys>(&b->follow.source)) {
        keys_ = *keys;
        source_ = kKeys;
    } else {
        switch_ = std::get<SwitchKey>(b->follow.source);
    }
}

std::string FollowForm::target(const Parameter& p) const {
    return names_of_places(p)[p.kind == ParameterKind::vector ? std::size_t(component_) : 0];
}

Follow FollowForm::follow(const Parameter& p) const {
    Follow made;
    if (p.kind == ParameterKind::boolean) {
        made.source = switch_;
        return made;
    }
    if (source_ == kKeys) {
        made.source = keys_;
        return made;
    }
    if (source_ >= kMouse) made.source = MouseAxis(source_ - kMouse);
    else made.source = Oscillation{Wave(source_), wave_.period, wave_.phase};
    if (low_ == p.min && high_ == p.max) return made; // also where an edit changes it
    made.low = low_;
    made.high = high_;
    return made;
}

void FollowForm::component_field(const Parameter& p) {
    if (p.kind != ParameterKind::vector) return;
    label("Component");
    for (int c = 0; c < p.components; ++c) {
        if (c > 0) ImGui::SameLine();
        const char name[] = {"xyzw"[c], 0};
        if (!ImGui::RadioButton(name, component_ == c)) continue;
        component_ = c;
        take(p);
    }
}

void FollowForm::source_field(const Parameter& p) {
    if (p.kind == ParameterKind::choice) return;
    label("Follows");
    ImGui::Combo("##source", &source_, kSources.data(), int(kSources.size()));
}

void FollowForm::wave_fields() {
    wave_.wave = Wave(source_);
    draw_wave(wave_);
    label("Period");
    number_field("##period", wave_.period, 0.02f, "%.3g s");
    label("Phase");
    number_field("##phase", wave_.phase, 0.005f, "%.3g");
    theme::tooltip("In periods: 0.5 begins half a period later");
}

void FollowForm::range_fields(const Parameter& p) {
    const float speed = p.min && p.max ? float((*p.max - *p.min) / 300) : 0.01f;
    label("Low");
    number_field("##low", low_, speed, "%.4g");
    label("High");
    number_field("##high", high_, speed, "%.4g");
}

void FollowForm::key_button(const char* text, std::string& key) {
    const float width = label(text);
    const bool listens = listens_ == &key;
    const std::string face = listens ? "press a key" : key;
    if (listens) ImGui::PushStyleColor(ImGuiCol_Button, theme::color(theme::kAccent, 0.45f));
    if (ImGui::Button(fmt::format("{}###{}", face, text).c_str(), {width, 0})) listens_ = &key;
    if (listens) ImGui::PopStyleColor();
    if (!listens) return;
    const std::string pressed = key_pressed_now();
    if (pressed.empty()) return;
    key = pressed;
    listens_ = nullptr;
}

void FollowForm::key_fields(const Parameter& p) {
    if (p.kind == ParameterKind::boolean) {
        key_button("Key", switch_.key);
        label("Is on");
        if (ImGui::RadioButton("by turns", !switch_.is_held)) switch_.is_held = false;
        ImGui::SameLine();
        if (ImGui::RadioButton("while held", switch_.is_held)) switch_.is_held = true;
        return;
    }
    key_button("Down", keys_.down);
    key_button("Up", keys_.up);
    if (p.kind == ParameterKind::choice) return;
    label("Step");
    number_field("##step", keys_.step, 0.01f, keys_.step > 0 ? "%.4g" : "the slider's");
    keys_.step = std::max(keys_.step, 0.0);
}

void FollowForm::buttons(const Parameter& p) {
    const std::string name = target(p);
    const Follow wanted = follow(p);
    std::string problem = bindings_.problem_of(name, wanted);
    if (problem.empty()) {
        try {
            parse_follow(to_text(wanted)); // keys and the period
        } catch (const Error& e) { problem = e.what(); }
    }
    if (!problem.empty()) {
        ImGui::PushTextWrapPos(form_width());
        theme::text(problem, theme::kError);
        ImGui::PopTextWrapPos();
    }
    ImGui::Dummy({0, px(2)});
    ImGui::BeginDisabled(!problem.empty());
    const bool is_done = ImGui::Button("Follow", {px(90), 0});
    ImGui::EndDisabled();
    if (is_done) {
        bindings_.bind(name, wanted, BoundBy::hand);
        log::info("app.bind(\"{}\", \"{}\")", name, to_text(wanted));
    }
    ImGui::SameLine();
    if (ImGui::Button("Cancel", {px(90), 0}) || is_done) ImGui::CloseCurrentPopup();
}

void FollowForm::draw(const std::vector<Parameter*>& all) {
    if (std::exchange(opens_, false)) ImGui::OpenPopup(kPopup);
    if (!ImGui::BeginPopup(kPopup)) return;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Parameter* p) { return p->name == name_; });
    if (found == all.end()) { // an edit has taken it away
        ImGui::CloseCurrentPopup();
        return ImGui::EndPopup();
    }
    const Parameter& p = **found;
    theme::text(p.name);
    component_field(p);
    if (p.kind == ParameterKind::boolean) {
        key_fields(p);
    } else {
        source_field(p);
        if (source_ < kMouse) wave_fields();
        if (source_ < kKeys) range_fields(p);
        else key_fields(p);
    }
    buttons(p);
    ImGui::EndPopup();
}

} // namespace lathe
