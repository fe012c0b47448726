# SPDX-License-Identifier: MIT
"""lathe.values_at against NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lathe

MANDELBROT = """#include "step.cuh"
struct State { float2 z; int rounds; };
__global__ void mandelbrot(int* out, int width, int height, float scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float re = x * scale - 2, im = y * scale - 1;
    State s = {{0, 0}, 0};
    while (s.rounds < 20 && norm(s.z.x, s.z.y) <= 4) {
        float next = s.z.x * s.z.x - s.z.y * s.z.y + re;
        s.z.y = 2 * s.z.x * s.z.y + im;
        s.z.x = next;
        ++s.rounds;
    }
    out[y * width + x] = s.rounds;
}
"""
STEP = """__device__ float norm(float a, float b) {
    float squares[2] = {a * a, b * b};
    float sum = squares[0] + squares[1];
    return sum;
}
"""
SHAPE = (37, 50)
SCALE = np.float32(1 / 16)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("mandelbrot")
    (folder / "step.cuh").write_text(STEP)
    source = folder / "mandelbrot.cu"
    source.write_text(MANDELBROT)
    return lathe.kernel(source)


def look(kernel: Any, *args: Any, **named: Any) -> Any:
    out = lathe.zeros(SHAPE, "int32")
    with lathe.values_at(kernel, *args, **named) as found:
        kernel.over(SHAPE)(out, SHAPE[1], SHAPE[0], SCALE)
    return found, out.get()


def orbit() -> tuple[Any, Any]:
    """z before each round, and the number of rounds, by NumPy in float64."""
    y, x = np.mgrid[0 : SHAPE[0], 0 : SHAPE[1]]
    c = (x * float(SCALE) - 2) + 1j * (y * float(SCALE) - 1)
    z, rounds = np.zeros_like(c), np.zeros(SHAPE, int)
    path = [z.copy()]
    for _ in range(20):
        inside = abs(z) <= 2
        z[inside] = z[inside] ** 2 + c[inside]
        rounds += inside
        path.append(z.copy())
    return path, rounds


def test_values_have_the_shape_of_the_launch(kernel: Any) -> None:
    found, out = look(kernel, 7, "re", "im", "x")
    y, x = np.mgrid[0 : SHAPE[0], 0 : SHAPE[1]]
    assert found["re"].dtype == np.float32 and found["x"].dtype == np.int32
    assert found["re"].shape == SHAPE and not found["re"].mask.any()
    np.testing.assert_array_equal(found["re"], x * SCALE - 2)
    np.testing.assert_array_equal(found["im"], y * SCALE - 1)
    np.testing.assert_array_equal(found["x"], x)
    np.testing.assert_array_equal(found.visits, np.ones(SHAPE))
    assert abs(out - orbit()[1]).max() <= 1 and (out == orbit()[1]).mean() > 0.99


def test_structures_have_their_members(kernel: Any) -> None:
    found, out = look(kernel, 15, "s")
    states = found["s"]
    np.testing.assert_array_equal(states["rounds"], out)
    last = orbit()[0][-1]
    same = out == orbit()[1]
    np.testing.assert_allclose(
        states["z"]["x"][same & (out < 20)], last.real[same & (out < 20)], 1e-3
    )


def test_a_visit_of_a_loop(kernel: Any) -> None:
    found, out = look(kernel, 12, "s", visit=3)
    np.testing.assert_array_equal(found.visits, out)
    np.testing.assert_array_equal(found["s"].mask["rounds"], out < 3)
    third = orbit()[0][3].real
    here = out >= 3
    np.testing.assert_allclose(found["s"]["z"]["x"][here], third[here], rtol=1e-4, atol=1e-5)


def test_lines_of_headers_and_arrays(kernel: Any) -> None:
    found, out = look(kernel, 3, "sum", "squares", "a", file="step.cuh")
    # The norm is asked for before each round, and once more unless the rounds are used up.
    np.testing.assert_array_equal(found.visits, np.where(out < 20, out + 1, 20))
    assert found["squares"].shape == (*SHAPE, 2)
    squares = found["squares"]
    np.testing.assert_array_equal(squares[..., 0] + squares[..., 1], found["sum"])
    np.testing.assert_array_equal(squares[..., 0], found["a"] * found["a"])


def test_threads_that_never_came_are_masked(kernel: Any) -> None:
    out = lathe.zeros(SHAPE, "int32")
    with lathe.values_at(kernel, 7, "x") as found:
        kernel[(4, 3), (16, 16)](out, SHAPE[1], SHAPE[0], SCALE)
    assert found["x"].shape == (48, 64)  # all threads of the grid
    y, x = np.mgrid[0:48, 0:64]
    np.testing.assert_array_equal(found["x"].mask, (x >= SHAPE[1]) | (y >= SHAPE[0]))
    np.testing.assert_array_equal(found.visits == 0, found["x"].mask)


def test_a_thread_can_be_followed_from_there(kernel: Any) -> None:
    found, out = look(kernel, 15, "s")
    y, x = 20, 37
    block, thread = found.thread_at(y, x)
    again = lathe.zeros(SHAPE, "int32")
    with lathe.trace_thread(kernel, block, thread) as trace:
        kernel.over(SHAPE)(again, SHAPE[1], SHAPE[0], SCALE)
    assert trace.steps[-1].values["x"] == x and trace.steps[-1].values["y"] == y
    assert trace.steps[-1].values["s"]["rounds"] == out[y, x]


def test_it_serves_several_launches(kernel: Any) -> None:
    found = lathe.values_at(kernel, 7, "re")
    for scale in (0.5, 0.25):
        with found:
            out = lathe.zeros(SHAPE, "int32")
            kernel.over(SHAPE)(out, SHAPE[1], SHAPE[0], scale)
        assert found["re"][0, 10] == np.float32(10 * scale - 2)


def test_known_variables_are_named(kernel: Any) -> None:
    with lathe.values_at(kernel, 8, "x") as found:
        pass
    with pytest.raises(KeyError, match="'x': no launch of mandelbrot was looked into yet"):
        found["x"]
    assert {"s": "State", "re": "float", "x": "int", "out": "int*"}.items() <= found.known.items()
    with (
        pytest.raises(KeyError, match=r"'next' has no value after line 8; known are .*\bs"),
        lathe.values_at(kernel, 8, "next"),
    ):
        pass
    out = lathe.zeros(SHAPE, "int32")
    kernel.over(SHAPE)(out, SHAPE[1], SHAPE[0], SCALE)  # as usual
    assert out.get().max() == 20


@pytest.mark.parametrize(
    ("arguments", "named", "error", "words"),
    [
        ((2,), {}, lathe.Error, "mandelbrot has no code at line 2 of "),
        ((0,), {}, ValueError, "lines count from 1"),
        ((7,), {"visit": 0}, ValueError, "visits count from 1"),
        ((7, *"abcdefghi"), {}, ValueError, "9 names: at most 8"),
        ((3,), {"file": "other.cuh"}, lathe.Error, "has no code at line 3 of other.cuh"),
    ],
)
def test_bad_questions(
    kernel: Any, arguments: tuple[Any, ...], named: dict[str, Any], error: type, words: str
) -> None:
    with pytest.raises(error, match=words), lathe.values_at(kernel, *arguments, **named):
        pass


def test_a_kernel_without_source() -> None:
    with pytest.raises(TypeError, match="of a kernel is looked at, not of a str"):
        lathe.values_at("mandelbrot", 3)  # type: ignore[arg-type]


def test_it_is_of_the_text_that_runs(tmp_path: Path) -> None:
    app = lathe.App("line values", headless=True, size=(64, 48))
    source = tmp_path / "wave.cu"
    source.write_text(
        "__global__ void wave(float* out, float gain) {\n"
        "    int i = threadIdx.x;\n"
        "    float v = i * gain;\n"
        "    if (i < 8) out[i] = v;\n"
        "}\n"
    )
    wave = app.kernel(source)
    out = app.zeros(8)
    with lathe.values_at(wave, 3, "v") as found:
        wave.over(8)(out, gain=2.0)
    np.testing.assert_array_equal(found["v"], np.arange(8) * 2.0)
    np.testing.assert_array_equal(out.get(), np.arange(8) * 2.0)


WAVE = """__global__ void wave(float* out, int width, int height, float time) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float v = x * time + y;
    out[y * width + x] = v;
}
"""


class Waves:
    """An App whose kernel runs once a step."""

    def __init__(self) -> None:
        self.app = lathe.App("waves", headless=True, size=(64, 48))
        self.app.frame_limit = 10_000  # a GPU makes many while the code for the line is compiled
        self.kernel = self.app.kernel(WAVE)
        self.out = self.app.zeros((24, 40))
        self.time = 0.0

    def step(self) -> None:
        assert self.app.frame()
        if self.app.run_control.steps:
            self.time += 1
            self.kernel.over((24, 40))(self.out, 40, 24, self.time)

    def until(self, is_so: Any) -> Any:
        """Steps until it is so; the line then."""
        for _ in range(10_000):
            self.step()
            if is_so(self.app.watched_line):
                return self.app.watched_line
        raise AssertionError(f"never: {self.app.watched_line}")


def test_an_app_watches_a_line() -> None:
    waves = Waves()
    assert waves.app.watched_line is None
    waves.app.watch_line(waves.kernel, 5, "v + 0.5", mark="v == 7")
    line = waves.until(lambda line: line.values.size > 0)
    y, x = np.mgrid[0:32, 0:48]
    time = line.values[0, 1] - 0.5
    inside = (x < 40) & (y < 24)
    expected = np.where(inside, x * time + y + 0.5, np.nan)
    np.testing.assert_array_equal(line.values, expected)
    np.testing.assert_array_equal(line.marked, inside & (x * time + y == 7))
    np.testing.assert_array_equal(line.visits, inside)
    assert line.known["v"] == "float" and line.kernel == "wave" and line.problem == ""
    assert line.thread_at(20, 33) == ((2, 1, 0), (1, 4, 0))
    waves.app.unwatch_line()
    assert waves.app.watched_line is None
    waves.step()


def test_a_condition_pauses_the_program() -> None:
    waves = Waves()
    waves.app.watch_line(waves.kernel, 5, "v", mark="v > 4000", pause=True)
    line = waves.until(lambda line: waves.app.run_control.paused)
    first = next(t for t in range(1, 1000) if 39 * t + 23 > 4000)
    assert line.values[0, 1] >= first
    assert line.marked[23, 39] and not line.marked[0, 0]
    assert not waves.app.frame()  # without a window nobody lets it go on


def test_bad_lines_of_an_app() -> None:
    waves = Waves()
    waves.app.watch_line(waves.kernel, 8, "v")
    line = waves.until(lambda line: line.is_ready)
    assert "has no code at line 8" in line.problem and line.values.size == 0
    waves.app.watch_line(waves.kernel, 5, "v +")
    assert "expected an expression" in waves.until(lambda line: line.is_ready).problem
    with pytest.raises(ValueError, match="lines count from 1"):
        waves.app.watch_line(waves.kernel, 0)
    with pytest.raises(ValueError, match="takes a kernel of app"):
        waves.app.watch_line(lathe.kernel(WAVE), 5)
