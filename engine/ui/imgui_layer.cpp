// SPDX-License-Identifier: MIT
// Own platform backend instead of imgui_impl_glfw: events come from InputState, so that a test's
// key and a user's key take the same way.
#include "engine/ui/imgui_layer.h"

#include "engine/app/window.h"
#include "engine/core/environment.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/core/zone.h"
#include "engine/live/kept_file.h"
#include "engine/ui/imgui_gl.h"
#include "engine/ui/imgui_idle.h"
#include "engine/ui/imgui_input.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

namespace lathe {

namespace {

std::atomic<int> g_errors{0};

/// Layers whose frames are open, that which ImGui spoke to last at the end.
std::vector<const ImGuiLayer*> g_open;

float wanted_scale(const Window& window) {
    float scale = window.pixel_ratio();
    if (const char* text = environment("LATHE_UI_SCALE")) scale *= float(std::atof(text));
    return std::clamp(scale, 0.5f, 4.0f);
}

} // namespace

UiState& ui_state() {
    static UiState without_context;
    if (!ImGui::GetCurrentContext()) return without_context;
    void* const state = ImGui::GetIO().UserData;
    return state ? *static_cast<UiState*>(state) : without_context;
}

ImGuiLayer::ImGuiLayer(Window& window, Look look)
    : window_{window}, scale_{wanted_scale(window)}, wanted_look_{look} {
    IMGUI_CHECKVERSION();
    context_ = ImGui::CreateContext();
    make_current();
    ImGuiIO& io = ImGui::GetIO();
    io.UserData = &state_;
    io.BackendPlatformName = "lathe";
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    io.IniFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    watch_errors();
    plot_context_ = ImPlot::CreateContext();
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    io.ConfigDpiScaleFonts = false;
    ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
    platform.Platform_ClipboardUserData = this;
    platform.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
        auto* self = static_cast<ImGuiLayer*>(ImGui::GetPlatformIO().Platform_ClipboardUserData);
        self->window_.set_clipboard(text);
    };
    platform.Platform_GetClipboardTextFn = [](ImGuiContext*) {
        auto* self = static_cast<ImGuiLayer*>(ImGui::GetPlatformIO().Platform_ClipboardUserData);
        self->clipboard_ = self->window_.clipboard();
        return self->clipboard_.c_str();
    };
    theme::set_look(look);
    theme::apply(scale_);
    theme::load_fonts(scale_);
    begin_imgui_gl();
    give_back();
}

ImGuiLayer::~ImGuiLayer() {
    make_current();
    if (in_frame_) ImGui::EndFrame();
    save_layout();
    window_.context().make_current();
    end_imgui_gl();
    ImPlot::DestroyContext(plot_context_);
    ImGui::DestroyContext(context_);
    std::erase(g_open, this);
    give_back();
}

int ImGuiLayer::errors() { return g_errors; }

/// Misuse is counted and logged; Dear ImGui repairs its stacks and draws no box over the picture.
void ImGuiLayer::watch_errors() {
    ImGuiIO& io = ImGui::GetIO();
    io.ConfigErrorRecoveryEnableAssert = false;
    io.ConfigErrorRecoveryEnableDebugLog = false;
    io.ConfigErrorRecoveryEnableTooltip = false;
    context_->ErrorCallbackUserData = this;
    context_->ErrorCallback = [](ImGuiContext* context, void* user, const char* message) {
        ++g_errors;
        const ImGuiWindow* window = context->CurrentWindow;
        const std::string text =
            fmt::format("{}: {}", window ? window->Name : "no window", message);
        if (static_cast<ImGuiLayer*>(user)->errors_.insert(text).second)
            log::error("Dear ImGui is misused in {}", text);
    };
}

void ImGuiLayer::make_current() const {
    ImGui::SetCurrentContext(context_);
    ImPlot::SetCurrentContext(plot_context_);
    const auto open = std::find(g_open.begin(), g_open.end(), this);
    if (open != g_open.end()) std::rotate(open, open + 1, g_open.end());
}

/// To the layer whose frame is open, if there is one.
void ImGuiLayer::give_back() const noexcept {
    if (g_open.empty()) imgui_idle::make_current();
    else g_open.back()->make_current();
}

bool ImGuiLayer::use_layout(const std::filesystem::path& file) {
    make_current();
    save_layout();
    layout_file_ = file.string();
    if (layout_file_.empty() || !std::filesystem::exists(layout_file_)) return false;
    ImGui::LoadIniSettingsFromDisk(layout_file_.c_str());
    return true;
}

/// Of a failure the log has one line.
void ImGuiLayer::save_layout() {
    if (layout_file_.empty()) return;
    const std::string why = replace_file(layout_file_, ImGui::SaveIniSettingsToMemory());
    if (!why.empty() && why != layout_failure_)
        log::warning("the layout of the panels is not kept: {}", why);
    layout_failure_ = why;
}

void ImGuiLayer::begin_frame(double delta_seconds) {
    make_current();
    if (const float scale = wanted_scale(window_); scale != scale_) {
        scale_ = scale;
        theme::apply(scale_);
        ImGui::GetIO().Fonts->Clear();
        theme::load_fonts(scale_);
    }
    if (theme::look() != wanted_look_) {
        theme::set_look(wanted_look_);
        theme::apply(scale_);
    }
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {float(window_.width()), float(window_.height())};
    io.DisplayFramebufferScale = {1, 1};
    io.DeltaTime = float(std::max(delta_seconds, 1e-4));
    // In slow frames a short press must not count as a held key.
    io.KeyRepeatDelay = std::max(0.3f, 4 * io.DeltaTime);
    for (const InputEvent& event : window_.input().events()) {
        const auto* key = std::get_if<KeyEvent>(&event);
        if (key && key->down && shortcuts && shortcuts(*key)) continue;
        input_.add(event);
    }
    input_.feed();
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    if (!std::exchange(in_frame_, true)) g_open.push_back(this);
}

void ImGuiLayer::rest(bool is_resting) {
    make_current();
    state_.is_resting = is_resting;
    if (is_resting) imgui_idle::make_current();
}

void ImGuiLayer::guard(const std::function<void()>& draw) {
    const ImGuiStacks before;
    const std::size_t panels = state_.panels.size();
    try {
        draw();
    } catch (...) {
        make_current(); // it may have thrown within another layer's frame
        before.restore(true);
        while (state_.panels.size() > panels) state_.panels.pop_back(); // their windows are closed
        state_.same_line = false;
        throw;
    }
}

void ImGuiLayer::end_frame(gl::Framebuffer& target) {
    make_current();
    const Zone zone{"panels by OpenGL", ZoneWork::opengl};
    const auto begin = std::chrono::steady_clock::now();
    show_cursor();
    ImGui::Render();
    in_frame_ = false;
    std::erase(g_open, this);
    target.bind();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    ImGuiIO& io = ImGui::GetIO();
    if (io.WantSaveIniSettings) {
        save_layout();
        io.WantSaveIniSettings = false;
    }
    milliseconds_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    give_back();
}

void ImGuiLayer::show_cursor() {
    const int wanted = ImGui::GetMouseCursor();
    if (wanted == cursor_) return;
    cursor_ = wanted;
    CursorShape shape = CursorShape::arrow;
    if (wanted == ImGuiMouseCursor_TextInput) shape = CursorShape::text;
    if (wanted == ImGuiMouseCursor_ResizeNS) shape = CursorShape::resize_vertically;
    if (wanted == ImGuiMouseCursor_ResizeEW) shape = CursorShape::resize_horizontally;
    if (wanted == ImGuiMouseCursor_Hand) shape = CursorShape::hand;
    window_.set_cursor(shape);
}

bool ImGuiLayer::wants_text() const { return context_->IO.WantTextInput; }

} // namespace lathe
