# SPDX-License-Identifier: MIT
"""What a script says of its window's panels, and what the menu starts beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lathe
from lathe import launcher
from lathe.options import RunOptions
from lathe.sketch_run import run_sketch


def test_panels_are_arranged_hidden_and_coloured() -> None:
    app = lathe.App("panels", size=(1280, 720), headless=True, ui=True)
    for _ in range(4):
        assert app.frame()
    dark = app.screenshot(with_ui=True)
    wide = app.screenshot().shape[1]
    app.arrange("picture")
    app.theme = "light"
    for _ in range(4):
        assert app.frame()
    assert app.theme == "light"
    assert app.screenshot(with_ui=True)[4, 700].mean() > dark[4, 700].mean() + 150
    assert app.screenshot().shape[1] > wide + 80
    app.arrange("default")
    lower = ("Parameters", "Things", "Profiler", "Console", "Thread", "Values", "History")
    for title in ("Kernels", *lower):
        app.show_panel(title, False)
    for _ in range(4):
        assert app.frame()
    assert app.screenshot().shape[1] == 1280, "nobody else needs the room"
    app.presenter = True
    assert app.presenter
    for _ in range(3):
        assert app.frame()
    assert app.screenshot().shape[:2] == (720, 1280)
    app.picture_only = True
    assert not app.presenter
    app.picture_only = False
    with pytest.raises(ValueError, match="default, code or picture, got round"):
        app.arrange("round")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no panel Picture"):
        app.show_panel("Picture")
    with pytest.raises(ValueError, match="theme is 'dark' or 'light', got 'blue'"):
        app.theme = "blue"  # type: ignore[assignment]


def test_a_tap_on_a_tab_opens_its_panel() -> None:
    app = lathe.App("tap", size=(1280, 720), headless=True, ui=True)
    app.run(frames=8)
    count = len(app.profiler.frames)
    app.run(frames=3)
    assert len(app.profiler.frames) == count, "it measures while it is seen"
    app.input.move_mouse(949, 446)
    app.input.press_button()
    app.input.release_button()
    app.run(frames=6)
    assert len(app.profiler.frames) > count


def test_a_recording_ends_when_it_is_told_to(tmp_path: Path) -> None:
    app = lathe.App("movie", size=(64, 48), headless=True)
    assert app.stop_recording() is None
    app.record(tmp_path / "never.mp4")
    assert app.stop_recording() is None, "no frame came"
    app.record(tmp_path / "some.mp4")
    for _ in range(4):
        assert app.frame()
    written = app.stop_recording()
    assert written is not None
    assert written.exists()
    assert list(tmp_path.iterdir()) == [written]


def test_a_new_sketch_has_a_free_name_and_runs(tmp_path: Path) -> None:
    first, second = (launcher.new_sketch(tmp_path) for _ in range(2))
    assert (first.name, second.name) == ("sketch.cu", "sketch-2.cu")
    options = RunOptions(name="sketch", script=second, frames=2, headless=True, size=(64, 36))
    run_sketch(second, options)
    assert options.app is not None
    picture = options.app.screenshot()
    assert picture.std() > 10


def test_what_starts_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    said: list[str] = []

    def popen(command: list[str], **_: Any) -> None:
        started.append(command)

    monkeypatch.setattr(subprocess, "Popen", popen)
    launcher.start(said.append, "run", "my sketch.cu")
    assert said == ["lathe run 'my sketch.cu'"]
    assert started == [[sys.executable, "-P", "-m", "lathe", "run", "my sketch.cu"]]


def frames_of(movie: Path) -> int:
    counted = subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames",
         "-of", "csv=p=0", str(movie)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(counted.stdout.strip().rstrip(","))


@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffprobe is not installed")
def test_control_r_records_and_ends_while_the_loop_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = lathe.App("keys", size=(640, 360), headless=True, ui=True)
    app.frame_limit = 10_000
    field = app.zeros((8, 8))
    steps: list[int] = []

    @app.frame
    def frame(step: lathe.Step) -> None:
        app.image(field, range=(0, 1))
        steps.append(step.index)
        if step.index in (4, 14, 24, 30):
            app.input.press_key("r", ["control"])
            app.input.release_key("r", ["control"])

    app.run(frames=40)
    assert len(steps) == 40, "the loop went on"
    written = sorted((tmp_path / "out" / "keys").iterdir())
    assert [file.name for file in written] == ["keys-1.mp4", "keys-2.mp4"]
    assert [frames_of(file) for file in written] == [10, 6]
