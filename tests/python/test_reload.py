# SPDX-License-Identifier: MIT
"""Scripts that are saved while they run: state, arrays and kernels stay; errors do not end them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import script_environment

import lathe
import lathe.script
from lathe.options import RunOptions
from lathe.script import run_script

KERNEL = '"__global__ void add(float* x, float d) { x[threadIdx.x] += d; }"'


def options(path, **changes):
    wanted = {"name": path.stem, "script": path, "size": (48, 32), "headless": True, "reload": True}
    return RunOptions(**{**wanted, **changes})


def write(path, text):
    path.write_text(textwrap.dedent(text))


@pytest.fixture
def every_frame_looks(monkeypatch):
    """No test waits for the time of the next look at its script: the next frame takes it."""
    monkeypatch.setattr(lathe.script, "LOOK_EVERY", 0.0)


@pytest.mark.parametrize("owner", ["app", "user"])
def test_a_saved_script_goes_on_where_it_was(tmp_path, owner, every_frame_looks):
    script = tmp_path / "counting.py"
    loops = {
        "app": "app.frame(frame)\napp.run()\n",
        "user": "while app.frame():\n    frame()\n",
    }
    body = f"""
import lathe
from pathlib import Path
app = lathe.App("counting")
x = app.zeros(4, name="x")
y = app.zeros(3)
add = app.kernel({KERNEL}, "add")
if not hasattr(app.state, "runs"):
    app.state.runs = []
app.state.runs.append(VERSION)
app.frame_limit = 1000
def frame():
    add[1, 4](x, AMOUNT)
    app.state.last = x.get()[0]
    if VERSION == 1 and app.step == 3:
        app.state.before = x.get()[0]
        me = Path(__file__)
        text = me.read_text().replace("AMOUNT = 1.0", "AMOUNT = 100.0")
        me.write_text(text.replace("VERSION = 1", "VERSION = 2"))
    if VERSION == 2:
        app.close()
{loops[owner]}
"""
    script.write_text("VERSION = 1\nAMOUNT = 1.0\n" + body)
    wanted = options(script)
    run_script(script, wanted)
    state = wanted.app.state
    assert state.runs == [1, 2]
    assert state.before == 4
    assert state.last == 104  # contents stayed, the new amount was added


def test_arrays_of_another_shape_are_new(tmp_path, every_frame_looks):
    script = tmp_path / "growing.py"
    script.write_text(
        textwrap.dedent("""
        import lathe
        from pathlib import Path
        app = lathe.App("growing")
        SIZE = 4
        x = app.asarray([7.0] * SIZE, "float32", name="x")
        app.state.shape, app.state.sum = x.shape, float(x.get().sum())
        app.frame_limit = 200
        while app.frame():
            if SIZE == 4 and app.step == 1:
                me = Path(__file__)
                me.write_text(me.read_text().replace("SIZE = 4", "SIZE = 6"))
            if SIZE == 6:
                app.close()
        """)
    )
    wanted = options(script)
    run_script(script, wanted)
    assert wanted.app.state.shape == (6,)
    assert wanted.app.state.sum == 42


def test_a_script_with_a_syntax_error_is_not_taken(tmp_path, every_frame_looks):
    script = tmp_path / "typo.py"
    script.write_text(
        textwrap.dedent("""
        import lathe
        from pathlib import Path
        app = lathe.App("typo")
        app.frame_limit = 30
        good = Path(__file__).read_text()
        while app.frame():
            if app.step == 1:
                Path(__file__).write_text(good + "\\ndef broken(\\n")
        """)
    )
    wanted = options(script)
    run_script(script, wanted)
    errors = [text for source, level, text in wanted.app.console if level == "error"]
    assert any(
        "typo.py was saved and not taken" in text and "SyntaxError" in text for text in errors
    )


def test_plain_python_without_a_window_only_runs(tmp_path):
    script = tmp_path / "plain.py"
    script.write_text(
        "import lathe\napp = lathe.App('plain', size=(32, 32))\napp.frame_limit = 2\n"
        "while app.frame():\n    pass\nprint(app.frames)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        env=script_environment(),
        check=True,
    )
    assert done.stdout == "2\n"


def test_kept_arrays_refuse_one_name_twice():
    app = lathe.App("names", size=(32, 32), headless=True)
    app.zeros(3, name="x")
    with pytest.raises(ValueError, match="'x'"):
        app.zeros(3, name="x")
    np.testing.assert_array_equal(app.zeros(3).get(), 0)


@pytest.mark.parametrize("runner", [True, False], ids=["lathe run", "python"])
def test_a_saved_module_beside_the_script_reloads_it(tmp_path, runner):
    (tmp_path / "beside.py").write_text("AMOUNT = 1\n")
    script = tmp_path / "main.py"
    write(
        script,
        """
        import lathe, lathe.script
        from pathlib import Path
        import beside
        lathe.script.LOOK_EVERY = 0.0
        app = lathe.App("helped", (64, 48))
        app.frame_limit = 500
        print("amount", beside.AMOUNT, flush=True)
        while app.frame():
            if beside.AMOUNT == 1 and app.step == 3:
                Path(__file__).with_name("beside.py").write_text("AMOUNT = 2\\n")
            if beside.AMOUNT == 2:
                app.close()
    """,
    )
    code = (
        f"from pathlib import Path\nfrom lathe.options import RunOptions\n"
        f"from lathe.script import run_script\np = Path({str(script)!r})\n"
        "run_script(p, RunOptions(name='main', script=p, headless=True, reload=True))\n"
    )
    if not runner:  # a window's script watches itself; here without one
        text = script.read_text()
        script.write_text(text.replace("app.frame_limit = 500", "app.frame_limit = 500\n"
            "app._watch = app._watch if app._watch.path else "
            "type(app._watch)(Path(__file__))"))  # fmt: skip
    done = subprocess.run(
        [sys.executable, *(["-c", code] if runner else [str(script)])],
        capture_output=True, text=True, timeout=120,
        env=script_environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["amount", "1", "amount", "2"]


def test_a_header_that_comes_later_is_compiled(tmp_path):
    kernel = tmp_path / "add.cu"
    kernel.write_text("__global__ void add(float* x) { x[threadIdx.x] = 1; }\n")
    app = lathe.App("header", (64, 48), headless=True)
    app.frame_limit = None
    slot = app.kernel(kernel).slot

    def frames_until(state):
        end = time.monotonic() + 30
        while slot.state != state and time.monotonic() < end:
            app.frame()
            time.sleep(0.01)
        assert slot.state == state, slot.diagnostics

    slot.source = '#include "amount.cuh"\n' + kernel.read_text().replace("1;", "AMOUNT;")
    frames_until("failed")
    (tmp_path / "amount.cuh").write_text("#define AMOUNT 27\n")
    frames_until("good")
    app.close()


def test_an_edited_header_is_compiled(tmp_path):
    header = tmp_path / "amount.cuh"
    header.write_text("#define AMOUNT 1\n")
    kernel = tmp_path / "add.cu"
    kernel.write_text(
        '#include "amount.cuh"\n__global__ void add(float* x) { x[threadIdx.x] = AMOUNT; }\n'
    )
    app = lathe.App("header", (64, 48), headless=True)
    app.frame_limit = 2000
    x = app.zeros(4)
    add = app.kernel(kernel)
    values = []
    while app.frame() and 27.0 not in values:
        add[1, 4](x)
        values.append(float(x.get()[0]))
        if app.step == 3:
            header.write_text("#define AMOUNT 27\n")
        time.sleep(0.005)
    assert values[0] == 1.0
    assert values[-1] == 27.0


def test_scripts_of_one_name_keep_their_autosaves_apart(tmp_path):
    names = []
    for folder in ("p1", "p2"):
        script = tmp_path / folder / "test.py"
        script.parent.mkdir()
        script.write_text("import lathe\nlathe.App('same title')\n")
        wanted = options(script)
        run_script(script, wanted)
        names.append(wanted.app._studio.session)
    assert names == [str(tmp_path / "p1" / "test.py"), str(tmp_path / "p2" / "test.py")]


def test_the_readme_s_script_opens_a_window_one_can_use(tmp_path):
    """Its picture takes a good part of the window, panels and all."""
    readme = Path(__file__).resolve().parents[2] / "README.md"
    script = tmp_path / "ten.py"
    script.write_text(readme.read_text().split("```python\n")[1].split("```")[0])
    wanted = options(script, size=None, frames=4, ui=True, reload=False)
    run_script(script, wanted)
    window = wanted.app.screenshot(with_ui=True)
    assert window.shape == (720, 1280, 3)
    bright = (window[..., 0] > 200) & (window[..., 1] > 180) & (window[..., 2] < 110)
    rows = np.flatnonzero(bright.any(axis=1))
    assert rows[-1] - rows[0] > 360


def test_two_apps_find_themselves_again(tmp_path, every_frame_looks, capsys):
    """B10: a reloaded script gets both of its windows back, with their arrays."""
    script = tmp_path / "two.py"
    script.write_text(
        textwrap.dedent("""
        import lathe
        from pathlib import Path
        FIRST = "left"
        left, right = lathe.App(FIRST), lathe.App("right")
        x, y = left.asarray([1.0]), right.asarray([2.0])
        left.frame_limit = right.frame_limit = 100
        left.state.runs = getattr(left.state, "runs", 0) + 1
        right.state.runs = getattr(right.state, "runs", 0) + 1
        if left.state.runs == 2:
            print("found", x.get()[0], y.get()[0], right.state.runs)
        while left.frame() and right.frame():
            if left.state.runs == 1 and left.step == 2:
                x[0], y[0] = 3, 4
                me = Path(__file__)
                me.write_text(me.read_text().replace('FIRST = "left"', 'FIRST = "port"'))
            if left.state.runs == 2:
                break
        """)
    )
    wanted = options(script)
    run_script(script, wanted)
    assert "found 3.0 4.0 2" in capsys.readouterr().out
