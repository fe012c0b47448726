# SPDX-License-Identifier: MIT
"""A run goes on from a file, in its process and in another one; a file that does not fit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lathe
import lathe.random

SCRIPT = """
import sys
import numpy as np
import lathe
import lathe.random

def make(name="walk", **options):
    app = lathe.App(name, size=(64, 48), headless=True, **options)
    places = app.asarray(np.linspace(0, 1, 100), "float32", name="places")
    unnamed = app.zeros((4, 5), "int32")
    picture = app.texture((8, 6), "uint8")
    app.state.noise = lathe.random.Generator(7)
    app.state.dice = np.random.default_rng(3)
    app.state.counts = {"steps": 0, "sums": [0.0], "last": (1, None)}
    app.state.host = np.arange(3.0)
    app.state.device = lathe.zeros(3)
    push = app.kernel('''
        __global__ void push(float* x, int n, float by) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = x[i] * 1.01f + by * sinf(17.0f * x[i]); }''', name="push")

    @app.frame
    def frame(step):
        by = app.param("by", 0.125, 0.0, 1.0)
        push.over(100)(places, 100, by * step.dt + 1e-3 * step.time)
        places[:] += 0.01 * app.state.noise.standard_normal(100, dtype="float32")
        unnamed[:] += app.state.dice.integers(5)
        picture.set(np.full((8, 6), step.index % 256, "uint8"))
        app.state.counts["steps"] += 1
        app.state.counts["sums"].append(float(places.sum()))
        app.state.host *= 1.5
        app.state.device[:] += step.time
        app.image(unnamed, range=(0, 100))
    app.arrays = places, unnamed, picture
    return app

def digest(app):
    import hashlib
    found = hashlib.sha256()
    for array in (*app.arrays, app.state.device):
        found.update(array.get().tobytes())
    found.update(app.state.host.tobytes())
    found.update(repr((app.step, app.time, app.dt, app.state.counts)).encode())
    found.update(repr((app.state.noise.position, app.state.dice.integers(1 << 60))).encode())
    found.update(repr(app.parameters["by"]).encode())
    return found.hexdigest()
"""
namespace: dict[str, Any] = {}
exec(SCRIPT, namespace)
make, digest = namespace["make"], namespace["digest"]


def straight(steps: int) -> str:
    app = make("straight")
    app.run(frames=1)
    app.set("by", 0.5)
    app.run(frames=steps - 1)
    result: str = digest(app)
    return result


def save_after(file: Path, steps: int) -> None:
    app = make("saved")
    app.run(frames=1)
    app.set("by", 0.5)
    app.run(frames=steps - 1)
    app.checkpoint(file)


def test_a_new_process_goes_on_to_the_last_bit(tmp_path: Path) -> None:
    file = tmp_path / "walk.npz"
    save_after(file, 12)
    program = SCRIPT + (
        "app = make()\n"
        "app.restore(sys.argv[1])\n"
        "assert app.step == 11, app.step\n"
        "app.run(frames=8)\n"
        "print(digest(app))\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, timeout=120
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip() == straight(20)


def test_the_same_app_goes_back_to_it_and_its_history_begins_anew(tmp_path: Path) -> None:
    app = make(history="4 MiB")
    app.run(frames=1)
    app.set("by", 0.5)
    app.run(frames=5)
    app.checkpoint(tmp_path / "x.npz")
    app.run(frames=10)
    app.set("by", 0.25)
    app.restore(tmp_path / "x.npz")
    assert app.step == 5
    assert app.parameters["by"] == 0.5
    app.run(frames=10)
    assert app.history.steps[0] == 6
    later = digest(app)
    assert later == straight(16)
    app.run_control.go_to(8)
    app.run(frames=1)
    assert app.step == 8
    app.run(frames=7)
    assert app.step == 15


def test_init_comes_before_what_is_restored(tmp_path: Path) -> None:
    file = tmp_path / "x.npz"
    calls = []

    def program() -> tuple[lathe.App, Any]:
        app = lathe.App("init", size=(16, 16), headless=True)
        x = app.zeros(3, name="file")  # the name of a parameter of numpy.savez

        @app.init
        def init() -> None:
            calls.append(1)
            x.fill(7.0)

        @app.frame
        def frame() -> None:
            x[:] += 1.0
            app.image(x.reshape(1, 3), range=(0, 20))

        return app, x

    app, x = program()
    app.run(frames=3)
    app.checkpoint(file)
    app, x = program()
    app.restore(file)
    assert len(calls) == 2
    assert x.get().tolist() == [10, 10, 10]
    app.run(frames=1)
    assert x.get().tolist() == [11, 11, 11]
    assert len(calls) == 2


def test_numpy_reads_it(tmp_path: Path) -> None:
    save_after(tmp_path / "x.npz", 3)
    with np.load(tmp_path / "x.npz") as entries:
        assert entries["places"].shape == (100,)
        assert entries["#0"].dtype == np.int32
        assert entries["#1"].dtype == np.uint8
        head = json.loads(str(entries["lathe"]))
    assert head["step"] == 2
    assert head["sliders"] == {"by": "0.5"}


def test_structures_and_special_values_keep_their_bits(tmp_path: Path) -> None:
    pair = np.dtype([("a", "f4"), ("b", "u8")])
    given = np.array([(np.nan, 2**63), (-0.0, 1)], pair)

    def program() -> tuple[lathe.App, Any]:
        app = lathe.App("bits", size=(16, 16), headless=True)
        return app, app.zeros(2, pair)

    app, x = program()
    x.set(given)
    app.state.values = (float("nan"), -0.0, 5e-324, 2 - 1j, b"\0\xff", np.float32(0.1), 1 << 80)
    app.checkpoint(tmp_path / "x.npz")
    app, x = program()
    app.state.values = ()
    app.restore(tmp_path / "x.npz")
    assert x.get().tobytes() == given.tobytes()
    nan, zero, *rest = app.state.values
    assert nan != nan
    assert str(zero) == "-0.0"
    assert rest == [5e-324, 2 - 1j, b"\0\xff", np.float32(0.1), 1 << 80]
    assert type(rest[3]) is np.float32


def test_scratch_is_drawn_in_place_and_no_part_of_the_state(tmp_path: Path) -> None:
    app = lathe.App("scratch", size=(16, 16), headless=True, history="1 MiB")
    x = app.zeros((4, 4))
    app.state.shown = shown = app.empty((4, 4))
    noise = np.random.default_rng(1)

    @app.frame
    def frame(step: lathe.Step) -> None:
        x[:] += 1
        shown.set(noise.random((4, 4), np.float32))
        app.image(shown)

    before = app.stats
    app.run(frames=6)
    after = app.stats
    assert after.bytes_drawn_in_place - before.bytes_drawn_in_place >= 6 * shown.nbytes
    assert after.bytes_drawn_by_copy == before.bytes_drawn_by_copy
    app.run_control.go_to(2)
    app.run(frames=3)
    assert x.get().tolist() == np.full((4, 4), app.step + 1).tolist()
    assert len(app.history.branches) == 1, "scratch made the past another one"

    app.checkpoint(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as file:
        assert sum(array.shape == (4, 4) for array in map(file.get, file.files)) == 1
    kept = shown.get()
    app.restore(tmp_path / "x.npz")
    assert app.state.shown is shown
    assert np.array_equal(shown.get(), kept)


class Bird:
    def __init__(self, place: float) -> None:
        self.place = place
        self._scratch = object()


def test_objects_in_lists_and_dictionaries_get_their_values_back(tmp_path: Path) -> None:
    app = lathe.App("flock", size=(16, 16), headless=True)
    state = app.state
    state.birds = [Bird(1.0), (Bird(2.0), 5)]
    state.named = {"hawk": Bird(3.0)}
    (first, (second, _)), hawk = state.birds, state.named["hawk"]
    app.checkpoint(tmp_path / "x.npz")
    first.place = second.place = hawk.place = 9.0
    app.restore(tmp_path / "x.npz")
    assert state.birds == [first, (second, 5)]
    assert state.named == {"hawk": hawk}
    assert [each.place for each in (first, second, hawk)] == [1.0, 2.0, 3.0]
    state.birds.append(Bird(4.0))  # one that the file does not know
    app.restore(tmp_path / "x.npz")
    assert state.birds == [first, (second, 5)]


def changed(app: lathe.App, x: Any) -> bool:
    return bool(x.get().tolist() != [1, 2, 3] or app.step != 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "was not read: No such file"),
        (b"", "is no checkpoint"),
        (b"no archive", "is no checkpoint"),
        ({"x": np.zeros(3, "f4")}, "is no checkpoint"),
        ({"lathe": np.array("{}")}, "is no checkpoint"),
        ({"lathe": np.array('{"version": 9}')}, "version 9"),
        ({"x": np.zeros(4, "f4")}, r"x is float32 \(4,\) in the file, float32 \(3,\) in the"),
        ({"x": np.zeros(3, "f8")}, "x is float64"),
        ({}, "the file has no array x"),
        ({"x": np.zeros(3, "f4"), "y": np.zeros(1)}, "the program has no array y"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_changes(
    tmp_path: Path, content: Any, message: str
) -> None:
    file = tmp_path / "x.npz"
    app = lathe.App("refused", size=(16, 16), headless=True)
    x = app.asarray([1.0, 2.0, 3.0], "float32", name="x")
    app.frame(lambda: app.image(x.reshape(1, 3), range=(0, 3)))
    app.run(frames=1)
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        head = {"version": 1, "step": 4, "time": 1.0, "dt": 0.5, "sliders": {}, "kernels": {}}
        whole = json.dumps({**head, "state": {"dict": []}})
        is_whole = "no checkpoint" in message or "version" in message
        np.savez(file, **(content if is_whole else {"lathe": np.array(whole), **content}))
    with pytest.raises(lathe.Error, match=message):
        app.restore(file)
    assert not changed(app, x)
    app.run(frames=1)
    assert app.step == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"step": "x"}, {"step": -3}, {"step": 1.5}, {"step": 1 << 70}, {"time": None},
        {"dt": "long"}, {"sliders": 5}, {"sliders": {"by": 3}}, {"kernels": [1]}, {"state": [1]},
        {"state": None}, {"state": {"dict": [[1, 2]]}}, {"state": {"dict": [["__class__", 3]]}},
        {"state": {"dict": [["count", {"numpy": {"dict": []}}]]}},
    ],
)  # fmt: skip
def test_a_head_that_nobody_wrote_changes_nothing(tmp_path: Path, wrong: dict[str, Any]) -> None:
    file = tmp_path / "x.npz"
    app = lathe.App("head", size=(16, 16), headless=True)
    x = app.asarray([1.0, 2.0, 3.0], "float32", name="x")
    app.state.count = 7
    app.run(frames=1)
    app.checkpoint(file)
    with np.load(file) as entries:
        arrays = {name: entries[name] for name in entries.files}
    head = {**json.loads(str(arrays["lathe"])), **wrong}
    np.savez(file, **{**arrays, "x": np.zeros(3, "f4"), "lathe": np.array(json.dumps(head))})
    with pytest.raises(lathe.Error, match=r"x\.npz is no checkpoint"):
        app.restore(file)
    assert not changed(app, x)
    assert app.state.count == 7


def test_damaged_bytes_change_nothing(tmp_path: Path) -> None:
    app = lathe.App("damaged", size=(16, 16), headless=True)
    x = app.asarray([1.0, 2.0, 3.0], "float32", name="x")
    app.run(frames=1)
    app.checkpoint(tmp_path / "whole.npz")
    whole, file = (tmp_path / "whole.npz").read_bytes(), tmp_path / "x.npz"
    random = np.random.default_rng(3)
    for cut in range(0, len(whole), 11):
        file.write_bytes(whole[:cut])
        with pytest.raises(lathe.Error, match=r"x\.npz is no checkpoint"):
            app.restore(file)
    for _ in range(300):
        data = bytearray(whole)
        for at in random.integers(len(data), size=3):
            data[at] ^= 1 << random.integers(8)
        file.write_bytes(data)
        try:
            app.restore(file)
        except lathe.Error as error:
            assert "x.npz" in str(error)
    assert not changed(app, x)


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    app = lathe.App("full", size=(16, 16), headless=True)
    app.zeros(1 << 16, name="x")
    with pytest.raises(lathe.Error, match=r"an \.npz file"):
        app.checkpoint(tmp_path / "x.npy")
    with pytest.raises(lathe.Error, match="was not written: No such file"):
        app.checkpoint(tmp_path / "none" / "x.npz")
    program = (
        "import resource, sys, signal, lathe\n"
        "app = lathe.App('full', size=(16, 16), headless=True)\n"
        "x = app.zeros(1 << 16, name='x')\n"
        "app.checkpoint(sys.argv[1])\n"
        "x.fill(1)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    app.checkpoint(sys.argv[1])\n"
        "except lathe.Error as error:\n"
        "    print(error)\n"
    )
    file = tmp_path / "limited.npz"
    said = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, timeout=60
    )
    assert "was not written: File too large" in said.stdout, said.stderr
    assert list(tmp_path.iterdir()) == [file], "nothing half written is left"
    with np.load(file) as entries:
        assert not entries["x"].any()


def test_another_kernel_is_told(tmp_path: Path) -> None:
    def program(text: str) -> lathe.App:
        app = lathe.App("kernels", size=(16, 16), headless=True)
        app.kernel(f"__global__ void f(float* x) {{ x[0] = {text}; }}", name="f")
        return app

    program("1").checkpoint(tmp_path / "x.npz")
    app = program("1")
    app.restore(tmp_path / "x.npz")
    assert app.console == []
    app = program("2")
    app.restore(tmp_path / "x.npz")
    assert "f has another text" in app.console[-1][2]


class Pair:
    def __init__(self, app: lathe.App) -> None:
        self.now, self.then = app.asarray([1.0, 2.0]), app.zeros(2)
        self.front, self.back = app.texture((1, 2)), app.texture((1, 2))
        self.part = self.now[1:]
        self.trail: deque[int] = deque(maxlen=2)

    def step(self, index: int) -> None:
        self.then[:] = self.now * 0.5 + index
        self.now, self.then = self.then, self.now
        self.back.fill(index)
        self.front, self.back = self.back, self.front
        self.trail.append(index)


def test_names_of_arrays_that_changed_places_come_back(tmp_path: Path) -> None:
    def program() -> tuple[lathe.App, Pair]:
        app = lathe.App("pair", size=(16, 16), headless=True)
        app.state.pair = pair = Pair(app)

        @app.frame
        def frame(step: lathe.Step) -> None:
            pair.step(step.index)
            app.image(pair.now.reshape(1, 2), range=(0, 9))

        return app, pair

    def values(pair: Pair) -> list[Any]:
        arrays = (pair.now, pair.then, pair.front, pair.back)
        return [*(array.get().tolist() for array in arrays), list(pair.trail)]

    app, straight = program()
    app.run(frames=7)
    app.checkpoint(tmp_path / "x.npz")
    at_seven = values(straight)
    app.run(frames=4)
    app, pair = program()
    app.restore(tmp_path / "x.npz")
    assert app.state.pair is pair
    assert values(pair) == at_seven
    assert pair.part.get().tolist() == [pair.then.get()[1]], "the array it is a part of is `then`"
    app.run(frames=4)
    assert values(pair) == values(straight)


def test_the_command_line_goes_on_from_one(tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text(
        "import lathe\n"
        "app = lathe.App('count', size=(16, 16))\n"
        "made = None\n"
        "@app.frame\n"
        "def frame(step):\n"
        "    global made\n"
        "    if made is None:\n"
        "        made = app.zeros(1, name='x')  # in the first step\n"
        "    made[:] += 1.0\n"
        "    app.image(made.reshape(1, 1), range=(0, 9))\n"
        "    print(step.index, made.get()[0])\n"
        "    if step.index == 3:\n"
        "        app.checkpoint('x.npz')\n"
        "app.run()\n"
    )

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lathe", "run", str(script), "--headless", *options],
            capture_output=True, text=True, timeout=120, cwd=tmp_path,
        )  # fmt: skip

    assert run("--frames", "6").returncode == 0
    went_on = run("--frames", "3", "--restore", "x.npz")
    assert went_on.returncode == 0, went_on.stderr
    lines = re.findall(r"^\d+ \d+\.0$", went_on.stdout, re.MULTILINE)
    assert lines == ["0 1.0", "4 5.0", "5 6.0"]
    refused = run("--frames", "3", "--restore", "gone.npz")
    assert refused.returncode == 1
    assert "gone.npz was not read" in refused.stderr
    assert "Traceback" not in refused.stderr
