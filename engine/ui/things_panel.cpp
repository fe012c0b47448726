// SPDX-License-Identifier: MIT
#include "engine/ui/things_panel.h"

#include "engine/core/log.h"
#include "engine/scene/camera_line.h"
#include "engine/scene/view.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

namespace {

/// What a kind of thing can be given.
struct Has {
    bool color, opacity, size, scale;
};

Has features_of(std::string_view kind) {
    if (kind == "points") return {true, true, true, true};
    if (kind == "mesh") return {true, true, false, true};
    if (kind == "image" || kind == "volume") return {false, true, false, true};
    return {true, true, true, false};
}

/// A row of a setting: its box says whether the setting holds; else the call decides.
template <class Value, class Widget>
void optional_row(const char* name, std::optional<Value>& value, Value first,
                  const Widget& widget) {
    ImGui::PushID(name);
    bool is_set = value.has_value();
    if (ImGui::Checkbox("##set", &is_set)) {
        if (is_set) value = first;
        else value.reset();
    }
    theme::tooltip(is_set ? "As the call says again" : "Instead of what the call says");
    ImGui::SameLine();
    ImGui::BeginDisabled(!value);
    Value shown = value.value_or(first);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - theme::px(70));
    if (widget(shown)) value = shown;
    ImGui::SameLine();
    theme::text(name, value ? theme::kText : theme::kDim);
    ImGui::EndDisabled();
    ImGui::PopID();
}

bool colormap_combo(std::string& name) {
    bool changed = false;
    if (!ImGui::BeginCombo("##colormap", name.c_str())) return false;
    for (const std::string& each : colormap_names())
        if (ImGui::Selectable(each.c_str(), each == name)) {
            name = each;
            changed = true;
        }
    ImGui::EndCombo();
    return changed;
}

std::string count_text(std::size_t count) {
    if (count < 10'000) return fmt::format("{}", count);
    if (count < 10'000'000) return fmt::format("{:.0f} k", double(count) / 1e3);
    return fmt::format("{:.1f} M", double(count) / 1e6);
}

/// As Python spells it.
std::string python(float value) { return fmt::format("{:g}", value); }
std::string python(const std::string& value) { return fmt::format("\"{}\"", value); }
std::string python(const ValueRange& r) { return fmt::format("({:g}, {:g})", r.low, r.high); }
std::string python(const glm::vec4& c) {
    return fmt::format("({:.3g}, {:.3g}, {:.3g}, {:.3g})", c.x, c.y, c.z, c.w);
}

/// "opacity = 0.5" for each setting that is another one.
std::vector<std::string> changes_of(const ThingSettings& before, const ThingSettings& now) {
    std::vector<std::string> all;
    if (now.is_shown != before.is_shown)
        all.push_back(fmt::format("shown = {}", now.is_shown ? "True" : "False"));
    const auto add = [&](const char* name, const auto& old, const auto& value) {
        if (old != value)
            all.push_back(fmt::format("{} = {}", name, value ? python(*value) : "None"));
    };
    add("color", before.color, now.color);
    add("opacity", before.opacity, now.opacity);
    add("size", before.size, now.size);
    add("colormap", before.colormap, now.colormap);
    add("range", before.range, now.range);
    return all;
}

} // namespace

void ThingsPanel::settings(View& view, const Thing& thing, ThingSettings& s) {
    const Has has = features_of(thing.kind);
    if (has.color)
        optional_row("color", s.color, glm::vec4{1, 1, 1, 1}, [](glm::vec4& color) {
            return ImGui::ColorEdit4("##color", &color.x,
                                     ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_AlphaBar);
        });
    if (has.opacity)
        optional_row("opacity", s.opacity, 1.0f, [](float& opacity) {
            return ImGui::SliderFloat("##opacity", &opacity, 0, 1, "%.2f");
        });
    if (has.size)
        optional_row("size", s.size, 3.0f, [](float& size) {
            return ImGui::DragFloat("##size", &size, 0.01f * size + 1e-4f, 0, 1e6f, "%.4g");
        });
    if (has.scale) {
        optional_row("colormap", s.colormap, std::string{"viridis"}, colormap_combo);
        optional_row("range", s.range, ValueRange{}, [](ValueRange& range) {
            std::array<float, 2> ends{range.low, range.high};
            const float step = 0.005f * std::abs(range.high - range.low) + 1e-6f;
            if (!ImGui::DragFloat2("##range", ends.data(), step, 0, 0, "%.4g")) return false;
            range = {ends[0], ends[1]};
            return true;
        });
    }
    ImGui::BeginDisabled(is_in_step_);
    if (has.scale) {
        const Key key{&view, thing.name};
        if (ImGui::SmallButton("Count NaN")) counts_[key] = view.not_finite(thing.name);
        theme::tooltip(
            "Count values that are NaN, which are magenta, and infinite ones, which are cyan");
        if (const auto found = counts_.find(key); found != counts_.end()) {
            ImGui::SameLine();
            theme::text(
                fmt::format("{} NaN, {} infinite", found->second.nan, found->second.infinite),
                theme::kDim);
        }
    }
    if (ImGui::SmallButton("Look at it") && view.fit(thing.name))
        log::info("{}", fit_line(view, thing.name));
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (ImGui::SmallButton("As called")) s = {};
}

void ThingsPanel::row(View& view, const Thing& thing) {
    ThingSettings& s = view.settings(thing.name);
    const ThingSettings before = s;
    ImGui::Checkbox("##shown", &s.is_shown);
    theme::tooltip(s.is_shown ? "Hide it" : "Show it");
    ImGui::SameLine();
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    const bool open = ImGui::TreeNodeEx(thing.name.c_str(), ImGuiTreeNodeFlags_SpanAvailWidth);
    std::string what{thing.name.starts_with(thing.kind) ? "" : thing.kind};
    if (thing.count > 1) what += (what.empty() ? "" : " ") + count_text(thing.count);
    const float width = ImGui::CalcTextSize(what.c_str()).x;
    ImGui::SameLine(right - width);
    theme::text(what, theme::kDim);
    if (open) {
        settings(view, thing, s);
        ImGui::TreePop();
    }
    if (s != before) unsaid_.try_emplace({&view, thing.name}, before);
}

/// What the mouse has changed, in Python, once it is let go.
void ThingsPanel::say(const std::vector<std::shared_ptr<View>>& views) {
    if (unsaid_.empty() || ImGui::IsAnyItemActive()) return;
    for (std::size_t i = 0; i < views.size(); ++i)
        for (const auto& [key, before] : unsaid_) {
            if (key.first != views[i].get()) continue;
            for (const std::string& change : changes_of(before, views[i]->settings(key.second)))
                log::info("{}.thing(\"{}\").{}", views[i]->script_name(), key.second, change);
        }
    unsaid_.clear();
}

/// While a step is under way the values before it.
void ThingsPanel::plot(const Probe& probe) {
    constexpr std::size_t kSteps = 500; // as many as there are pixels, about
    std::vector<float>& line = lines_[{probe.item(), probe.index()}];
    if (!is_in_step_) {
        const std::vector<double> values = probe.values(kSteps);
        line.assign(values.begin(), values.end());
    }
    const std::string name = fmt::format("{}[{}]", probe.item(), probe.index());
    theme::text(line.empty() ? name : fmt::format("{}: {:.6g}", name, line.back()), theme::kDim);
    theme::line_plot("##" + name, line, 60);
}

void ThingsPanel::draw(const std::vector<std::shared_ptr<View>>& views, bool is_in_step) {
    is_in_step_ = is_in_step;
    theme::push_font(theme::Font::small);
    bool any = false;
    for (std::size_t i = 0; i < views.size(); ++i) {
        const std::vector<Thing> things = views[i]->things();
        any = any || !things.empty();
        ImGui::PushID(int(i));
        if (views.size() > 1) theme::heading(fmt::format("view {}", i + 1));
        for (std::size_t k = 0; k < things.size(); ++k) {
            ImGui::PushID(int(k)); // names may be equal
            row(*views[i], things[k]);
            ImGui::PopID();
        }
        if (!things.empty()) {
            if (ImGui::SmallButton("Copy camera"))
                ImGui::SetClipboardText(camera_line(*views[i]).c_str());
            theme::tooltip("The line of Python that looks from here (C)");
        }
        for (const auto& probe : views[i]->probes()) plot(*probe);
        ImGui::PopID();
    }
    if (!any) theme::text("Nothing is drawn yet.", theme::kDim);
    say(views);
    theme::pop_font();
}

} // namespace lathe
