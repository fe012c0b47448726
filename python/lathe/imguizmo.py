# SPDX-License-Identifier: MIT
"""ImGuizmo: handles that move, turn and scale what a matrix places, over `lathe.imgui`."""

from lathe.imgui_module import names_of

globals().update(names_of("imguizmo"))
