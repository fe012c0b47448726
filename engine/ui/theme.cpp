// SPDX-License-Identifier: MIT
#include "engine/ui/theme.h"

#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "engine/ui/ui_state.h"

#include <cmath>
#include <filesystem>
#include <vector>

namespace lathe::theme {

namespace fs = std::filesystem;

namespace {

fs::path first_existing(const std::vector<fs::path>& files) {
    for (const auto& file : files)
        if (std::error_code ignored; fs::exists(file, ignored)) return file;
    return {};
}

ImFont* load(const fs::path& file, float size) {
    ImGuiIO& io = ImGui::GetIO();
    ImFont* font = nullptr;
    ImFontConfig config;
    config.OversampleH = 2;
    config.OversampleV = 1;
    if (!file.empty()) {
        font = io.Fonts->AddFontFromFileTTF(file.c_str(), std::round(size), &config);
    }
    return font ? font : io.Fonts->AddFontDefault();
}

} // namespace

ImVec4 color(unsigned rgb, float alpha) {
    if (look() == Look::light) rgb = in_light(rgb);
    return {float(rgb >> 16 & 255) / 255, float(rgb >> 8 & 255) / 255, float(rgb & 255) / 255,
            alpha};
}

ImU32 packed(unsigned rgb, float alpha) {
    return ImGui::ColorConvertFloat4ToU32(color(rgb, alpha));
}

float px(float at_scale_one) { return std::round(at_scale_one * ui_state().scale); }
float scale() { return ui_state().scale; }

void apply(float scale) {
    ui_state().scale = scale;
    ImGuiStyle& s = ImGui::GetStyle();
    s = ImGuiStyle{};
    s.WindowPadding = {px(10), px(8)};
    s.FramePadding = {px(8), px(4)};
    s.ItemSpacing = {px(8), px(6)};
    s.ItemInnerSpacing = {px(6), px(4)};
    s.CellPadding = {px(6), px(3)};
    s.IndentSpacing = px(14);
    s.ScrollbarSize = px(11);
    s.GrabMinSize = px(10);
    s.WindowBorderSize = 0;
    s.ChildBorderSize = 0;
    s.PopupBorderSize = 1;
    s.FrameBorderSize = 0;
    s.TabBorderSize = 0;
    s.WindowRounding = 0;
    s.ChildRounding = px(3);
    s.FrameRounding = px(4);
    s.PopupRounding = px(5);
    s.ScrollbarRounding = px(6);
    s.GrabRounding = px(3);
    s.TabRounding = px(4);
    s.TabMinWidthShrink = FLT_MAX; // titles are not cut: arrows lead to the others
    s.WindowTitleAlign = {0, 0.5f};
    s.WindowMenuButtonPosition = ImGuiDir_None;
    s.AntiAliasedLinesUseTex = true;

    ImVec4* c = s.Colors;
    const auto set = [c](ImGuiCol which, unsigned rgb, float alpha = 1) {
        c[which] = color(rgb, alpha);
    };
    set(ImGuiCol_Text, kText);
    set(ImGuiCol_TextDisabled, kDim);
    set(ImGuiCol_WindowBg, kPanel);
    set(ImGuiCol_ChildBg, kPanel, 0);
    set(ImGuiCol_PopupBg, kPopup);
    set(ImGuiCol_Border, kLine);
    set(ImGuiCol_FrameBg, kField);
    set(ImGuiCol_FrameBgHovered, kFieldHover);
    set(ImGuiCol_FrameBgActive, kFieldActive);
    set(ImGuiCol_TitleBg, kBackground);
    set(ImGuiCol_TitleBgActive, kBackground);
    set(ImGuiCol_TitleBgCollapsed, kBackground);
    set(ImGuiCol_MenuBarBg, kBackground);
    set(ImGuiCol_ScrollbarBg, kPanel, 0);
    set(ImGuiCol_ScrollbarGrab, 0x39414e);
    set(ImGuiCol_ScrollbarGrabHovered, 0x4a5565);
    set(ImGuiCol_ScrollbarGrabActive, 0x5b687c);
    set(ImGuiCol_CheckMark, kAccent);
    set(ImGuiCol_SliderGrab, 0x3a78b0);
    set(ImGuiCol_SliderGrabActive, 0x4a8fcb);
    set(ImGuiCol_Button, kField);
    set(ImGuiCol_ButtonHovered, kFieldHover);
    set(ImGuiCol_ButtonActive, kFieldActive);
    set(ImGuiCol_Header, 0x28303b);
    set(ImGuiCol_HeaderHovered, kFieldHover);
    set(ImGuiCol_HeaderActive, kFieldActive);
    set(ImGuiCol_Separator, kLine);
    set(ImGuiCol_SeparatorHovered, kAccent, 0.6f);
    set(ImGuiCol_SeparatorActive, kAccent);
    set(ImGuiCol_ResizeGrip, kLine, 0);
    set(ImGuiCol_ResizeGripHovered, kAccent, 0.6f);
    set(ImGuiCol_ResizeGripActive, kAccent);
    set(ImGuiCol_Tab, kBackground);
    set(ImGuiCol_TabHovered, kFieldHover);
    set(ImGuiCol_TextSelectedBg, kAccent, 0.35f);
    set(ImGuiCol_DragDropTarget, kAccent);
    set(ImGuiCol_NavWindowingHighlight, kAccent, 0.5f);
    set(ImGuiCol_ModalWindowDimBg, 0x000000, 0.5f);
    set(ImGuiCol_TableHeaderBg, kPanel);
    set(ImGuiCol_TableBorderStrong, kLine);
    set(ImGuiCol_TableBorderLight, kLine);
    set(ImGuiCol_PlotLines, kAccent);
    set(ImGuiCol_PlotLinesHovered, 0x7cbcf2);
    set(ImGuiCol_PlotHistogram, kAccent);
    s.DockingSeparatorSize = px(3);
    s.TabBarBorderSize = 0;
    s.TabBarOverlineSize = px(2);
    s.TabCloseButtonMinWidthSelected = 0;
    s.TabCloseButtonMinWidthUnselected = 0;
    s.SeparatorTextBorderSize = 1;
    set(ImGuiCol_TabSelected, kPanel);
    set(ImGuiCol_TabSelectedOverline, kAccent, 0.9f);
    set(ImGuiCol_TabDimmed, kBackground);
    set(ImGuiCol_TabDimmedSelected, kPanel);
    set(ImGuiCol_TabDimmedSelectedOverline, kLine, 0);
    set(ImGuiCol_DockingPreview, kAccent, 0.4f);
    set(ImGuiCol_DockingEmptyBg, kBackground);
    set(ImGuiCol_NavCursor, kAccent, 0.7f);
}

void load_fonts(float scale) {
    const fs::path own = resource_root() / "assets" / "fonts", system = "/usr/share/fonts/truetype";
    const fs::path ui = first_existing({own / "Inter-Medium.otf",
                                        "/usr/share/fonts/opentype/inter/Inter-Medium.otf",
                                        system / "dejavu" / "DejaVuSans.ttf"});
    const fs::path code = first_existing({own / "JetBrainsMono-Regular.ttf",
                                          system / "jetbrains-mono" / "JetBrainsMono-Regular.ttf",
                                          system / "dejavu" / "DejaVuSansMono.ttf"});
    if (ui.empty() || code.empty())
        log::warning("fonts are missing below {}; the interface uses ImGui's own", own.string());
    auto& fonts = ui_state().fonts;
    fonts[std::size_t(Font::ui)] = load(ui, kUiFontSize * scale);
    fonts[std::size_t(Font::code)] = load(code, kCodeFontSize * scale);
    fonts[std::size_t(Font::small)] = fonts[std::size_t(Font::ui)];
    fonts[std::size_t(Font::large_code)] = fonts[std::size_t(Font::code)];
    ImGui::GetIO().FontDefault = fonts[std::size_t(Font::ui)];
    ImGui::GetStyle().FontSizeBase = std::round(kUiFontSize * scale);
}

void push_font(Font font) {
    constexpr float kSizes[] = {kUiFontSize, kSmallFontSize, kCodeFontSize, 1.25f * kCodeFontSize};
    constexpr float kLargeLines = 30; // of a window
    const UiState& state = ui_state();
    float size = kSizes[int(font)] * state.scale;
    if (font == Font::large_code)
        size = std::max(size, ImGui::GetMainViewport()->Size.y / kLargeLines);
    ImGui::PushFont(state.fonts[std::size_t(font)], std::round(size));
}

void pop_font() { ImGui::PopFont(); }

} // namespace lathe::theme
