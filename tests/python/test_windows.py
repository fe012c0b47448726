# SPDX-License-Identifier: MIT
"""Programs with a window (under Xvfb) that go wrong: the window stays and can be mended."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

pytestmark = [
    pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="Xvfb is not installed"),
    pytest.mark.software,
]


class Program:
    """A script under Xvfb whose lines are read as they come."""

    def __init__(self, folder, *command):
        self.folder = folder
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "LATHE_CACHE_DIR": str(folder / "cache"),
            "LATHE_SOFT_TIMEOUT_MS": "300",
        }
        self.process = subprocess.Popen(
            ["xvfb-run", "-a", sys.executable, *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment,
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


def test_a_plain_script_that_raises_keeps_its_window(tmp_path):
    script = write(tmp_path / "plain.py", "MODE = 'raise'\n" + textwrap.dedent(PLAIN))
    program = Program(tmp_path, str(script))
    program.until("ZeroDivisionError: mine")
    assert program.process.poll() is None
    write(script, "MODE = 'good'\n" + textwrap.dedent(PLAIN))
    assert program.end() == 0
    assert program.seen.count("good") == 1
    assert not list(tmp_path.glob("cache/autosave/*/running.*")), "an error is no crash"


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
def test_a_bad_edit_is_taken_back_though_the_script_reads_each_frame(tmp_path, bad):
    kernel = write(tmp_path / "step.cu", STEP % ("", "= 1"))
    script = write(tmp_path / "own.py", OWN_LOOP)
    program = Program(tmp_path, "-m", "lathe", "run", str(script))
    program.until("runs")
    write(kernel, bad)
    program.until("faulted True")
    write(kernel, STEP % ("", "+= 100"))
    assert program.end() == 0, program.seen
    assert "mended good" in program.seen
    assert "Traceback" not in program.seen


def test_an_own_loop_resumes_when_its_kernel_is_mended(tmp_path):
    kernel = write(tmp_path / "step.cu", STEP % ("", "= 1"))
    script = write(tmp_path / "own.py", OWN_LOOP)
    program = Program(tmp_path, "-m", "lathe", "run", str(script))
    program.until("runs")
    write(kernel, "__global__ void step(float* x, int* missing) { x[threadIdx.x] = *missing; }\n")
    program.until("TypeError")
    write(kernel, STEP % ("", "+= 100"))
    assert program.end() == 0, program.seen
    assert "mended" in program.seen


def test_init_that_raises_is_tried_again_by_a_reset(tmp_path):
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
    program = Program(tmp_path, "-m", "lathe", "run", str(script))
    assert program.end() == 0, program.seen
    assert "ValueError: not yet" in program.seen
    assert "began after 2" in program.seen
    assert "loop.py" not in program.seen
