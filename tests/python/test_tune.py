# SPDX-License-Identifier: MIT
"""lathe.tune: variants compiled, checked, measured and remembered; templates by Jinja."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe.cuda.driver as cuda
import lathe.tune
from lathe import tune_cache, tune_run
from lathe.native import native
from lathe.tune import TuneError, tune, variants

COUNT = 4096
SOURCE = """
extern "C" __global__ void scale(const float* x, float* y, int n) {
    for (int k = 0; k < EACH; ++k) {
        int i = (blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
        if (i < n) y[i] = FACTOR * x[i];
    }
}
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of its own for what is remembered."""
    place = tune_cache.place_of

    def elsewhere(*arguments):
        return tmp_path / "tune" / place(*arguments).name

    monkeypatch.setattr(tune_cache, "place_of", elsewhere)
    return tmp_path / "tune"


class Problem:
    """Arrays on the device, and how a variant is launched on them."""

    def __init__(self) -> None:
        self.host = np.linspace(-1, 1, COUNT, dtype=np.float32)
        self.x, self.y = cuda.to_device(self.host), cuda.mem_alloc(self.host.nbytes)
        self.launches: list[dict[str, object]] = []

    def launch(self, kernel, values):
        self.launches.append(values)
        block, each = values["BLOCK"], values.get("EACH", 1)
        grid = -(-COUNT // (block * each))
        kernel(self.x, self.y, np.int32(COUNT), block=(block, 1, 1), grid=(grid, 1))

    def output(self):
        return cuda.from_device_like(self.y, self.host)

    def clear(self):
        cuda.memset_d32(self.y, 0, COUNT)


@pytest.fixture
def problem():
    return Problem()


SPACE = {"BLOCK": [64, 256], "EACH": [1, 4], "FACTOR": [3]}


def test_the_fastest_variant_is_found_and_right(problem, cache):
    seen = []
    found = tune(
        SOURCE, SPACE, problem.launch,
        output=problem.output, expected=3 * problem.host, report=seen.append,
    )  # fmt: skip
    assert not found.from_cache and len(found.trials) == 4 and seen == found.trials
    times = [trial.milliseconds for trial in found.trials]
    assert times == sorted(times) and found.milliseconds == times[0] > 0
    assert found.trials[0].values == found.values
    assert f"BLOCK = {found.values['BLOCK']}" in str(found)
    problem.clear()
    problem.launch(found.kernel, found.values)
    np.testing.assert_array_equal(problem.output(), np.float32(3) * problem.host)


def test_the_slow_variant_loses(problem, cache):
    """A thousand times the work is seen on any machine."""
    slow = SOURCE.replace("FACTOR * x[i]", "work(x[i])").replace(
        'extern "C"',
        "__device__ float work(float v) {"
        " for (int k = 0; k < WORK; ++k) v = v * 1.000001f + 1e-7f; return v; }\n"
        'extern "C"',
        1,
    )
    found = tune(slow, {"BLOCK": [64], "EACH": [1], "WORK": [20000, 1]}, problem.launch)
    assert found.values["WORK"] == 1


def test_it_is_remembered_on_disk(problem, cache):
    first = tune(SOURCE, SPACE, problem.launch, output=problem.output)
    files = list(cache.iterdir())
    assert len(files) == 1 and files[0].name.startswith("scale-")
    kept = json.loads(files[0].read_text())
    assert kept["values"] == first.values
    launched = len(problem.launches)
    again = tune(SOURCE, SPACE, problem.launch, output=problem.output)
    assert again.from_cache and again.values == first.values and again.trials == first.trials
    assert again.milliseconds == first.milliseconds
    assert len(problem.launches) == launched, "nothing is measured"
    problem.clear()
    problem.launch(again.kernel, again.values)
    np.testing.assert_allclose(problem.output(), 3 * problem.host, rtol=1e-6)


@pytest.mark.parametrize("change", ["source", "space", "options", "key", "cache"])
def test_another_question_is_asked_anew(problem, cache, change):
    tune(SOURCE, SPACE, problem.launch)
    source, space, more = SOURCE, dict(SPACE), {}
    if change == "source":
        source += "// another text"
    elif change == "space":
        space["BLOCK"] = [64, 128]
    elif change == "options":
        more["options"] = ["--use_fast_math"]
    elif change == "key":
        more["key"] = "size 4096"
    else:
        more["cache"] = False
    assert not tune(source, space, problem.launch, **more).from_cache


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        '{"values": {}, "milliseconds": 1, "trials": [3]}',
        '{"values": 3}',
        '{"values": {"BLOCK": 7}}',
    ],
)
def test_damaged_memories_are_made_anew(problem, cache, damage):
    tune(SOURCE, SPACE, problem.launch)
    (file,) = cache.iterdir()
    file.write_text(damage)
    assert not tune(SOURCE, SPACE, problem.launch).from_cache
    assert tune(SOURCE, SPACE, problem.launch).from_cache


def test_wrong_and_broken_variants_are_left_out(problem, cache):
    found = tune(
        SOURCE,
        {"BLOCK": [2048, 64], "FACTOR": ["3", "3.5f", "nonsense"], "EACH": [1]},
        problem.launch,
        output=problem.output,
        expected=3 * problem.host,
    )
    assert found.values == {"BLOCK": 64, "FACTOR": "3", "EACH": 1}
    by = {(t.values["BLOCK"], t.values["FACTOR"]): t for t in found.trials}
    assert len(by) == 6
    assert "output 0 is wrong in" in by[64, "3.5f"].problem
    assert "nonsense" in by[64, "nonsense"].problem
    assert "threads in a block at most" in by[2048, "3"].problem
    assert all(t.milliseconds is None for t in found.trials[1:])


def test_the_first_variant_is_the_reference_without_another(problem, cache):
    found = tune(
        SOURCE, {"BLOCK": [64], "FACTOR": ["2", "3"]}, problem.launch,
        output=problem.output, where=lambda v: True, options=["-DEACH=1"],
    )  # fmt: skip
    assert found.values["FACTOR"] == "2"


def test_prepare_puts_inputs_back(problem, cache):
    accumulate = SOURCE.replace("y[i] =", "y[i] +=")
    found = tune(
        accumulate, SPACE, problem.launch,
        prepare=problem.clear, output=problem.output, expected=3 * problem.host,
    )  # fmt: skip
    assert all(not trial.problem for trial in found.trials)


def test_several_outputs_and_a_stream(problem, cache):
    stream = cuda.Stream()

    def launch(kernel, values):
        grid = (COUNT // values["BLOCK"], 1)
        kernel(problem.x, problem.y, np.int32(COUNT), block=(values["BLOCK"], 1, 1), grid=grid,
               stream=stream)  # fmt: skip

    found = tune(
        SOURCE, {"BLOCK": [64, 128]}, launch, options=["-DEACH=1", "-DFACTOR=3"], stream=stream,
        output=lambda: (problem.output(), problem.output()[:10]),
        expected=(3 * problem.host, 3 * problem.host[:10]), jobs=1,
    )  # fmt: skip
    assert len(found.trials) == 2 and found.trials[1].milliseconds


PARALLEL = """
import sys
from pathlib import Path
import lathe.tune_run as run
from lathe.cuda.compiler import SourceModule
from lathe.native import native
text = 'extern "C" __global__ void f(int* a) { a[0] = WHICH; }'
made = [run.Variant({}, text, [f"-DWHICH={k}"]) for k in range(5)]
made.append(run.Variant({}, "not C++", []))
run.fill_cache(made, 3)
# What NVRTC made; the software device keeps machine code beside it, at its own pace. A file that is
# read stays, though its time changes; one that is made again is another file.
kept = lambda: {f: f.stat().st_ino for f in Path(native.cache_directory()).rglob("*.kernel")}
files = kept()
run.fill_cache = None
run.SOONER_IN_PROCESSES = 1e9
kernels = run.compile_all(made, "f", 2)
assert len(files) == 5 and files == kept(), "compiled here, not found in the cache"
assert [isinstance(k, str) for k in kernels] == [False] * 5 + [True]
"""


def test_block_shapes_are_tuples(problem, cache):
    source = SOURCE.replace("BLOCK", "(SHAPE_X * SHAPE_Y)").replace(
        "threadIdx.x", "threadIdx.y * SHAPE_X + threadIdx.x"
    )

    def launch(kernel, values):
        x, y = values["SHAPE"]
        kernel(problem.x, problem.y, COUNT, block=(x, y, 1), grid=(COUNT // (x * y), 1))

    space = {"SHAPE": [(32, 2), (8, 8), (256, 1)], "WIDE": [True, False]}
    options = ["-DEACH=1", "-DFACTOR=3"]
    expected = 3 * problem.host
    found = tune(source, space, launch, options=options, output=problem.output, expected=expected)
    assert len(found.trials) == 6 and not any(t.problem for t in found.trials)
    again = tune(source, space, launch, options=options)
    assert again.from_cache and again.values == found.values and again.trials == found.trials


def test_processes_compile_for_the_cache(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PARALLEL],
        env=script_environment(LATHE_CACHE_DIR=str(tmp_path)),
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_many_variants_are_compiled_by_processes(problem, cache, monkeypatch):
    asked = []
    monkeypatch.setattr(tune_run, "SOONER_IN_PROCESSES", -1.0)
    monkeypatch.setattr(tune_run, "fill_cache", lambda made, jobs: asked.append((len(made), jobs)))
    tune(SOURCE, SPACE, problem.launch, jobs=2)
    tune(SOURCE, SPACE, problem.launch, jobs=1, cache=False)
    assert asked == [(3, 2)]


def test_in_a_context_of_ones_own(cache):
    context = cuda.Device(0).make_context()
    try:
        problem = Problem()
        assert tune(SOURCE, SPACE, problem.launch, output=problem.output).milliseconds > 0
        assert cuda.Context.get_current() == context
    finally:
        context.detach()


def test_templates_make_the_source(problem, cache):
    """Jinja's loops unroll what the preprocessor cannot."""
    jinja2 = pytest.importorskip("jinja2")
    template = jinja2.Template("""
extern "C" __global__ void scale(const float* x, float* y, int n) {
    int i = blockIdx.x * {{ BLOCK * EACH }} + threadIdx.x;
    {% for k in range(EACH) %}
    if (i + {{ k * BLOCK }} < n) y[i + {{ k * BLOCK }}] = 3 * x[i + {{ k * BLOCK }}];
    {% endfor %}
}""")
    found = tune(
        lambda values: template.render(**values),
        {"BLOCK": [64, 128], "EACH": [1, 2, 4]},
        problem.launch,
        output=problem.output,
        expected=3 * problem.host,
    )
    assert len(found.trials) == 6 and not any(t.problem for t in found.trials)


def test_variants_are_all_combinations():
    found = variants({"A": [1, 2], "B": (True, False)}, lambda v: v["A"] == 2 or v["B"])
    assert found == [{"A": 1, "B": True}, {"A": 2, "B": True}, {"A": 2, "B": False}]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (SOURCE, "scale"),
        ("// __global__ void no(int)\n__global__ void __launch_bounds__(64) yes(int a) {}", "yes"),
        ("__launch_bounds__(64) __global__ void yes (int a) {}", "yes"),
    ],
)
def test_the_only_kernel_is_found(source, name):
    assert tune_cache.only_kernel(source) == name


def fails(**changes):
    def act(problem):
        given = {"source": SOURCE, "space": SPACE, "launch": problem.launch} | changes
        tune(given.pop("source"), given.pop("space"), given.pop("launch"), **given)

    return act


MISTAKES = {
    "no names": (fails(space={}), ValueError, "no names"),
    "no values": (fails(space={"BLOCK": []}), ValueError, "no values for BLOCK"),
    "name": (fails(space={"2X": [1]}), ValueError, "macros, got '2X'"),
    "kind": (fails(space={"BLOCK": [[1]]}), TypeError, r"got \[1\]"),
    "shape": (fails(space={"BLOCK": [(1, 2, 3, 4)]}), TypeError, r"got \(1, 2, 3, 4\)"),
    "where": (fails(where=lambda v: False), ValueError, "none of the 4 variants"),
    "rounds": (fails(rounds=0), ValueError, "at least 1, got 0"),
    "expected": (fails(expected=np.zeros(3)), ValueError, "give output"),
    "source": (fails(source=lambda v: 3), TypeError, "must be a str, got 3"),
    "two kernels": (
        fails(source=SOURCE + "__global__ void other(int a) {}"),
        ValueError,
        "entry must name the kernel: the source has scale, other",
    ),
    "entry": (fails(entry="nope"), TuneError, "kernel nope; the module has scale"),
    "compile": (
        fails(source=SOURCE.replace("FACTOR", "WHAT")),
        TuneError,
        'none of 4 variants can be used:\n.*BLOCK = 64, EACH = 1.*"WHAT" is undefined',
    ),
    "launch": (
        fails(launch=lambda kernel, values: kernel(1, block=(1, 1, 1))),
        TuneError,
        "is missing|takes 3 arguments|parameter",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(problem, cache, mistake):
    act, error, words = MISTAKES[mistake]
    with pytest.raises(error, match=words):
        act(problem)
    assert not cache.exists(), "nothing is remembered"


def test_errors_of_the_users_functions_are_theirs(problem, cache):
    def output():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tune(SOURCE, SPACE, problem.launch, output=output)


@pytest.mark.software
def test_a_variant_that_faults_is_left_out(problem, cache):
    """On a GPU the context would be lost, and the error raised."""
    source = SOURCE.replace("if (i < n) y[i]", "y[i * STEP]")
    space = {"BLOCK": [64], "EACH": [1], "FACTOR": [3], "STEP": [1, 1 << 20]}
    found = tune(source, space, problem.launch, output=problem.output)
    assert found.values["STEP"] == 1 and "illegal" in found.trials[-1].problem


def test_the_examples_are_true():
    result = doctest.testmod(lathe.tune)
    assert result.attempted > 0 and result.failed == 0


def test_nothing_is_left_where_the_cache_cannot_be_written(problem, monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(tune_cache, "place_of", lambda *a: blocked / "tune" / "x.json")
    assert tune(SOURCE, SPACE, problem.launch).milliseconds > 0
    assert native.cache_directory()
