# SPDX-License-Identifier: MIT
"""ImGuizmo: handles that move, turn and scale what a matrix places, over `lathe.imgui`."""

from functools import wraps

from lathe.imgui_module import begins_frame, names_of

globals().update(names_of("imguizmo"))
im_guizmo = globals()["im_guizmo"]


def _after_begin(function):  # type: ignore[no-untyped-def]
    """The App begins the frames: without a begin of its own ImGuizmo takes hold only once."""

    @wraps(function)
    def call(*arguments, **named):  # type: ignore[no-untyped-def]
        if begins_frame():
            _begin_frame()
        return function(*arguments, **named)

    return call


_begin_frame = im_guizmo.begin_frame
for _name, _value in list(vars(im_guizmo).items()):
    if callable(_value) and not isinstance(_value, type) and not _name.startswith("_"):
        setattr(im_guizmo, _name, _after_begin(_value))
