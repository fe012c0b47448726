// SPDX-License-Identifier: MIT
#include "engine/ui/wait_hint.h"

#include "engine/app/window.h"
#include "engine/core/resources.h"
#include "engine/ui/imgui_gl.h"
#include "engine/ui/theme.h"
#include "gl/context.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>

namespace lathe {

/// The hint's contexts while it lives, then those before.
class WaitHint::Current {
public:
    explicit Current(const WaitHint& hint)
        : gl_{hint.window_.context()}, before_{ImGui::GetCurrentContext()} {
        ImGui::SetCurrentContext(hint.context_);
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() { ImGui::SetCurrentContext(before_); }

private:
    gl::RestoreContext gl_;
    ImGuiContext* before_;
};

WaitHint::WaitHint(Window& window) : window_{window} {
    ImGuiContext* before = ImGui::GetCurrentContext();
    context_ = ImGui::CreateContext(); // becomes current where none was
    ImGui::SetCurrentContext(before);
    const Current here{*this};
    gl::Framebuffer& screen = window.screen();
    kept_ = gl::Framebuffer{screen.width(), screen.height()};
    screen.blit_to(kept_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    const float pixels = 17 * std::clamp(window.pixel_ratio(), 0.5f, 4.0f);
    const auto font = resource_root() / "assets" / "fonts" / "Inter-Medium.otf";
    if (std::filesystem::exists(font)) io.Fonts->AddFontFromFileTTF(font.string().c_str(), pixels);
    begin_imgui_gl();
}

WaitHint::~WaitHint() {
    const Current here{*this};
    end_imgui_gl();
    ImGuiContext* own = context_;
    kept_ = {};
    ImGui::DestroyContext(own);
}

void WaitHint::show(const std::string& text) {
    const Current here{*this};
    gl::Framebuffer& screen = window_.screen();
    kept_.blit_to(screen);
    ImGuiIO& io = ImGui::GetIO();
    const ImVec2 size{float(screen.width()), float(screen.height())};
    io.DisplaySize = size;
    io.DeltaTime = 0.05f;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    ImDrawList& draw = *ImGui::GetForegroundDrawList();
    draw.AddRectFilled({0, 0}, size, theme::packed(0, 0.35f));
    const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
    const float pad = 0.8f * extent.y;
    const ImVec2 at{(size.x - extent.x) / 2, (size.y - extent.y) / 2};
    draw.AddRectFilled({at.x - pad, at.y - pad}, {at.x + extent.x + pad, at.y + extent.y + pad},
                       theme::packed(theme::kPanel, 0.95f), pad / 2);
    draw.AddText(at, theme::packed(theme::kText), text.c_str());
    ImGui::Render();
    screen.bind();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    window_.present();
}

} // namespace lathe
