# SPDX-License-Identifier: MIT
"""lathe.roofline: operations and bytes beside closed forms, times beside the clock, and roofs that
hold."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from conftest import script_environment

import lathe
from lathe.inspection_report import Line
from lathe.roofline_peaks import Peaks, measured_peaks
from lathe.rooflines import KernelRate, Roofline, rates_of, timed

pytestmark = pytest.mark.software

N = 1 << 18
SOURCE = """extern "C" {
__global__ void saxpy(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.5f * x[i] + y[i];
}
__global__ void product(float* c, const float* a, const float* b, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += s[y][i] * t[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
__global__ void grow(double* x, int rounds) {
    double v = x[threadIdx.x];
    for (int i = 0; i < rounds; ++i) v = v * 1.0001 + 0.5;
    x[threadIdx.x] = v;
}
__global__ void copy(float* y, const float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}
}"""


@pytest.fixture(scope="module")
def kernels() -> dict[str, Any]:
    first = lathe.kernel(SOURCE, "saxpy")
    return {name: first.sibling(name) for name in ("saxpy", "product", "grow", "copy")}


@pytest.fixture(scope="module")
def report(kernels):
    x, y = lathe.zeros(N), lathe.zeros(N)
    a, d = lathe.zeros((128, 128)), lathe.zeros(64, "float64")

    def run():
        kernels["saxpy"][N // 128, 128](y, x, N)
        kernels["product"][(8, 8), (16, 16)](a, a, a, 128)
        kernels["grow"][1, 64](d, 1000)
        kernels["copy"][N // 128, 128](y, x)
        kernels["copy"][N // 128, 128](y, x)

    return lathe.roofline(run)


def rate(report, name):
    return next(each for each in report.roofline.kernels if each.kernel == name)


def test_operations_and_bytes_are_closed_forms(report):
    saxpy, product = rate(report, "saxpy"), rate(report, "product")
    assert (saxpy.flops, saxpy.double_flops, saxpy.bytes) == (2 * N, 0, 12 * N)
    assert saxpy.intensity == pytest.approx(1 / 6)
    # Each of 64 blocks reads 8 tiles of both; a warp has two rows of 64 bytes, all sectors whole.
    assert product.flops == 2 * 128**3
    assert product.bytes == 4 * (64 * 8 * 2 * 256 + 128 * 128)
    grow = rate(report, "grow")
    assert grow.flops == grow.double_flops == 2 * 1000 * 64
    assert grow.bytes == 2 * 8 * 64 and grow.is_double
    copy = rate(report, "copy")
    assert (copy.flops, copy.bytes) == (0, 2 * 8 * N)
    assert report.line(4).flops == 2 * N and report.line(4).double_flops == 0


def test_launches_take_the_time_of_the_clock(kernels):
    d = lathe.zeros(64, "float64")
    kernels["grow"][1, 64](d, 10)
    d.get()
    parts = []
    for _ in range(5):  # other programs may take the time between the two clocks
        begin = time.perf_counter()
        with timed() as seconds:
            kernels["grow"][1, 64](d, 2_000_000)
        parts.append(seconds["grow"] / (time.perf_counter() - begin))
        assert set(seconds) == {"grow"}
    assert max(parts) > 0.5
    assert all(part <= 1 for part in parts)
    with timed() as seconds, lathe.inspect(find=()):
        kernels["grow"][1, 64](d, 10)
    assert seconds == {}, "a launch that counts is slower than it is"


def test_no_kernel_is_above_its_roof(report):
    peaks = report.roofline.peaks
    assert peaks == measured_peaks(), "once in a process"
    # A core of today: some operations in each of some 10^9 cycles, for each of its units.
    assert 1e9 < peaks.double_flops <= 1.1 * peaks.flops < 1e13
    assert 1e8 < peaks.bandwidth < 1e12 and peaks.bandwidth < 2 * peaks.cache_bandwidth
    for each in report.roofline.kernels:
        assert each.seconds > 0
        limit = max(peaks.flops, peaks.double_flops)
        assert each.flops_per_second < 4 * limit, "others use the processor, too"
        assert each.bytes_per_second < 4 * max(peaks.cache_bandwidth, peaks.bandwidth)
    assert report.roofline.bound(rate(report, "saxpy")) == "memory"
    assert report.roofline.bound(rate(report, "grow")) == "arithmetic"


def test_roofs_of_given_numbers():
    peaks = Peaks(flops=100e9, double_flops=50e9, bandwidth=10e9, cache_bandwidth=80e9)
    low = KernelRate("low", 200, 0, 800, 1e-7)
    high = KernelRate("high", 4000, 4000, 100, 1e-7)
    still = KernelRate("still", 0, 0, 500, 1e-7)
    lone = KernelRate("lone", 10, 0, 0, 1e-9)
    roofline = Roofline([low, high, still, lone], peaks)
    assert low.intensity == 0.25 and roofline.roof(low) == 2.5e9
    assert roofline.bound(low) == "memory" and roofline.share(low) == pytest.approx(0.8)
    assert roofline.roof(high) == 50e9 and roofline.share(high) == pytest.approx(0.8)
    assert roofline.share(still) == pytest.approx(0.5)
    assert lone.intensity == math.inf and roofline.bound(lone) == "arithmetic"
    line = next(row for row in str(roofline).splitlines() if row.startswith("low ")).split()
    assert line == ["low", "0.25", "2.00", "8.00", "80%", "memory"]


def test_lines_of_a_kernel_are_added():
    rows = [
        Line("k", "k.cu", 3, flops=10, double_flops=2, sectors=3),
        Line("k", "k.cu", 4, flops=5, sectors=1),
        Line("other", "k.cu", 9, executions=4),
    ]
    assert rates_of(rows, {"k": 0.5}) == [KernelRate("k", 15, 2, 128, 0.5)]


def test_text_json_page_and_picture(report):
    text = str(report)
    assert "roofline" in text and "peaks: " in text and text.index("saxpy") < text.index("roofline")
    told = json.loads(report.to_json())["roofline"]
    by_name = {each["kernel"]: each for each in told["kernels"]}
    assert by_name["saxpy"]["flops"] == 2 * N and by_name["saxpy"]["bound"] == "memory"
    assert by_name["copy"]["share"] == pytest.approx(
        by_name["copy"]["bytes_per_second"] / told["peaks"]["bandwidth"]
    )
    picture = ET.fromstring(report.roofline.to_svg())
    name = "{http://www.w3.org/2000/svg}"
    assert len(picture.findall(f"{name}circle")) == 3, "copy computes nothing"
    words = [each.text for each in picture.findall(f"{name}text")]
    assert {"saxpy", "product", "grow", "Gflop/s"} <= set(words)
    assert any(word and word.startswith("float64 ") for word in words)
    width, height = float(picture.get("width", 0)), float(picture.get("height", 0))
    for circle in picture.findall(f"{name}circle"):
        assert 0 < float(circle.get("cx", -1)) < width
        assert 0 < float(circle.get("cy", -1)) < height
    page = report.to_html()
    assert "<svg" in page and "<h2>Roofline</h2>" in page
    with lathe.inspect() as plain:
        pass
    assert plain.roofline is None and "roofline" not in plain.to_dict()


def test_a_point_stands_where_its_numbers_are():
    peaks = Peaks(flops=1e11, double_flops=1e11, bandwidth=1e10, cache_bandwidth=1e10)
    ridge = KernelRate("ridge", 1000, 0, 100, 1e-8)  # 10 a byte, 10^11 a second
    low = KernelRate("low", 1000, 0, 1000, 1e-7)  # 1 a byte, 10^10 a second
    root = ET.fromstring(Roofline([ridge, low], peaks).to_svg())
    name = "{http://www.w3.org/2000/svg}"
    (x0, y0), (x1, y1) = (
        (float(c.get("cx", 0)), float(c.get("cy", 0))) for c in root.findall(f"{name}circle")
    )
    roofs = [each.get("d", "") for each in root.findall(f"{name}path")]
    ends = [np.array(d.replace("M", "").replace("L", "").split(), float) for d in roofs]
    memory = ends[0].reshape(2, 2)
    assert memory[1] == pytest.approx((x0, y0), abs=0.2), "the ridge is where both roofs meet"
    slope = (memory[1] - memory[0])[1] / (memory[1] - memory[0])[0]
    assert (y0 - y1) / (x0 - x1) == pytest.approx(slope, rel=0.01), "the other is on the roof"


def test_the_command(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "lathe", "inspect", "nbody", "--roofline", "--counts-only",
         "--frames", "3", "--json", "report.json", "--html", "report.html"],
        capture_output=True, text=True, env=script_environment(), timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "flops/byte" in done.stdout
    told = json.loads((tmp_path / "report.json").read_text())["roofline"]
    assert all(each["seconds"] > 0 for each in told["kernels"])
    assert max(each["flops"] for each in told["kernels"]) > 1e6
    assert "<svg" in (tmp_path / "report.html").read_text()
