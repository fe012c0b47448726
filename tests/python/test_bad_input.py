# SPDX-License-Identifier: MIT
"""What goes wrong outside of Lathe: functions of a script that raise, and a disk that is full. A
message says what and where, and the program goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hands
import pytest

import lathe
from lathe.tracebacks import format_error

# -- functions that raise, in a window -------------------------------------------------------------

RAISING = """
import asyncio
import sys
import lathe
from lathe.tracebacks import format_error

app = lathe.App("raising", size=(960, 540), ui=sys.argv[1] == "panels")
step_tries = init_tries = closes = 0


def raises(name):
    def function():
        raise KeyError(f"{name} raised")
    return function


app.on_key("a")(raises("on_key"))
app.on_key_up("a")(raises("on_key_up"))
app.on_mouse("press")(raises("on_mouse"))
app.on_wheel(raises("on_wheel"))
app.on_drop(".npy", ".png", ".obj")(lambda event: [lathe.load(each) for each in event.files])
app.on_resize(raises("on_resize"))
app.on_focus(raises("on_focus"))
app.panel("Broken")(raises("panel"))
seen = []
app.panel("Sound")(lambda: seen.append(lathe.ui.slider("value", 0.25, 0.0, 1.0)))


@app.on_key("c")
async def coroutine():
    await asyncio.sleep(0)
    raise KeyError("coroutine raised")


@app.on_close
def on_close():
    global closes
    closes += 1
    raise KeyError("on_close raised")


x = app.zeros((8, 8))


@app.init
def init():
    global init_tries
    init_tries += 1
    if init_tries == 1:
        raise KeyError("init raised")


@app.frame
def frame(step):
    global step_tries
    step_tries += 1
    if step_tries == 3:
        raise KeyError("frame raised")
    app.image(x)


def events():
    hand = app.input
    yield app.run_control.reset  # after init
    yield lambda: hand.press_key("a")
    yield lambda: hand.release_key("a")
    yield lambda: hand.move_mouse(300, 200)
    yield hand.press_button
    yield hand.release_button
    yield lambda: hand.scroll(0, 1)
    for name in ("gone.npy", "gone.png", "folder.obj"):
        yield lambda: hand.drop_files([name])
    yield lambda: hand.resize(900, 500)
    yield hand.release_all
    yield hand.take_focus
    yield lambda: hand.press_key("c")
    yield app.run_control.reset  # after frame


async def drive():
    for event in events():
        frames = app.frames
        event()
        while app.frames < frames + 4:
            await asyncio.sleep(0.01)
    steps = step_tries
    while step_tries < steps + 5:
        await asyncio.sleep(0.01)
    print("panel", len(seen) > 20, flush=True)
    app.input.close()


async def both():
    await asyncio.gather(app.run_async(), drive())


asyncio.run(both())
print("over", closes, flush=True)
"""
NAMES = (
    "on_key", "on_key_up", "on_mouse", "on_wheel", "on_resize", "on_focus", "on_close",
    "coroutine", "init", "frame",
)  # fmt: skip


@pytest.mark.parametrize("panels", ["panels", "picture"])
def test_functions_that_raise_are_told_with_their_place(tmp_path: Path, panels: str) -> None:
    script = tmp_path / "raising.py"
    script.write_text(RAISING)
    (tmp_path / "folder.obj").mkdir()
    with hands.display(tmp_path) as user:
        done = subprocess.run(
            [sys.executable, str(script), panels], env=user.environment, cwd=tmp_path,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"panel {panels == 'panels'}\nover 1\n"
    told = done.stderr
    names = (*NAMES, "panel") if panels == "panels" else NAMES
    for name in names:
        assert f"KeyError: '{name} raised'" in told
    assert told.count("panel raised") == (panels == "panels"), "once, not in each frame"
    places = [line for line in told.splitlines() if line.startswith('  File "')]
    assert len(places) >= len(names)
    for place in places:
        assert place.startswith(f'  File "{script}", line '), "the user's code alone"
    for message in (
        "lathe.Error: gone.npy was not read: No such file or directory",
        "lathe.Error: cannot read the picture gone.png: No such file or directory",
        "lathe.Error: folder.obj was not read: Is a directory",
    ):
        assert message in told
    assert "has no function for it" not in told
    assert "direct cause" not in told
    assert "misused" not in told


def test_causes_of_the_users_stay_and_lathes_own_go() -> None:
    def user() -> None:
        raise KeyError("the user's")

    def told(call: Callable[[], object]) -> str:
        try:
            call()
        except lathe.Error as error:
            return format_error(error)
        raise AssertionError("nothing was raised")

    def from_own() -> None:
        own: dict[str, Any] = {"user": user, "Error": lathe.Error}
        source = "def call():\n try: user()\n except KeyError as e: raise Error('own') from e\n"
        exec(compile(source, str(Path(lathe.__file__).parent / "made.py"), "exec"), own)
        own["call"]()

    text = told(from_own)
    assert 'KeyError: "the user\'s"' in text
    assert "made.py" not in text
    text = told(lambda: lathe.load("gone.npy"))
    assert text.endswith("lathe.Error: gone.npy was not read: No such file or directory")
    assert "FileNotFoundError" not in text


def test_the_first_error_of_a_frame_is_raised_without_a_window() -> None:
    app = lathe.App("first", size=(16, 16), headless=True)

    @app.on_key
    def first() -> None:
        raise KeyError("number 1")

    @app.on_key
    def second() -> None:
        raise KeyError("number 2")

    app.input.press_key("a")
    with pytest.raises(KeyError, match="number 1"):
        app.run(frames=1)
    app.run(frames=2)


def test_a_panel_that_raises_closes_what_it_opened(capfd: pytest.CaptureFixture[str]) -> None:
    from lathe import imgui

    app = lathe.App("open", size=(640, 400), headless=True, ui=True)

    @app.panel("Broken")
    def broken() -> None:
        imgui.begin_child("child")
        imgui.tree_push("deep")
        imgui.push_style_color(imgui.Col_.text, (1.0, 0.0, 0.0, 1.0))
        raise KeyError("within")

    app.run(frames=5)
    told = capfd.readouterr().err
    assert told.count("KeyError: 'within'") == 1
    assert "misused" not in told
    lines = [text for _, level, text in app.console if level == "error"]
    assert len(lines) == 1
    assert f'File "{__file__}", line ' in lines[0]


# -- a full disk -----------------------------------------------------------------------------------

FILES = (
    "a.npz", "save_png.png", "still.png", "still.svg", "save_exr.exr", "plot.csv", "plot.png",
    "plot.svg", "trace.json", "movie.mp4",
)  # fmt: skip
HAS_FFMPEG = shutil.which("ffmpeg") is not None
PICTURES = "movie/000000.png"  # without ffmpeg a movie is a folder of them
FULL = """
import json
import sys
from collections.abc import Callable
from pathlib import Path
import numpy as np
import lathe
from lathe.tracebacks import format_error

folder = Path(sys.argv[1])
app = lathe.App("full", size=(128, 96), headless=True)
app.frame_limit = 10_000
noise = app.asarray(np.random.default_rng(1).random((64, 64)), "float32", name="noise")
plot = app.log_values("noise")
app.profiler.on = True


@app.frame
def frame(step):
    app.image(noise, range=(0, 1))
    app.title("noise")
    plot(step.time)


def record():
    app.record(folder / "movie.mp4")
    app.run(frames=20)
    return app.stop_recording()


app.run(frames=400)
calls = {
    "a.npz": app.checkpoint,
    "save_png.png": lambda file: lathe.save_png(str(file), app.screenshot()),
    "still.png": lambda file: app.still(file, size=(320, 240)),
    "still.svg": lambda file: app.still(file, size=(320, 240)),
    "save_exr.exr": lambda file: lathe.save_exr(file, noise.get()),
    "plot.csv": plot.save,
    "plot.png": plot.save,
    "plot.svg": plot.save,
    "trace.json": app.profiler.save,
    "movie.mp4": lambda file: record(),
}
for name in calls:
    (folder / name).write_text("old " + name)
with (folder / "filler").open("wb", buffering=0) as filler:
    try:
        while filler.write(bytes(4096)):
            pass
    except OSError:
        pass
there = sorted(folder.iterdir())
found = {}
for name, call in calls.items():
    said = len(app.console)
    try:
        words = str(call(folder / name))
    except lathe.Error as error:
        words = str(error)
    words += "".join(text for _, level, text in app.console[said:] if level == "error")
    found[name] = [words, (folder / name).read_text(errors="replace")]
step = app.step
app.run(frames=3)
found["goes on"] = app.step == step + 3
found["left"] = [file.name for file in folder.rglob("*") if file not in there]
(folder / "filler").unlink()
plot.save(folder / "plot.csv")
found["later"] = (folder / "plot.csv").read_text()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each call said, and what its file has then."""
    folder = tmp_path_factory.mktemp("full")
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("unshare is missing")
    namespace = [unshare, "--mount"] if os.geteuid() == 0 else [unshare, "--mount", "-r"]
    small = 'mount -t tmpfs -o size=64k none "$1" || exit 77; exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        [*namespace, "sh", "-c", small, "sh", str(folder), sys.executable, FULL],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("no small disk can be mounted here")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_full_disk_leaves_the_file_as_it_was(full_disk: dict[str, Any], name: str) -> None:
    words, content = full_disk[name]
    assert content == "old " + name
    assert (PICTURES if name == "movie.mp4" and not HAS_FFMPEG else name) in words
    assert "No space left on device" in words


def test_a_full_disk_ends_no_program_and_has_nothing_half_written(
    full_disk: dict[str, Any],
) -> None:
    assert full_disk["goes on"]
    assert full_disk["left"] == ([] if HAS_FFMPEG else ["movie"])
    assert full_disk["later"].startswith("step,time,noise\n0,")


@pytest.mark.parametrize("name", ["save_png", "save_exr", "profile", "plot"])
def test_a_device_that_is_full_says_so(name: str) -> None:
    app = lathe.App("full", size=(16, 16), headless=True)
    app.run(frames=1)
    picture = app.screenshot()
    calls = {
        "save_png": lambda: lathe.save_png("/dev/full", picture),
        "save_exr": lambda: lathe.save_exr("/dev/full", picture.astype("float32")),
        "profile": lambda: app.profiler.save("/dev/full"),
        "plot": lambda: app.log_values("x").save(Path("/dev/full/x.csv")),
    }
    with pytest.raises(lathe.Error, match=r"cannot write /dev/full.*: (No space|Not a dir)"):
        calls[name]()
