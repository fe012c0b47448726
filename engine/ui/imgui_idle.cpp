// SPDX-License-Identifier: MIT
#include "engine/ui/imgui_idle.h"

#include "engine/ui/imgui_stacks.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <optional>

namespace lathe::imgui_idle {

namespace {

struct Idle {
    ImGuiContext* context;
    ImPlotContext* plots;
    std::optional<ImGuiStacks> empty; ///< at the beginning of its frame
};

Idle* g_idle = nullptr; // as long as the process

void begin_frame() {
    ImGui::NewFrame();
    g_idle->empty.emplace();
}

} // namespace

void open() {
    if (g_idle) return;
    ImGuiContext* const before = ImGui::GetCurrentContext();
    ImPlotContext* const plots_before = ImPlot::GetCurrentContext();
    g_idle = new Idle{ImGui::CreateContext(), ImPlot::CreateContext(), {}};
    make_current();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.DisplaySize = {1280, 720};
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures; // nobody draws: none are made
    io.ConfigErrorRecoveryEnableAssert = false;
    io.ConfigErrorRecoveryEnableDebugLog = false;
    io.ConfigErrorRecoveryEnableTooltip = false;
    g_idle->context->ErrorCallback = [](ImGuiContext*, void*, const char*) {}; // nobody hears
    begin_frame();
    if (!before || !before->WithinFrameScope) return;
    ImGui::SetCurrentContext(before);
    ImPlot::SetCurrentContext(plots_before);
}

void make_current() {
    if (!g_idle) return;
    ImGui::SetCurrentContext(g_idle->context);
    ImPlot::SetCurrentContext(g_idle->plots);
}

void renew() {
    if (!g_idle) return;
    ImGuiContext* const before = ImGui::GetCurrentContext();
    ImPlotContext* const plots_before = ImPlot::GetCurrentContext();
    make_current();
    g_idle->empty->restore(true);
    ImGui::EndFrame();
    begin_frame();
    ImGui::SetCurrentContext(before);
    ImPlot::SetCurrentContext(plots_before);
}

} // namespace lathe::imgui_idle
