# SPDX-License-Identifier: MIT
"""What imgui_internal.h has; it may change with each version of Dear ImGui."""

from lathe.imgui_module import names_of

globals().update(names_of("imgui_internal"))
