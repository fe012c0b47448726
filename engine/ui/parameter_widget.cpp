// SPDX-License-Identifier: MIT
#include "engine/ui/parameter_widget.h"

#include "engine/live/parameter.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe {

namespace {

/// Digits that a step of a hundredth of the range needs: 0.01..0.1 is shown as 0.0370.
std::string format_of(const Parameter& p) {
    if (!p.min || !p.max) return "%.4g";
    const double step = p.step > 0 ? p.step : (*p.max - *p.min) / 500;
    const int digits = p.log ? 4 : std::clamp(int(std::ceil(-std::log10(step))), 0, 8);
    return p.log ? "%.4g" : fmt::format("%.{}f", digits);
}

double snapped(const Parameter& p, double v) {
    if (p.step <= 0) return v;
    const double origin = p.min.value_or(0);
    return origin + std::round((v - origin) / p.step) * p.step;
}

float drag_speed(const Parameter& p, double now) {
    if (p.step > 0) return float(p.step);
    if (p.min && p.max) return float((*p.max - *p.min) / 300);
    return float(std::max(std::abs(now) * 0.01, 0.001));
}

bool edit_real(Parameter& p) {
    double v = std::get<double>(p.value);
    const std::string format = format_of(p);
    const double* low = p.min ? &*p.min : nullptr;
    const double* high = p.max ? &*p.max : nullptr;
    int flags = p.log ? ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat : 0;
    bool changed = false;
    if (p.widget == ParameterWidget::slider && low && high) {
        changed =
            ImGui::SliderScalar("##v", ImGuiDataType_Double, &v, low, high, format.c_str(), flags);
    } else {
        if (!low || !high) flags = 0;
        changed = ImGui::DragScalar("##v", ImGuiDataType_Double, &v, drag_speed(p, v), low, high,
                                    format.c_str(), flags);
    }
    if (!changed) return false;
    const auto fitting = convert(p, snapped(p, v));
    if (fitting) p.value = *fitting;
    return fitting.has_value();
}

bool edit_integer(Parameter& p) {
    auto v = std::get<std::int64_t>(p.value);
    const auto low = std::int64_t(p.min.value_or(0)), high = std::int64_t(p.max.value_or(0));
    const bool bounded = p.min && p.max;
    const bool changed =
        bounded && p.widget == ParameterWidget::slider
            ? ImGui::SliderScalar("##v", ImGuiDataType_S64, &v, &low, &high, "%lld",
                                  p.log ? ImGuiSliderFlags_Logarithmic : 0)
            : ImGui::DragScalar("##v", ImGuiDataType_S64, &v, 0.1f, p.min ? &low : nullptr,
                                p.max ? &high : nullptr, "%lld");
    if (!changed) return false;
    const auto fitting = convert(p, std::int64_t(snapped(p, double(v))));
    if (fitting) p.value = *fitting;
    return fitting.has_value();
}

/// The whole #RRGGBB fits a narrow panel, too.
bool edit_color(std::vector<double>& v) {
    std::array<float, 4> rgba{};
    std::copy(v.begin(), v.end(), rgba.begin());
    const bool is_narrow = ImGui::GetContentRegionAvail().x < theme::px(110);
    if (is_narrow) {
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                            {theme::px(4), ImGui::GetStyle().FramePadding.y + theme::px(1)});
        theme::push_font(theme::Font::small);
    }
    const int flags = ImGuiColorEditFlags_DisplayHex | ImGuiColorEditFlags_AlphaPreviewHalf;
    const bool changed = v.size() == 4 ? ImGui::ColorEdit4("##v", rgba.data(), flags)
                                       : ImGui::ColorEdit3("##v", rgba.data(), flags);
    if (is_narrow) {
        theme::pop_font();
        ImGui::PopStyleVar();
    }
    if (changed) std::copy_n(rgba.begin(), v.size(), v.begin());
    return changed;
}

bool edit_vector(Parameter& p) {
    auto& v = std::get<std::vector<double>>(p.value);
    if (p.widget == ParameterWidget::color) return edit_color(v);
    const double* low = p.min ? &*p.min : nullptr;
    const double* high = p.max ? &*p.max : nullptr;
    const int n = int(v.size());
    const std::string format = p.whole ? "%.0f" : format_of(p);
    const bool changed = p.widget == ParameterWidget::slider
                             ? ImGui::SliderScalarN("##v", ImGuiDataType_Double, v.data(), n, low,
                                                    high, format.c_str())
                             : ImGui::DragScalarN("##v", ImGuiDataType_Double, v.data(), n,
                                                  drag_speed(p, v[0]), low, high, format.c_str());
    if (!changed) return false;
    if (const auto fitting = convert(p, p.value)) p.value = *fitting;
    return true;
}

bool edit_choice(Parameter& p) {
    bool changed = false;
    if (!ImGui::BeginCombo("##v", format_value(p).c_str())) return false;
    for (std::size_t i = 0; i < p.choices.size(); ++i) {
        const auto value = p.choice_values.empty() ? std::int64_t(i) : p.choice_values[i];
        const bool selected = std::get<std::int64_t>(p.value) == value;
        if (ImGui::Selectable(p.choices[i].c_str(), selected)) {
            p.value = value;
            changed = true;
        }
    }
    ImGui::EndCombo();
    return changed;
}

bool edit_boolean(Parameter& p) {
    bool v = std::get<bool>(p.value);
    if (!ImGui::Checkbox("##v", &v)) return false;
    p.value = v;
    return true;
}

} // namespace

bool edit_parameter(Parameter& p) {
    switch (p.kind) {
    case ParameterKind::real: return edit_real(p);
    case ParameterKind::integer: return edit_integer(p);
    case ParameterKind::boolean: return edit_boolean(p);
    case ParameterKind::choice: return edit_choice(p);
    case ParameterKind::vector: return edit_vector(p);
    }
    return false;
}

} // namespace lathe
