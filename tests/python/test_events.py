# SPDX-License-Identifier: MIT
"""Functions that are called when keys, the mouse and the window tell something."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

import lathe


def app_of(**options: object) -> lathe.App:
    return lathe.App("events", size=(320, 240), headless=True, **options)  # type: ignore[arg-type]


def show(app: lathe.App, frames: int = 1) -> None:
    app.run(frames=frames)


def test_a_key_calls_its_function_once_and_other_keys_do_not() -> None:
    app = app_of()
    told: list[lathe.KeyEvent] = []

    @app.on_key("s", "control+z")
    def save(event: lathe.KeyEvent) -> None:
        told.append(event)

    show(app)
    app.input.press_key("s")
    app.input.press_key("x")
    show(app, 3)
    assert told == [lathe.KeyEvent("s", False, ())]
    app.input.press_key("z", ["control"])
    show(app)
    assert told[1:] == [lathe.KeyEvent("z", False, ("control",))]


def test_a_key_that_is_claimed_is_not_the_run_controls() -> None:
    app = app_of()
    told: list[str] = []

    @app.on_key
    def each(event: lathe.KeyEvent) -> None:
        told.append(event.key)

    show(app)
    app.input.press_key("space")
    app.input.release_key("space")
    show(app)
    assert app.run_control.paused, "a function for all keys claims none"
    app.on_key("space")(lambda: told.append("mine"))
    app.input.press_key("space")
    show(app)
    assert told == ["space", "space", "mine"]
    assert app.run_control.paused


def test_functions_are_called_while_the_run_is_paused_and_may_compute() -> None:
    app = app_of()
    x = app.zeros((4, 4))

    @app.frame
    def frame() -> None:
        app.image(x)

    @app.on_key("b")
    def brighten() -> None:
        x[:] += 0.5

    show(app)
    app.run_control.paused = True
    step = app.step
    app.input.press_key("b")
    show(app)
    assert app.step == step
    assert np.all(x.get() == 0.5)
    assert app.screenshot().mean() > 60


def test_going_back_and_closing_from_a_function() -> None:
    app = app_of(history="1 MiB")
    x = app.zeros(3)

    @app.frame
    def frame(step: lathe.Step) -> None:
        x.fill(float(step.index))

    app.on_key("g")(lambda: app.run_control.go_to(2))
    app.on_key("q")(app.close)

    @app.on_key("h")
    def halt() -> None:
        app.run_control.paused = True

    show(app, 6)
    app.input.press_key("g")
    show(app)
    assert app.step == 2
    assert x.get()[0] == 2
    app.input.press_key("h")
    show(app)
    assert app.step == 2, "the pause holds from the frame of the key"
    app.input.press_key("q")
    app.frame_limit = 1000
    app.run()
    assert app.frames < 20


def test_the_mouse_tells_presses_drags_and_double_clicks() -> None:
    app = app_of()
    told: list[lathe.MouseEvent] = []
    app.on_mouse(lambda event: told.append(event))
    left: list[str] = []
    app.on_mouse("press", "drag", "release", button="left")(lambda event: left.append(event.kind))
    app.input.move_mouse(50, 60)
    app.input.press_button("right", ["shift"])
    app.input.move_mouse(53, 64)
    app.input.release_button("right", ["shift"])
    app.input.press_button()
    app.input.release_button()
    app.input.press_button()
    show(app)
    assert [event.kind for event in told] == [
        "move", "press", "drag", "release", "press", "release", "press", "double_click",
    ]  # fmt: skip
    assert told[1].button == "right"
    assert told[1].modifiers == ("shift",)
    assert told[1].position == (50, 60)
    assert told[2].delta == (3, 4)
    assert left == ["press", "release", "press"]


def test_a_press_that_is_kept_moves_no_camera() -> None:
    app = app_of()
    points = app.asarray(np.zeros((1, 3), "float32"))

    @app.frame
    def frame() -> None:
        app.points(points)

    keeps = False
    app.on_mouse("press")(lambda: keeps)

    def yaw_after_a_drag() -> float:
        app.input.move_mouse(100, 100)
        app.input.press_button()
        show(app)
        app.input.move_mouse(140, 100)
        show(app)
        app.input.release_button()
        show(app)
        return app.orbit_camera.yaw

    show(app, 2)
    first = app.orbit_camera.yaw
    turned = yaw_after_a_drag()
    assert turned != first
    keeps = True
    assert yaw_after_a_drag() == turned


def test_the_mouse_event_knows_cell_view_and_place() -> None:
    app = app_of()
    left, right = app.views(1, 2)
    wide = np.zeros((24, 16), "float32")

    @app.frame
    def frame() -> None:
        left.image(wide)
        right.image(wide)

    told: list[lathe.MouseEvent] = []
    app.on_mouse("press")(told.append)
    show(app, 2)
    for place in ((5, 7), (315, 7)):
        app.input.move_mouse(*place)
        app.input.press_button()
        app.input.release_button()
    show(app)
    assert [event.view for event in told] == [left, right]
    assert told[0].place == pytest.approx((5, 7), abs=0.1)  # a gap of a pixel between tiles
    # Each picture is 160 of 320 pixels wide and 240 high: an element has 10 by 10.
    assert [event.cell for event in told] == [(0, 0), (15, 0)]
    assert 0 < told[1].place[0] < 160


def test_a_pixel_sees_along_a_line_through_what_is_there() -> None:
    app = app_of()
    far = np.array([1e6, -2e6, 3e6])
    points = app.asarray(np.array([[0.3, 0.1, 0.2], [-0.4, 0.3, -0.1]]) + far)

    @app.frame
    def frame() -> None:
        app.points(points, size=9)

    assert app.view.sight_line(0, 0) is None, "nothing was drawn yet"
    app.camera = lathe.Camera(target=tuple(far), distance=3, yaw=0.7, pitch=0.3)
    show(app, 2)
    found = 0
    for y in range(0, 240, 4):
        for x in range(0, 320, 4):
            picked = app.view.pick(x + 0.5, y + 0.5)
            if picked is None:
                continue
            line = app.view.sight_line(x + 0.5, y + 0.5)
            assert line is not None
            origin, direction = line
            assert np.linalg.norm(direction) == pytest.approx(1)
            way = np.array(points.get()[picked.index]) - origin
            assert way @ direction > 0
            off = np.linalg.norm(way - (way @ direction) * direction)
            assert off < 0.1, "within the few pixels of a point"
            found += 1
    assert found > 4


def test_the_wheel_that_is_kept_zooms_nothing() -> None:
    app = app_of()
    points = app.asarray(np.zeros((1, 3), "float32"))
    app.frame(lambda: app.points(points))
    told: list[lathe.WheelEvent] = []

    @app.on_wheel
    def wheel(event: lathe.WheelEvent) -> bool:
        told.append(event)
        return len(told) > 1

    app.input.move_mouse(100, 100)
    show(app, 2)
    before = app.orbit_camera.distance
    app.input.scroll(0, 1)
    show(app)
    zoomed = app.orbit_camera.distance
    assert zoomed != before
    app.input.scroll(0, 1)
    show(app)
    assert app.orbit_camera.distance == zoomed
    assert told[0] == lathe.WheelEvent((0, 1), (100, 100), ())


def test_files_go_to_the_function_for_their_ending(capfd: pytest.CaptureFixture[str]) -> None:
    app = app_of()
    told: list[list[Path]] = []
    app.on_drop(".NPY", ".png")(lambda event: told.append(event.files))
    app.input.drop_files(["a.npy", "b.PNG", "c.txt"])
    app.input.drop_files(["d.txt"])
    show(app)
    assert told == [[Path("a.npy"), Path("b.PNG")]]
    assert "d.txt was dropped: the program has no function for it" in capfd.readouterr().err


def test_size_and_focus_are_told() -> None:
    app = app_of()
    told: list[object] = []
    app.on_resize(lambda event: told.append(event.size))
    app.on_focus(lambda event: told.append(event.focused))
    show(app)
    app.input.resize(200, 100)
    app.input.release_all()
    app.input.take_focus()
    show(app, 2)
    assert told == [False, True, (200, 100)]
    assert app.size == (200, 100)
    with pytest.raises(lathe.Error, match="impossible"):
        app.input.resize(0, 10)


def test_a_window_that_is_to_stay_open_stays() -> None:
    app = app_of()
    app.frame_limit = 50
    asked = []

    @app.on_close
    def close() -> bool:
        asked.append(app.frames)
        return len(asked) == 1

    app.input.close()
    show(app, 3)
    assert len(asked) == 1
    app.input.close()
    app.run()
    assert len(asked) == 2
    assert app.frames < 10


def test_an_error_is_raised_without_a_window_and_the_run_goes_on() -> None:
    app = app_of()
    steps = []
    app.frame(lambda step: steps.append(step.index))
    app.on_key("e")(lambda: 1 / 0)
    app.input.press_key("e")
    with pytest.raises(ZeroDivisionError):
        show(app)
    show(app, 2)
    assert len(steps) >= 2


@pytest.mark.parametrize(
    "wrong", [lambda app: app.on_key("ctrl+s"), lambda app: app.on_key("nothing")]
)
def test_unknown_keys_are_refused(wrong: object) -> None:
    with pytest.raises(lathe.Error, match="unknown"):
        wrong(app_of())(lambda: None)  # type: ignore[operator]


def test_unknown_kinds_are_refused() -> None:
    app = app_of()
    with pytest.raises(ValueError, match="unknown kind"):
        app.on_mouse("hover")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="unknown button"):
        app.on_mouse(button="fourth")  # type: ignore[call-overload]


def test_a_function_that_knows_its_app_does_not_keep_it() -> None:
    def make() -> weakref.ref[lathe.App]:
        app = app_of()
        app.on_key("s")(lambda: app.close())
        app.on_mouse(lambda event: app.size)
        return weakref.ref(app)

    gone = make()
    gc.collect()
    assert gone() is None


def test_panels_keep_their_clicks_and_keys() -> None:
    app = lathe.App("events", size=(1280, 720), headless=True, ui=True)
    told: list[str] = []
    app.on_mouse("press", "double_click")(lambda event: told.append(event.kind))
    app.on_key("k")(lambda: told.append("k"))
    app.frame_limit = 100
    show(app, 4)
    app.input.move_mouse(268, 18)  # play
    app.input.press_button()
    show(app, 2)
    app.input.release_button()
    show(app, 2)
    assert told == []
    app.input.press_key("k")
    show(app)
    assert told == ["k"]
