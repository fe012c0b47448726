// SPDX-License-Identifier: MIT
#include "engine/ui/view_panel.h"

#include "engine/ui/theme.h"
#include "gl/framebuffer.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lathe {

namespace {

ImTextureID texture_id(unsigned name) { return ImTextureID(name); }

} // namespace

void ViewPanel::draw(const gl::Framebuffer& scene, bool red_edge, const std::string& message) {
    const ImVec2 corner = ImGui::GetCursorScreenPos(), free = ImGui::GetContentRegionAvail();
    size_ = {std::max(int(free.x), 1), std::max(int(free.y), 1)};
    const glm::vec2 picture{scene.width(), scene.height()};
    float scale = std::min(free.x / picture.x, free.y / picture.y);
    if (scale > 0.98f && scale < 1.02f) scale = 1; // never resample for a rounding error
    const glm::vec2 size = glm::vec2{std::floor(picture.x * scale), std::floor(picture.y * scale)};
    viewport_.size = {std::max(size.x, 1.0f), std::max(size.y, 1.0f)};
    viewport_.origin = {corner.x + std::floor((free.x - size.x) / 2),
                        corner.y + std::floor((free.y - size.y) / 2)};

    const ImVec2 low{viewport_.origin.x, viewport_.origin.y}, high{low.x + size.x, low.y + size.y};
    ImGui::SetCursorScreenPos(low);
    ImGui::InvisibleButton("picture", {viewport_.size.x, viewport_.size.y},
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                               ImGuiButtonFlags_MouseButtonMiddle);
    had_mouse_ = ImGui::IsItemHovered() || ImGui::IsItemActive();
    mouse_ = {ImGui::GetMousePos().x, ImGui::GetMousePos().y};
    id_ = ImGui::GetItemID();
    window_id_ = ImGui::GetCurrentWindow()->ID;
    mouse_rests_ =
        ImGui::IsItemHovered(ImGuiHoveredFlags_Stationary | ImGuiHoveredFlags_DelayShort) &&
        !ImGui::IsAnyMouseDown();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    // GL's rows count upward: the picture is turned here.
    draw.AddImage(texture_id(scene.color().id()), low, high, {0, 1}, {1, 0});
    if (red_edge)
        theme::outline(draw, {corner.x + 1, corner.y + 1},
                       {corner.x + free.x - 1, corner.y + free.y - 1}, theme::packed(theme::kError),
                       0, theme::px(2));
    if (message.empty()) return;
    const float pad = theme::px(10);
    const ImVec2 extent = ImGui::CalcTextSize(message.c_str(), nullptr, false, free.x - 4 * pad);
    const ImVec2 at{corner.x + 2 * pad, corner.y + free.y - extent.y - 2 * pad};
    draw.AddRectFilled({at.x - pad, at.y - pad * 0.7f},
                       {at.x + extent.x + pad, at.y + extent.y + pad * 0.7f},
                       theme::packed(theme::kPanel, 0.92f), theme::px(5));
    draw.AddText(nullptr, 0, at, theme::packed(theme::kText), message.c_str(), nullptr,
                 free.x - 4 * pad);
}

bool ViewPanel::has_mouse(glm::vec2 place) const {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (place == mouse_) return had_mouse_;
    if (g.ActiveId != 0 && g.ActiveId == id_) return true; // a drag that began there goes on
    if (g.ActiveId != 0 && !g.ActiveIdAllowOverlap) return false;
    ImGuiWindow *hovered = nullptr, *below = nullptr;
    ImGui::FindHoveredWindowEx({place.x, place.y}, false, &hovered, &below);
    if (!hovered || hovered->ID != window_id_ || !viewport_.contains(place)) return false;
    ImRect inside = hovered->Rect(); // its edges may be those that a drag moves
    inside.Expand(-g.Style.WindowBorderHoverPadding);
    return inside.Contains({place.x, place.y}) && ImGui::IsWindowContentHoverable(hovered);
}

} // namespace lathe
