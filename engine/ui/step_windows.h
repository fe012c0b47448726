// SPDX-License-Identifier: MIT
// The windows that a program opens in its steps. A frame without a step, while the run is paused or
// a step takes long, shows them as the last step drew them.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace lathe {

class StepWindows {
public:
    /// In a frame of Dear ImGui, after the windows that are there without a step.
    void begin_frame();
    /// After the steps: the windows of this frame are the program's from now on.
    void take();
    /// In a frame without a step. `is_paused`: they are dim, and say why they do not answer.
    void draw(bool is_paused);

private:
    /// A part of a window's picture.
    struct Piece {
        ImVec4 clip;
        ImTextureRef texture;
        std::vector<ImDrawVert> vertices;
        std::vector<ImDrawIdx> indices;
    };
    struct Kept {
        std::string name;
        ImGuiWindowFlags flags = 0;
        ImVec2 position{};
        std::vector<Piece> pieces{};
        int atlas = 0; ///< the picture's letters lie in this texture of the fonts
        bool has_picture = false;
    };
    static void add_pieces(Kept& kept, const ImDrawList& list);
    static void keep_picture(Kept& kept);
    static void draw_pieces(const Kept& kept);

    int first_ = 0; ///< place, in the order of this frame's windows, of the first of the program's
    std::vector<Kept> windows_;
};

} // namespace lathe
