# SPDX-License-Identifier: MIT
"""Dear ImGui and ImPlot from Python: complete, in the App's own context, harmless without one."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

import lathe
from lathe import imgui, imguizmo, implot
from lathe.native import native

LATHE = Path(lathe.__file__).parent


def misuses() -> int:
    return native.widgets.errors()


@pytest.fixture
def studio():
    app = lathe.App("imgui", size=(1280, 720), headless=True, ui=True)
    yield app
    app.close()


def runs(app, draw, frames=6):
    """The window with what `draw` draws in each step's panel."""

    @app.frame
    def frame():
        with app.panel("script"):
            draw()

    app.run(frames=frames)
    return app.screenshot(with_ui=True)


@pytest.mark.parametrize("module", [imgui, imgui.internal, implot, implot.internal, imguizmo])
def test_all_that_the_stubs_name_is_there(module):
    file = inspect.getfile(module)
    names = [
        node.name
        for node in ast.parse(Path(file).with_suffix(".pyi").read_text()).body
        if isinstance(node, ast.FunctionDef)
        or (isinstance(node, ast.ClassDef) and not node.name.endswith("Protocol"))
    ]
    assert names
    assert [name for name in names if not hasattr(module, name)] == []


def test_classes_say_where_they_are_imported_from():
    assert repr(imgui.ImVec2) == "<class 'lathe.imgui.ImVec2'>"
    assert implot.Flags_.__module__ == "lathe.implot"


def test_without_an_app_values_come_back_as_they_were():
    assert imgui.slider_float("speed", 0.5, 0, 1) == (False, 0.5)
    assert not imgui.button("go")
    if implot.begin_plot("nothing"):
        implot.plot_line("y", np.arange(4.0))
        implot.end_plot()


def test_without_panels_a_script_runs_the_same(app):
    values = []

    @app.frame
    def frame():
        with app.panel("state") as visible:
            values.append((visible, imgui.drag_int("n", 3)[1]))
            imgui.push_id("never popped")

    before = misuses()
    app.run(frames=3)
    assert values == [(False, 3)] * 3
    assert misuses() == before


def test_a_slider_follows_the_mouse(studio):
    value = 0.0
    place = imgui.ImVec2()

    def draw():
        nonlocal value, place
        imgui.set_next_item_width(200)
        _, value = imgui.slider_float("##value", value, 0, 10)
        place = imgui.get_item_rect_min()

    runs(studio, draw)
    studio.input.move_mouse(place.x + 150, place.y + 8)
    studio.input.press_button()
    studio.run(frames=2)
    assert 7 < value < 8
    studio.input.release_button()
    studio.run(frames=2)


def test_a_paused_run_keeps_what_its_steps_drew(studio):
    red = imgui.get_color_u32(imgui.ImVec4(1, 0, 0, 1))
    steps = 0

    def draw():
        nonlocal steps
        steps += 1
        at = imgui.get_cursor_screen_pos()
        imgui.get_window_draw_list().add_rect_filled(at, (at.x + 40, at.y + 40), red)
        imgui.begin_child("inner", (0, 80))
        at = imgui.get_cursor_screen_pos()
        imgui.get_window_draw_list().add_rect_filled((at.x, at.y + 50), (at.x + 40, at.y + 70), red)
        imgui.end_child()

    def reddish(picture):
        return (picture[..., 0] > 100) & (picture[..., 1] < 20)

    drawn = runs(studio, draw)
    assert (drawn == (255, 0, 0)).all(axis=2).sum() == 40 * 40 + 40 * 20
    studio.run_control.paused = True
    before = steps
    studio.run(frames=3)
    assert steps == before
    paused = studio.screenshot(with_ui=True)
    assert (reddish(paused) == reddish(drawn)).all()
    assert not (paused == (255, 0, 0)).all(axis=2).any()  # it is dim
    studio.run_control.paused = False
    studio.run(frames=1)
    assert (studio.screenshot(with_ui=True) == (255, 0, 0)).all(axis=2).sum() == 2400


def test_of_several_steps_in_a_frame_one_draws(studio):
    heights = []

    def draw():
        heights.append(imgui.get_cursor_screen_pos().y)
        imgui.text("line")

    runs(studio, draw)
    heights.clear()
    studio.run_control.substeps = 3
    studio.run(frames=2)
    assert len(heights) == 6
    assert heights[0] == heights[3]


@pytest.mark.misuses_imgui
def test_what_is_left_open_spoils_no_other_panel(studio):
    before = misuses()

    def draw():
        imgui.begin_child("child")
        imgui.push_style_color(imgui.Col_.text, (1, 0, 0, 1))
        if implot.begin_plot("plot"):
            implot.plot_line("y", np.arange(5.0))

    runs(studio, draw)
    assert misuses() > before
    assert any("Missing EndChild()" in text for _, _, text in studio.console)
    after = misuses()
    runs(studio, lambda: imgui.text("well"))
    assert misuses() == after


def test_an_exception_in_a_panel_is_no_misuse(studio):
    before = misuses()

    def draw():
        imgui.begin_child("child")
        if implot.begin_plot("plot"):
            raise KeyError("lost")

    with pytest.raises(KeyError):
        runs(studio, draw)
    assert misuses() == before
    runs(studio, lambda: imgui.text("well"))


def test_a_mistake_is_an_exception(studio):
    def draw():
        with pytest.raises(RuntimeError, match="needs to be called between BeginPlot"):
            implot.plot_line("y", np.arange(5.0))

    runs(studio, draw)
    with pytest.raises(RuntimeError, match="new_frame\\(\\) is the App's"):
        imgui.new_frame()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_plots_take_numbers_of_each_type(dtype):
    values = np.arange(8, dtype=dtype)
    if implot.begin_plot("types"):
        implot.plot_line("y", values)
        implot.plot_bars("bars", values)
        implot.end_plot()


def draw_demo_windows():
    """All that Dear ImGui and ImPlot have, with every part of them unfolded."""
    imgui.show_demo_window()
    imgui.begin("Dear ImGui Demo")
    imgui.get_state_storage().set_all_int(1)
    imgui.end()
    implot.show_demo_window()
    imgui.begin("ImPlot Demo")
    imgui.get_state_storage().set_all_int(1)
    imgui.end()
    imgui.show_metrics_window()
    imgui.show_debug_log_window()
    imgui.show_id_stack_tool_window()
    imgui.show_about_window()
    implot.show_metrics_window()
    imgui.begin("style")
    imgui.show_style_editor()
    implot.show_style_editor()
    imgui.show_user_guide()
    implot.show_user_guide()
    imgui.end()


def test_every_demo_window_at_once(studio):
    before = misuses()
    studio.frame(draw_demo_windows)
    studio.run(frames=20)
    assert misuses() == before
