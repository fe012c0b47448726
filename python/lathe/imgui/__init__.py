# SPDX-License-Identifier: MIT
"""Dear ImGui, all of it: ``from lathe import imgui``.

Names are those of Dear ImGui in Python's spelling, as in the package imgui-bundle, whose bindings
they are: ``imgui.slider_float("speed", speed, 0, 2)`` gives (changed, value). Calls in a frame
function, in ``with app.panel("title"):`` or in ``@app.panel("title")`` draw into the App's window.
Where no panels are drawn they do nothing, and values come back as they were.
"""

from lathe.imgui_module import ImVec2Like, ImVec4Like, names_of

globals().update(names_of("imgui"))
__all__ = [*names_of("imgui"), "ImVec2Like", "ImVec4Like"]

from lathe.imgui import internal as internal  # noqa: E402
