# SPDX-License-Identifier: MIT
"""The studio by a user's hands: real keys and a real mouse in the editor, on sliders, in the
inspector and the panels.

The script tells its state in a file, and writes what its window shows where it is asked to. Those
pictures stay in pytest's folder.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hands
import pytest

pytestmark = pytest.mark.software  # the inspector

KERNEL = """__device__ float shade(float v) {
    return 0.5f + 0.5f * v;
}
__global__ void wave(float* u, int width, int height, float speed, float time) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    u[y * width + x] = shade(sinf(0.2f * x + speed * time));
}
"""
SCRIPT = """
import json, os, sys
from pathlib import Path
import lathe

folder = Path(sys.argv[1])
app = lathe.App("studio by hand", size=(1280, 720), history="64 MiB")
u = app.zeros((64, 96))
wave = app.kernel(str(folder / "wave.cu"), "wave")
app.param("gain", 1.0, 0.0, 4.0)


while app.frame():
    wave.over(u.shape)(u, 96, 64, time=app.time)
    app.image(u, range=(0, app.parameters["gain"]), name="u")
    slot = wave.slot
    state = {
        "source": slot.source, "state": slot.state, "moving": slot.moving,
        "parameters": dict(app.parameters), "step": app.step,
        "inspecting": str(app.inspecting), "code": str(app.code_pane),
        "presenter": app.presenter, "followed": len(app.followed),
    }
    (folder / "next.json").write_text(json.dumps(state))
    os.replace(folder / "next.json", folder / "state.json")
    wanted = folder / "wanted"
    if wanted.exists():
        name = wanted.read_text()
        wanted.unlink()
        lathe.save_png(str(folder / name), app.screenshot(True))
"""

TEXT, ROW, LETTER = (792, 88), 17.15, 7.0  # of the editor's first letter, in pixels


def place(line: int, column: int) -> tuple[str, str]:
    """The middle of a letter of the text; both count from 1."""
    x, y = TEXT[0] + (column - 0.5) * LETTER, TEXT[1] + (line - 1) * ROW
    return str(round(x)), str(round(y))


class Studio:
    def __init__(self, user: hands.Hands, folder: Path) -> None:
        self.user, self.folder = user, folder

    def state(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "state.json").read_text()))

    def until(self, what: str, done: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        hands.wait(what, lambda: (self.folder / "state.json").exists() and done(self.state()))
        return self.state()

    def rests(self) -> int:
        """The step at which the program pauses: its script does not run then."""
        steps = []
        while len(steps) < 2 or steps[-1] != steps[-2]:
            steps.append(self.state()["step"])
            assert len(steps) < 60, "it does not rest"
            time.sleep(0.5)
        return steps[-1]

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.user.do("key", key, "sleep", "0.12")

    def type(self, text: str) -> None:
        self.user.do("type", "--delay", "45", text)

    def click(self, x: str, y: str, button: str = "1") -> None:
        self.user.do("mousemove", x, y, "sleep", "0.25", "click", button, "sleep", "0.25")

    def picture(self, name: str) -> Path:
        (self.folder / "wanted").write_text(name)
        hands.wait(name, (self.folder / name).exists)
        return self.folder / name


@pytest.fixture
def studio(tmp_path):
    (tmp_path / "wave.cu").write_text(KERNEL)
    script = tmp_path / "by_hand.py"
    script.write_text(SCRIPT)
    with hands.display(tmp_path) as user:
        program = subprocess.Popen(
            [sys.executable, str(script), str(tmp_path)], env=user.environment
        )
        try:
            hands.wait("the window", lambda: user.window("studio by hand"))
            found = user.window("studio by hand")
            assert found is not None
            user.do("windowmove", found, "0", "0", "windowfocus", "--sync", found)
            studio = Studio(user, tmp_path)
            studio.until("a frame", lambda s: s["state"] == "good" and s["step"] > 5)
            yield studio
        finally:
            program.kill()
            program.wait()


def test_text(studio):
    """Typing, completion, undo, numbers that move, comments, search, folds, and going to places."""
    studio.click(*place(2, 30))
    studio.keys("End", "BackSpace")
    studio.type(" * fabsf(v)")
    studio.keys("Escape")
    studio.type(";")
    text = studio.until("typed text", lambda s: "v * fabsf(v);" in s["source"])["source"]
    studio.until("it runs", lambda s: s["state"] == "good")
    studio.picture("1-typed.png")
    for _ in range(40):
        if studio.state()["source"] == KERNEL:
            break
        studio.keys("ctrl+z")
    studio.until("all of it taken back", lambda s: s["source"] == KERNEL)
    studio.keys(*["ctrl+y"] * 40)
    studio.until("made again", lambda s: s["source"] == text)
    studio.keys(*["ctrl+z"] * 40)
    studio.until("and taken back", lambda s: s["source"] == KERNEL)

    studio.click(*place(8, 36))  # 0.2f
    studio.keys("alt+Up")
    studio.until("the next number", lambda s: "sinf(0.21f" in s["source"])
    studio.keys("ctrl+z")
    studio.until("it is taken back", lambda s: s["source"] == KERNEL)
    studio.user.do("mousemove", *place(8, 36), "sleep", "0.3", "keydown", "ctrl", "mousedown", "1")
    for _ in range(6):
        studio.user.do("mousemove_relative", "8", "0", "sleep", "0.1")
    studio.until("the picture follows", lambda s: s["moving"])
    studio.user.do("mouseup", "1", "keyup", "ctrl")
    moved = studio.until("the text has it", lambda s: "sinf(0.2f" not in s["source"])["source"]
    assert moved.count("\n") == KERNEL.count("\n") and "sinf(0." in moved
    studio.picture("2-number.png")
    studio.keys("ctrl+z")
    studio.until("all of the drag taken back", lambda s: s["source"] == KERNEL)

    studio.click(*place(7, 20))
    studio.keys("ctrl+slash")
    studio.until("a comment", lambda s: "// if (x >= width" in s["source"].replace("//if", "// if"))
    studio.keys("ctrl+slash")
    studio.until("text again", lambda s: s["source"] == KERNEL)

    studio.click(*place(8, 26))  # shade
    studio.keys("F12", "End")
    studio.type(" //")
    studio.until("it went to line 1", lambda s: s["source"].startswith(
        "__device__ float shade(float v) { //"))  # fmt: skip
    studio.keys("ctrl+z", "ctrl+z", "ctrl+z")
    studio.until("taken back", lambda s: s["source"] == KERNEL)

    studio.keys("ctrl+f", "ctrl+a")
    studio.type("blockIdx.y")
    studio.keys("Return")
    studio.picture("3-found.png")
    studio.keys("Escape")
    studio.type("gridDim.y")
    studio.keys("Escape")
    studio.until("what was found is replaced", lambda s: "y = gridDim.y *" in s["source"])
    studio.keys(*["ctrl+z"] * 12)
    studio.until("taken back", lambda s: s["source"] == KERNEL)
    studio.click(*place(5, 10))
    studio.keys("ctrl+shift+bracketleft")
    studio.picture("4-folded.png")
    studio.keys("ctrl+shift+bracketright")
    assert studio.state()["source"] == KERNEL


def test_an_error_and_the_way_to_it(studio):
    studio.click(*place(2, 12))
    studio.keys("Home")
    studio.type("wrong ")
    studio.until("an error", lambda s: s["state"] == "failed")
    studio.picture("5-error.png")
    studio.click(*place(9, 1))
    studio.keys("F8", "End")
    studio.type(" //")
    studio.until("F8 went to line 2", lambda s: "0.5f * v; //" in s["source"])
    studio.keys(*["ctrl+z"] * 20)
    studio.until("it runs", lambda s: s["state"] == "good" and s["source"] == KERNEL)


def test_sliders_presets_and_time(studio):
    gain = ("1000", "509")
    before = studio.state()["parameters"]
    studio.click("900", "650")  # out of the text
    studio.user.do("mousemove", "100", "400", "sleep", "0.2")
    studio.keys("shift+1")
    studio.picture("6-sliders.png")
    studio.user.do("mousemove", *gain, "sleep", "0.3", "mousedown", "1", "sleep", "0.2",
                   "mousemove_relative", "60", "0", "sleep", "0.3", "mouseup", "1")  # fmt: skip
    after = studio.until("a slider", lambda s: s["parameters"] != before)["parameters"]
    moved = [name for name in before if before[name] != after[name]]
    assert len(moved) == 1
    studio.user.do("mousemove", "100", "400", "sleep", "0.2")
    studio.keys("1")
    studio.until("the preset", lambda s: s["parameters"] == before)
    studio.keys("space")
    step = studio.rests()
    studio.keys("period")
    studio.until("one step", lambda s: s["step"] == step + 1)
    assert studio.rests() == step + 1
    for key in ("comma", "comma", "period"):  # the script does not run on the way back
        studio.keys(key)
        time.sleep(1)
    studio.until("two back and one on", lambda s: s["step"] == step)
    studio.keys("space")
    studio.until("it goes on", lambda s: s["step"] > step + 3)


def test_the_inspector_and_the_panes(studio):
    studio.user.do("mousemove", "300", "300", "sleep", "0.3")
    studio.keys("F9")
    studio.until("costs", lambda s: s["inspecting"] == "costs")
    end = studio.state()["step"] + 30
    studio.until("some steps", lambda s: s["step"] > end)
    studio.user.do("mousemove", *place(8, 12), "sleep", "1.2")
    studio.picture("7-costs.png")
    studio.keys("F9")
    studio.until("hazards", lambda s: s["inspecting"] == "hazards")
    studio.keys("F9")
    studio.until("off", lambda s: s["inspecting"] == "off")
    studio.keys("F10")
    studio.until("PTX", lambda s: s["code"] == "ptx")
    studio.keys("F10")
    studio.until("machine code", lambda s: s["code"] == "machine")
    studio.picture("8-machine-code.png")
    studio.keys("F10")
    studio.until("no code", lambda s: s["code"] == "off")
    studio.user.do("mousemove", "300", "300", "sleep", "0.3")
    studio.keys("F7")
    studio.until("a thread", lambda s: s["followed"] > 3)
    studio.picture("9-thread.png")
    studio.keys("shift+F11")
    studio.until("the picture with the code", lambda s: s["presenter"])
    studio.picture("10-presenter.png")
    studio.keys("shift+F11")
    studio.until("the panels", lambda s: not s["presenter"])
    studio.keys("F1")
    studio.picture("11-keys.png")
