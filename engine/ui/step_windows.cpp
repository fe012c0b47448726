// SPDX-License-Identifier: MIT
#include "engine/ui/step_windows.h"

#include "engine/ui/ui_state.h"

#include <imgui_internal.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace lathe {

namespace {

constexpr ImGuiWindowFlags kPassing = ImGuiWindowFlags_ChildWindow | ImGuiWindowFlags_Tooltip |
                                      ImGuiWindowFlags_Popup | ImGuiWindowFlags_Modal |
                                      ImGuiWindowFlags_ChildMenu | ImGuiWindowFlags_DockNodeHost;

/// As the program gave them: what is docked is a child of its node for Dear ImGui.
ImGuiWindowFlags own_flags(const ImGuiWindow& window) {
    constexpr ImGuiWindowFlags kOfNode = ImGuiWindowFlags_ChildWindow | ImGuiWindowFlags_NoResize;
    return window.DockIsActive ? window.Flags & ~kOfNode : window.Flags;
}

int fonts_texture() { return ImGui::GetIO().Fonts->TexData->UniqueID; }

} // namespace

void StepWindows::begin_frame() { first_ = ImGui::GetCurrentContext()->WindowsActiveCount; }

void StepWindows::take() {
    windows_.clear();
    std::vector<const ImGuiWindow*> found;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (window->LastFrameActive == ImGui::GetFrameCount() &&
            window->BeginOrderWithinContext >= first_ && !(own_flags(*window) & kPassing) &&
            std::string_view{window->Name} != kUnseenWindow)
            found.push_back(window);
    std::ranges::sort(found, {}, &ImGuiWindow::BeginOrderWithinContext);
    for (const ImGuiWindow* window : found)
        windows_.push_back({.name = window->Name, .flags = own_flags(*window)});
}

void StepWindows::add_pieces(Kept& kept, const ImDrawList& list) {
    for (const ImDrawCmd& command : list.CmdBuffer) {
        if (command.UserCallback || command.ElemCount == 0) continue;
        const ImDrawIdx* const begin = list.IdxBuffer.Data + command.IdxOffset;
        const auto [low, high] = std::minmax_element(begin, begin + command.ElemCount);
        const ImDrawVert* const vertices = list.VtxBuffer.Data + command.VtxOffset;
        Piece piece{command.ClipRect, command.TexRef, {vertices + *low, vertices + *high + 1}, {}};
        for (unsigned i = 0; i < command.ElemCount; ++i)
            piece.indices.push_back(ImDrawIdx(begin[i] - *low));
        kept.pieces.push_back(std::move(piece));
    }
}

/// The lists of a window are those of its last frame until it begins again.
void StepWindows::keep_picture(Kept& kept) {
    if (std::exchange(kept.has_picture, true)) return;
    const ImGuiWindow* window = ImGui::FindWindowByName(kept.name.c_str());
    if (!window || window->Hidden) return;
    kept.position = window->Pos;
    kept.atlas = fonts_texture();
    const auto add = [&](const auto& self, const ImGuiWindow& each) -> void {
        add_pieces(kept, *each.DrawList);
        for (const ImGuiWindow* child : each.DC.ChildWindows)
            if (child->WasActive && !child->Hidden && !(child->Flags & ImGuiWindowFlags_Popup))
                self(self, *child);
    };
    add(add, *window);
}

void StepWindows::draw_pieces(const Kept& kept) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    const ImVec2 moved{at.x - kept.position.x, at.y - kept.position.y};
    list.PushClipRect(at, {at.x + size.x, at.y + size.y});
    for (const Piece& piece : kept.pieces) {
        list.PushClipRect({piece.clip.x + moved.x, piece.clip.y + moved.y},
                          {piece.clip.z + moved.x, piece.clip.w + moved.y}, true);
        list.PushTexture(piece.texture);
        list.PrimReserve(int(piece.indices.size()), int(piece.vertices.size()));
        const unsigned first = list._VtxCurrentIdx;
        for (const ImDrawIdx index : piece.indices) list.PrimWriteIdx(ImDrawIdx(first + index));
        for (const ImDrawVert& vertex : piece.vertices)
            list.PrimWriteVtx({vertex.pos.x + moved.x, vertex.pos.y + moved.y}, vertex.uv,
                              vertex.col);
        list.PopTexture();
        list.PopClipRect();
    }
    list.PopClipRect();
}

void StepWindows::draw(bool is_paused) {
    ImGuiContext& context = *ImGui::GetCurrentContext();
    for (Kept& kept : windows_) {
        keep_picture(kept);
        if (kept.atlas != fonts_texture()) kept.pieces.clear(); // the letters lie elsewhere now
        if (ImGui::Begin(kept.name.c_str(), nullptr, kept.flags)) {
            draw_pieces(kept);
            // What is dragged there stays so until the next step.
            if (context.ActiveIdWindow &&
                context.ActiveIdWindow->RootWindow == context.CurrentWindow)
                ImGui::KeepAliveID(context.ActiveId);
            if (is_paused) {
                const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
                ImGui::GetWindowDrawList()->AddRectFilled(
                    at, {at.x + size.x, at.y + size.y},
                    ImGui::GetColorU32(ImGuiCol_WindowBg, 0.5f));
                if (ImGui::IsWindowHovered())
                    ImGui::SetTooltip("Drawn by the program's steps, and the run is paused");
            }
        }
        ImGui::End();
    }
}

} // namespace lathe
