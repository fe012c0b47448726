// SPDX-License-Identifier: MIT
#include "engine/ui/parameter_panel.h"

#include "engine/core/log.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_code.h"
#include "engine/live/parameter_set.h"
#include "engine/ui/parameter_widget.h"
#include "engine/ui/preset_row.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

using Bound = std::vector<const ParameterBinding*>;

/// What the parameter and its components follow, or did.
Bound bound_of(const ParameterBindings* bindings, const Parameter& p) {
    Bound found;
    if (!bindings) return found;
    for (const std::string& target : names_of_places(p))
        if (const auto* b = bindings->find(target)) found.push_back(b);
    return found;
}

float mark_width() { return theme::px(12); }

/// A small wave at the end of the name's column.
void draw_mark(const Bound& bound) {
    const bool is_active =
        std::any_of(bound.begin(), bound.end(), [](const auto* b) { return b->is_active; });
    const ImU32 ink = is_active ? theme::packed(theme::kAccent) : theme::packed(theme::kDim, 0.6f);
    const float width = mark_width(), high = theme::px(4);
    const ImVec2 low = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
    const float left = low.x + ImGui::GetContentRegionAvail().x - width;
    const float middle = (low.y + end.y) / 2;
    theme::curve(*ImGui::GetWindowDrawList(), {left, middle - high}, {left + width, middle + high},
                 ink, theme::px(1.6f), [](double x) { return 0.5 + 0.5 * std::sin(6.2832 * x); });
}

std::string tip_of(const Parameter& p, const Bound& bound) {
    std::string tip = p.type_name.empty() ? p.name : p.type_name + " " + p.name;
    if (p.min && p.max) tip += fmt::format("   {:g} … {:g}", *p.min, *p.max);
    tip += fmt::format("\ninitially {}", format_value(p, p.initial));
    for (const ParameterBinding* b : bound)
        tip += fmt::format("\n{} {} {}", b->target, b->is_active ? "follows" : "followed",
                           to_text(b->follow));
    tip += "\nCtrl+click to type, right-click for more";
    if (!p.read) tip += "\nNothing reads it yet: the script passes its own value.";
    return tip;
}

/// Not what the program passes and of which the source says nothing: sizes, mostly.
bool is_shown(const Parameter& p) {
    return p.widget != ParameterWidget::hidden && !(p.implied && p.passed && !p.read);
}

/// Of "light.color" behind "light" the first part, "color", and of "weights[3].x" behind "weights"
/// "[3]".
std::string_view part_after(std::string_view name, std::size_t prefix) {
    name.remove_prefix(prefix);
    if (name.starts_with('.')) name.remove_prefix(1);
    return name.substr(0, name.find_first_of(".[", 1));
}

/// How many at the beginning are members of the same thing, whose name has `length` letters.
std::size_t group_size(std::span<Parameter* const> parameters, std::size_t length) {
    const std::string_view name = std::string_view{parameters[0]->name}.substr(0, length);
    const auto end = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter* p) {
        return !p->name.starts_with(name) || p->name.size() == length ||
               (p->name[length] != '.' && p->name[length] != '[');
    });
    return std::size_t(end - parameters.begin());
}

float indent_width() { return theme::px(10); }

/// Within structures, one of the other.
int depth_of(std::string_view name) {
    return int(
        std::count_if(name.begin() + 1, name.end(), [](char c) { return c == '.' || c == '['; }));
}

std::vector<std::string> targets_of(const Bound& bound) {
    std::vector<std::string> targets;
    for (const ParameterBinding* b : bound) targets.push_back(b->target);
    return targets;
}

} // namespace

ParameterPanel::ParameterPanel(ParameterSet& parameters, ParameterPresets* presets,
                               ParameterBindings* bindings)
    : parameters_{parameters}, presets_{presets}, bindings_{bindings} {
    if (bindings) form_.emplace(*bindings);
}

void ParameterPanel::menu(Parameter& p, const std::vector<const ParameterBinding*>& bound) {
    if (!ImGui::BeginPopupContextItem("more")) return;
    theme::text(p.name, theme::kDim);
    if (ImGui::MenuItem("Reset", format_value(p, p.initial).c_str())) reset(p.name);
    if (ImGui::MenuItem(fmt::format("Copy {}", parameters_.assignment(p.name)).c_str()))
        ImGui::SetClipboardText(parameters_.assignment(p.name).c_str());
    if (bindings_ && ImGui::MenuItem("Follow…")) form_->open(p);
    for (const std::string& target : targets_of(bound)) {
        const ParameterBinding& b = *bindings_->find(target);
        const std::string words =
            target == p.name ? to_text(b.follow) : target + ": " + to_text(b.follow);
        if (b.is_active && ImGui::MenuItem(fmt::format("Stop {}", words).c_str())) {
            bindings_->suspend(target);
            log::info("app.unbind(\"{}\")", target);
        } else if (!b.is_active && ImGui::MenuItem(fmt::format("Resume {}", words).c_str())) {
            bindings_->resume(target);
            log::info("app.bind(\"{}\", \"{}\")", target, to_text(b.follow));
        }
    }
    ImGui::EndPopup();
}

void ParameterPanel::rows(std::span<Parameter* const> parameters, std::size_t prefix) {
    while (!parameters.empty()) {
        Parameter& first = *parameters.front();
        const std::string_view part = part_after(first.name, prefix);
        const auto length = std::size_t(part.data() + part.size() - first.name.data());
        const std::size_t count = std::max<std::size_t>(group_size(parameters, length), 1);
        if (length == first.name.size()) row(first, part);
        else node(std::string{part}, parameters.first(count), length);
        parameters = parameters.subspan(count);
    }
}

/// A structure or an array, with its members below.
void ParameterPanel::node(const std::string& name, std::span<Parameter* const> members,
                          std::size_t prefix) {
    constexpr int kFlags = ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_SpanAllColumns |
                           ImGuiTreeNodeFlags_LabelSpanAllColumns |
                           ImGuiTreeNodeFlags_FramePadding | ImGuiTreeNodeFlags_NoTreePushOnOpen;
    ImGui::PushID(members[0]->name.c_str()); // another owner may have one of the same name
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
    const bool is_open = ImGui::TreeNodeEx(name.c_str(), kFlags);
    ImGui::PopStyleVar();
    if (ImGui::BeginPopupContextItem("node")) {
        theme::text(members[0]->name.substr(0, prefix), theme::kDim);
        if (ImGui::MenuItem("Reset"))
            for (const Parameter* p : members) reset(p->name);
        ImGui::EndPopup();
    }
    if (is_open) {
        ImGui::Indent(indent_width());
        rows(members, prefix);
        ImGui::Unindent(indent_width());
    }
    ImGui::PopID();
}

void ParameterPanel::row(Parameter& p, std::string_view label) {
    const Bound bound = bound_of(bindings_, p);
    ImGui::PushID(p.name.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    theme::text(label, p.read ? theme::kText : theme::kDim);
    theme::tooltip(tip_of(p, bound));
    if (!bound.empty()) draw_mark(bound);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-1);
    const bool changed = edit_parameter(p);
    const bool is_taken = ImGui::IsItemActivated() && p.kind != ParameterKind::vector;
    menu(p, bound);
    if (changed) {
        parameters_.changed(p);
        unsaid_.insert(p.name);
    }
    if (is_taken && bindings_) bindings_->suspend(p.name);
    ImGui::PopID();
}

void ParameterPanel::reset(const std::string& name) {
    parameters_.reset(name);
    unsaid_.insert(name);
}

/// What the mouse has set, in Python, once it is let go.
void ParameterPanel::say() {
    if (unsaid_.empty() || ImGui::IsAnyItemActive()) return;
    for (const Parameter* p : parameters_.all())
        if (unsaid_.contains(p->name)) log::info("{}", set_line(*p));
    unsaid_.clear();
}

/// Something is not as it was at the start.
bool ParameterPanel::is_changed() const {
    const auto& all = parameters_.all();
    return std::any_of(all.begin(), all.end(), [&](const Parameter* p) {
        const Bound bound = bound_of(bindings_, *p);
        return p->touched || std::any_of(bound.begin(), bound.end(), [](const auto* b) {
                   return b->is_active && b->by == BoundBy::hand;
               });
    });
}

void ParameterPanel::copy_menu() {
    if (!ImGui::BeginPopup("copy")) return;
    if (ImGui::MenuItem("As Python"))
        ImGui::SetClipboardText(as_python(parameters_, bindings_).c_str());
    theme::tooltip(as_python(parameters_, bindings_));
    if (ImGui::MenuItem("As --set options"))
        ImGui::SetClipboardText(as_options(parameters_, bindings_).c_str());
    theme::tooltip(as_options(parameters_, bindings_));
    if (write_values && ImGui::MenuItem("Into the source")) write_values();
    if (write_values)
        theme::tooltip("As =value in the comments behind the parameters; undo takes it back");
    ImGui::EndPopup();
}

float ParameterPanel::widest_name(const std::vector<Parameter*>& shown) const {
    float widest = 0;
    for (const Parameter* p : shown) {
        const auto last = p->name.find_last_of(".[");
        const auto* label = p->name.c_str() + (last == std::string::npos ? 0
                                               : p->name[last] == '.'    ? last + 1
                                                                         : last);
        const float mark = bound_of(bindings_, *p).empty() ? 0 : mark_width() + theme::px(3);
        widest = std::max(widest, float(depth_of(p->name)) * indent_width() +
                                      ImGui::CalcTextSize(label).x + mark);
    }
    return widest;
}

void ParameterPanel::draw() {
    std::vector<Parameter*> shown;
    for (Parameter* p : parameters_.all())
        if (is_shown(*p)) shown.push_back(p);
    if (shown.empty()) {
        ImGui::PushTextWrapPos(0);
        theme::text("The kernels have no adjustable parameters yet. A float in a parameter list "
                    "gets a slider; `//@ 0..1 =0.5` after it sets range and value.",
                    theme::kDim);
        ImGui::PopTextWrapPos();
        return;
    }
    const float names = std::min(widest_name(shown), ImGui::GetContentRegionAvail().x * 0.45f);
    if (ImGui::BeginTable("parameters", 2, ImGuiTableFlags_NoPadOuterX)) {
        ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, names);
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
        rows(shown, 0);
        ImGui::EndTable();
    }
    if (form_) form_->draw(parameters_.all());
    ImGui::Dummy({0, theme::px(2)});
    ImGui::BeginDisabled(!is_changed());
    if (ImGui::Button("Reset all")) {
        for (const Parameter* p : parameters_.all())
            if (p->touched) unsaid_.insert(p->name);
        parameters_.reset_all();
    }
    ImGui::SameLine();
    if (ImGui::Button("Copy all")) ImGui::OpenPopup("copy");
    ImGui::EndDisabled();
    theme::tooltip("What was set, as code");
    copy_menu();
    say();
    if (presets_) draw_presets(*presets_);
}

} // namespace lathe
