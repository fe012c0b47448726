# SPDX-License-Identifier: MIT
"""The inspector of an App: modes, rows of its kernels' lines, hazards and an innocent twin."""

from __future__ import annotations

import time

import pytest

import lathe

TURN = """__global__ void turn(float* x, float t) {
    __shared__ float row[64];
    row[threadIdx.x] = t + threadIdx.x;
    BARRIER
    x[(blockIdx.x * 64 + threadIdx.x) * 4] = row[63 - threadIdx.x];
}"""


def watched(source: str, mode: bool | str) -> lathe.App:
    app = lathe.App("turned", size=(32, 32), headless=True)
    turn = app.kernel(source)
    x = app.zeros(16 * 64 * 4)
    app.inspecting = mode
    end = time.monotonic() + 60
    while len(app.inspected) == 0:  # on a GPU a replay comes some frames later
        assert app.frame()
        turn[16, 64](x, 1.0)
        assert time.monotonic() < end
    return app


def test_rows_and_a_race_and_its_twin() -> None:
    app = watched(TURN.replace("BARRIER", ""), "hazards")
    report = app.inspected
    assert report.line(5).sectors_per_access == 16  # 16 bytes from thread to thread
    assert report.line(5).ideal_sectors_per_access == 4
    assert report.line(5).active == 1
    assert report.line(5).text.strip().startswith("x[(blockIdx.x")
    assert {f.kind for f in report.findings} == {"races", "uninit"}
    assert {f.first.line for f in report.findings if f.kind == "uninit"} == {5}

    twin = watched(TURN.replace("BARRIER", "__syncthreads();"), "hazards")
    assert twin.inspected.line(4).barriers > 0
    assert twin.inspected.findings == ()


def test_modes() -> None:
    app = watched(TURN.replace("BARRIER", ""), True)
    assert app.inspecting == "costs"
    assert len(app.inspected) > 0
    assert app.inspected.findings == ()
    app.inspecting = False
    assert app.inspecting == "off"
    assert len(app.inspected) == 0
    with pytest.raises(ValueError, match="one of off, costs, hazards"):
        app.inspecting = "all"


def test_all_kernels_of_an_app_are_in_the_report() -> None:
    app = lathe.App("two", size=(32, 32), headless=True)
    kernels = [
        app.kernel(f"__global__ void {name}(float* x) {{\n    x[threadIdx.x] = {k};\n}}")
        for k, name in enumerate(("second", "first"))
    ]
    x = app.zeros(64)
    app.inspecting = "costs"
    end = time.monotonic() + 60
    rows: list[tuple[str, int]] = []
    while {kernel for kernel, _ in rows} != {"first", "second"} and time.monotonic() < end:
        assert app.frame()
        for kernel in kernels:
            kernel[1, 64](x)
        rows = [(row.kernel, row.line) for row in app.inspected]
    assert {kernel for kernel, _ in rows} == {"first", "second"}
    assert rows == sorted(rows)
