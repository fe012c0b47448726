# SPDX-License-Identifier: MIT
"""Programs with a window (under Xvfb) that go wrong: the window stays and can be mended."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap

import pytest
from conftest import script_environment

pytestmark = [
    pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="Xvfb is not installed"),
    pytest.mark.software,
]


class Program:
    """A script under Xvfb whose lines are read as they come."""

    def __init__(self, folder, *command):
        self.folder = folder
        self.environment = script_environment(
            LATHE_CACHE_DIR=str(folder / "cache"), LATHE_SOFT_TIMEOUT_MS="300"
        )
        self.process = subprocess.Popen(
            ["xvfb-run", "-a", sys.executable, *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment,
            start_new_session=True,
        )  # fmt: skip
        self.seen = ""

    def until(self, text):
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.seen += line
            if text in line:
                return
        raise AssertionError(f"no line with {text!r}:\n{self.seen}")

    def end(self):
        out, _ = self.process.communicate(timeout=60)
        self.seen += out
        return self.process.returncode

    def kill(self):
        """It, its X server and whatever else it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def windowed(tmp_path):
    """Starts a `Program`; none outlives its test."""
    started = []

    def start(*command):
        started.append(Program(tmp_path, *command))
        return started[-1]

    yield start
    for program in started:
        program.kill()


def write(path, text):
    path.write_text(textwrap.dedent(text))
    return path


PLAIN = """
    import lathe
    app = lathe.App("plain", size=(320, 200))
    while app.frame():
        if MODE == "raise" and app.step == 2:
            raise ZeroDivisionError("mine")
        if MODE == "good":
            print("good", flush=True)
            app.close()
"""


def test_a_plain_script_that_raises_keeps_its_window(tmp_path, windowed):
    script = write(tmp_path / "plain.py", "MODE = 'raise'\n" + textwrap.dedent(PLAIN))
    program = windowed(str(script))
    program.until("ZeroDivisionError: mine")
    assert program.process.poll() is None
    write(script, "MODE = 'good'\n" + textwrap.dedent(PLAIN))
    assert program.end() == 0
    assert program.seen.count("good") == 1
    assert not list(tmp_path.glob("cache/autosave/*/running.*")), "an error is no crash"


ENDED = """
    import os, time
    import lathe
    app = lathe.App("ended", size=(320, 200))
    kernel = app.kernel("__global__ void one(float* x) { x[0] = 1; }", name="one")
    while app.frame():
        if app.step == 2:
            print("at", os.getpid(), flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", [[], ["-m", "lathe", "run"]])
def test_a_program_that_is_told_to_end_has_not_crashed(tmp_path, windowed, number, command):
    script = write(tmp_path / "ended.py", ENDED)
    program = windowed(*command, str(script))
    program.until("at ")
    assert list(tmp_path.glob("cache/autosave/*/running.*"))
    os.kill(int(program.seen.split()[-1]), number)
    assert program.end() == 128 + number
    assert "Traceback" not in program.seen
    assert not list(tmp_path.glob("cache/autosave/*/running.*"))


def test_a_program_without_an_app_any_more_ends_at_once(tmp_path, windowed):
    script = write(
        tmp_path / "after.py",
        """
        import os, signal, lathe
        app = lathe.App("after", size=(320, 200))
        app.close()
        del app
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            print("went on", flush=True)
        """,
    )
    program = windowed(str(script))
    assert program.end() == 128 + signal.SIGTERM
    assert "went on" not in program.seen


OWN_LOOP = """
    import time
    import lathe
    app = lathe.App("own", size=(320, 200))
    step = app.kernel("step.cu")
    x = app.zeros(4, name="x")
    told = False
    while app.frame():
        step[1, 4](x)
        value = x.get()[0]
        if value > 50:
            print("mended", step.slot.state, flush=True)
            app.close()
        if not told:
            told = True
            print("runs", flush=True)
        if step.slot.state == "faulted" and app.state.__dict__.setdefault("faulted", True):
            app.state.faulted = False
            print("faulted", any("step" in d for d in step.slot.diagnostics), flush=True)
"""

STEP = "__global__ void step(float* x) { x[threadIdx.x%s] %s; }\n"
ENDLESS = "__global__ void step(volatile float* x) { while (x[threadIdx.x] >= 0) {} }\n"


@pytest.mark.parametrize("bad", [STEP % (" + (1ll << 40)", "= 1"), ENDLESS])
def test_a_bad_edit_is_taken_back_though_the_script_reads_each_frame(tmp_path, bad, windowed):
    kernel = write(tmp_path / "step.cu", STEP % ("", "= 1"))
    script = write(tmp_path / "own.py", OWN_LOOP)
    program = windowed("-m", "lathe", "run", str(script))
    program.until("runs")
    write(kernel, bad)
    program.until("faulted True")
    write(kernel, STEP % ("", "+= 100"))
    assert program.end() == 0, program.seen
    assert "mended good" in program.seen
    assert "Traceback" not in program.seen


def test_an_own_loop_resumes_when_its_kernel_is_mended(tmp_path, windowed):
    kernel = write(tmp_path / "step.cu", STEP % ("", "= 1"))
    script = write(tmp_path / "own.py", OWN_LOOP)
    program = windowed("-m", "lathe", "run", str(script))
    program.until("runs")
    write(kernel, "__global__ void step(float* x, int* missing) { x[threadIdx.x] = *missing; }\n")
    program.until("TypeError")
    write(kernel, STEP % ("", "+= 100"))
    assert program.end() == 0, program.seen
    assert "mended" in program.seen


def test_init_that_raises_is_tried_again_by_a_reset(tmp_path, windowed):
    script = write(
        tmp_path / "init.py",
        """
        import lathe
        app = lathe.App("init", size=(320, 200))
        tries = []

        @app.init
        def init():
            tries.append(1)
            if len(tries) == 1:
                raise ValueError("not yet")

        @app.frame
        def frame():
            print("began after", len(tries), flush=True)
            app.close()

        @app.panel("Reset")
        def reset():
            if len(tries) == 1:
                app.run_control.reset()

        app.run()
        """,
    )
    program = windowed("-m", "lathe", "run", str(script))
    assert program.end() == 0, program.seen
    assert "ValueError: not yet" in program.seen
    assert "began after 2" in program.seen
    assert "loop.py" not in program.seen


WINDOWED = """
import sys, time
from pathlib import Path
import lathe
app = lathe.App("windowed", size=(640, 360))
step_of_this_run = 0

@app.frame
def frame():
    global step_of_this_run
    step_of_this_run += 1
    if MODE == "raise" and step_of_this_run == 3:
        raise ZeroDivisionError("in a frame")
    if MODE == "good":
        print("errors", app._studio.console.errors, "frames", app.frames, flush=True)
        app.close()

if MODE == "setup":
    raise KeyError("in the setup")
app.run()
"""


@pytest.mark.parametrize("mode", ["raise", "setup"])
def test_a_window_outlives_a_script_that_raises(tmp_path, windowed, mode):
    script = write(tmp_path / "windowed.py", f'MODE = "{mode}"\n' + WINDOWED)
    program = windowed("-m", "lathe", "run", str(script))
    program.until("Error:")
    assert program.process.poll() is None  # the window is still there
    write(script, 'MODE = "good"\n' + WINDOWED)
    program.until("errors 1 frames")
    assert program.end() == 0, program.seen
    assert ("in a frame" if mode == "raise" else "in the setup") in program.seen


def test_plain_python_with_a_window_reloads_too(tmp_path, windowed):
    script = write(
        tmp_path / "plain.py",
        """
        import lathe
        from pathlib import Path
        VERSION = 1
        app = lathe.App("plain", size=(320, 200))
        x = app.asarray([1.0], "float32", name="x")
        while app.frame():
            if VERSION == 1 and app.step == 2:
                x.set([5.0])
                Path(__file__).write_text(Path(__file__).read_text().replace("N = 1", "N = 2"))
            if VERSION == 2:
                print("second version", x.get().tolist(), flush=True)
                app.close()
        """,
    )
    program = windowed(str(script))
    assert program.end() == 0, program.seen
    assert program.seen.endswith("second version [5.0]\n")


def test_a_window_writes_its_picture_where_it_is_asked_to(tmp_path, windowed):
    program = windowed(
        "-m", "lathe", "run", "gray_scott", "--frames", "6", "--size", "640x480",
        "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert program.end() == 0, program.seen
    assert "6 frames:" in program.seen
    from skimage.io import imread

    picture = imread(tmp_path / "out" / "gray_scott.png")
    assert picture.shape == (480, 640, 3)
    assert picture.std() > 10


RESTING = """
    import threading
    import time
    import lathe
    app = lathe.App("resting", size=(320, 200))
    shown = []
    @app.panel("Beat")
    def beat():
        shown.append(0)
    def tell():
        time.sleep(2.5)
        before = len(shown)
        time.sleep(1)
        print("frames in a second:", len(shown) - before, flush=True)
    @app.frame
    def frame():
        if WAKE:
            print("awake", flush=True)
            app.close()
        if app.step == 3:
            app.run_control.paused = True
            threading.Thread(target=tell, daemon=True).start()
    if WAKE:
        app.run_control.paused = False
    app.run()
"""


def test_a_paused_window_rests_until_something_happens(tmp_path, windowed):
    script = write(tmp_path / "resting.py", "WAKE = False\n" + textwrap.dedent(RESTING))
    program = windowed(str(script))
    program.until("frames in a second")
    frames = int(program.seen.rsplit(":", 1)[1])
    assert frames <= 2
    write(script, "WAKE = True\n" + textwrap.dedent(RESTING))
    program.until("awake")
    assert program.end() == 0


SLIDERS = """
    import sys
    import lathe
    app = lathe.App("sliders", size=(640, 400))
    fill = app.kernel('''__global__ void fill(float* x, float gain, //@ 0..10 =5
                                             float wide) { x[0] = gain; }''')
    x = app.zeros(1)
    for step in range(6):
        if not app.frame():
            break
        fill[1, 1](x)
        if step == 2 and "hand" in sys.argv:
            app.bind("gain", keys=("z", "x"), step=0.5)
            app.input.press_key("x")
    print("gain", x.get()[0], flush=True)
"""


def test_sliders_are_as_the_last_window_left_them(windowed, tmp_path):
    script = write(tmp_path / "sliders.py", SLIDERS)

    def gain(*arguments):
        out = ("--out", str(tmp_path / "out"))
        program = windowed("-m", "lathe", "run", str(script), "--frames", "6", *out, *arguments)
        assert program.end() == 0, program.seen
        return float(program.seen.rpartition("gain ")[2].split()[0])

    assert gain() == 5
    by_hand = windowed(str(script), "hand")
    assert by_hand.end() == 0, by_hand.seen
    assert "gain 5.5" in by_hand.seen
    assert gain() == 5.5
    assert gain("--headless") == 5
    assert gain("--set", "gain=2") == 2
    assert gain() == 5.5
    assert gain("--fresh") == 5
    assert gain() == 5  # as that run has left it
