# SPDX-License-Identifier: MIT
"""The inspector's counts beside closed forms, its report in all its forms, and its command."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import script_environment

import lathe

pytestmark = pytest.mark.software

SOURCE = """
extern "C" {
__global__ void stride(float* x, int s) {
    x[threadIdx.x * s] = 1; }                       // 4

__global__ void banks(float* y, int s) {
    __shared__ float t[1024];
    t[threadIdx.x * s] = threadIdx.x;               // 8
    __syncthreads();
    y[threadIdx.x] = t[threadIdx.x * s]; }          // 10

__global__ void part(volatile int* x, int m) {
    if (threadIdx.x % m == 0)                       // 13
        x[threadIdx.x] = 1; }                       // 14

__global__ void transpose(const float* in, float* out, int pad) {
    extern __shared__ float tile[];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y * (32 + pad) + x] = in[y * 32 + x];      // 19
    __syncthreads();
    out[y * 32 + x] = tile[x * (32 + pad) + y]; }   // 21

__global__ void meet(int* x, int m) {
    atomicAdd(&x[threadIdx.x / m], 1); }            // 24
}
"""


@pytest.fixture(scope="module")
def kernels():
    first = lathe.kernel(SOURCE, "stride")
    others = ("banks", "part", "transpose", "meet")
    return {"stride": first} | {name: first.sibling(name) for name in others}


def test_sectors_of_strides(kernels):
    x = lathe.zeros(4096)
    for s in (1, 2, 3, 5, 8, 16, 100):
        with lathe.inspect(kernels["stride"]) as report:
            kernels["stride"][1, 32](x, s)
        row = report.line(4)
        assert row.sectors_per_access == len({4 * s * k // 32 for k in range(32)})
        assert row.ideal_sectors_per_access == 4
        assert row.active == 1


def test_bank_conflicts_of_powers_of_two(kernels):
    y = lathe.zeros(32)
    for s in (1, 2, 4, 8, 16, 32):
        with lathe.inspect(kernels["banks"]) as report:
            kernels["banks"][1, 32](y, s)
        assert report.line(8).bank_conflicts == s
        assert report.line(10).bank_conflicts == s
    assert np.array_equal(y.get(), np.arange(32))


def test_divergence_of_powers_of_two(kernels):
    x = lathe.zeros(256, np.int32)
    for m in (1, 2, 4, 8, 16, 32, 64, 128):
        with lathe.inspect(kernels["part"]) as report:
            kernels["part"][1, 256](x, m)
        stores = report.line(14)
        warps = 256 // max(m, 32)  # those that have a thread which stores
        assert stores.executions == warps
        assert stores.lanes == 256 // m
        assert stores.active == 1 / min(m, 32)
        assert report.line(13).divergence == (0 if m == 1 else warps / 8)


@pytest.mark.parametrize(("pad", "degree"), [(0, 32), (1, 1)])
def test_a_transpose_with_and_without_padding(kernels, pad, degree):
    a = np.arange(1024, dtype=np.float32)
    out = lathe.zeros(1024)
    with lathe.inspect(kernels["transpose"]) as report:
        kernels["transpose"][1, (32, 32), 4 * 32 * (32 + pad)](lathe.asarray(a), out, pad)
    assert report.line(21).bank_conflicts == degree
    assert report.line(19).bank_conflicts == 1
    assert report.line(21).sectors_per_access == 4
    assert np.array_equal(out.get().reshape(32, 32), a.reshape(32, 32).T)


def test_contention_of_atomics(kernels):
    for m in (1, 2, 8, 32):
        with lathe.inspect(kernels["meet"]) as report:
            kernels["meet"][2, 64](lathe.zeros(64, np.int32), m)
        assert report.line(24).contention == m
        assert report.line(24).atomics == 4


def test_only_the_launches_of_the_block_count(kernels):
    x = lathe.zeros(256)
    kernels["stride"][1, 32](x, 1)
    with lathe.inspect() as outer:
        kernels["stride"][1, 32](x, 1)
        with lathe.inspect() as inner:
            kernels["stride"][1, 64](x, 1)
        assert len(outer) == 0
    kernels["stride"][1, 32](x, 1)
    assert inner.line(4).executions == 2
    assert outer.line(4).executions == 3


def test_only_the_kernels_that_are_named(kernels):
    x = lathe.zeros(256)
    with lathe.inspect(kernels["stride"]) as report:
        kernels["stride"][1, 32](x, 1)
        kernels["meet"][1, 32](lathe.zeros(64, np.int32), 1)
    assert {row.kernel for row in report} == {"stride"}
    with pytest.raises(KeyError, match="no launch came to line 24"):
        report.line(24)
    with pytest.raises(TypeError, match="takes kernels, not str"):
        lathe.inspect("stride")


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_as_text_json_and_page(kernels):
    with lathe.inspect() as report:
        assert str(report) == "no launch was inspected"
        kernels["part"][1, 64](lathe.zeros(64, np.int32), 4)
    assert "x[threadIdx.x] = 1" in str(report)
    assert "25%" in str(report)
    lines = {row["line"]: row for row in json.loads(report.to_json())["lines"]}
    assert lines[14]["lanes"] == 16
    page = report.to_html("a <title>")
    parsed = _Page(page)
    assert not parsed.open and not parsed.links
    assert "a &lt;title&gt;" in page and "if (threadIdx.x % m == 0)" in page


SCRIPT = '''
import lathe
kernel = lathe.kernel("""__global__ void fill(float* x) {
    x[threadIdx.x * 8] = 1; }""")
kernel[1, 32](lathe.zeros(%d))
%s
'''


def command(tmp_path, text, *arguments, **environment):
    script = tmp_path / "script.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "lathe", "inspect", str(script), *arguments],
        capture_output=True, text=True, env=script_environment(**environment), timeout=300,
        cwd=tmp_path,
    )  # fmt: skip


def test_the_command(tmp_path):
    done = command(tmp_path, SCRIPT % (256, ""), "--json", "r.json", "--html", "r.html")
    assert done.returncode == 0, done.stderr
    assert "32.0/4.0" in done.stdout
    lines = json.loads((tmp_path / "r.json").read_text())["lines"]
    assert any(row["line"] == 2 and row["sectors"] == 32 for row in lines)
    assert "x[threadIdx.x * 8] = 1" in (tmp_path / "r.html").read_text()


def test_what_the_command_says_of_a_fault_and_of_a_gpu(tmp_path):
    done = command(tmp_path, SCRIPT % (240, "lathe.zeros(1).get()"))
    assert done.returncode == 1
    assert "past the end of a 960-byte allocation" in done.stderr
    assert "32.0/4.0" in done.stdout or "fill" in done.stdout
    done = command(tmp_path, SCRIPT % (256, ""), LATHE_DEVICE="hardware")
    assert done.returncode == 1
    assert "needs the software device" in done.stderr


HAZARDS = """
extern "C" {
__global__ void smooth(float* y) {
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;                   // 5
    y[threadIdx.x] = s[63 - threadIdx.x]; }         // 6

__global__ void smooth_well(float* y) {
    __shared__ float s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = s[63 - threadIdx.x]; }

__global__ void add(float* y, const float* x) {
    y[threadIdx.x] += x[threadIdx.x]; }             // 15
}
"""


@pytest.fixture(scope="module")
def hazards():
    first = lathe.kernel(HAZARDS, "smooth")
    return {"smooth": first} | {name: first.sibling(name) for name in ("smooth_well", "add")}


def test_a_race_is_reported_with_both_threads(hazards):
    with lathe.inspect() as report:
        for _ in range(3):
            hazards["smooth"][2, 64](lathe.zeros(64))
    race = next(found for found in report.findings if found.kind == "races")
    assert race.kernel == "smooth"
    assert {race.first.line, race.second.line} == {5, 6}
    assert race.first.block == race.second.block
    assert race.first.thread[0] // 32 != race.second.thread[0] // 32
    assert race.memory == "shared memory" and race.bytes == 4
    writer, reader = sorted((race.first, race.second), key=lambda thread: thread.line)
    assert (writer.access, reader.access) == ("write", "read")
    assert race.offset == 4 * writer.thread[0] == 4 * (63 - reader.thread[0])
    assert race.count >= 3
    assert "put __syncthreads() between the two lines" in str(race)
    assert "put __syncthreads() between the two lines" in report.to_html()
    found = json.loads(report.to_json())["findings"]
    assert "races" in {each["kind"] for each in found}


def test_innocent_kernels_and_counting_alone_report_nothing(hazards):
    with lathe.inspect() as report:
        hazards["smooth_well"][2, 64](lathe.zeros(64))
        hazards["add"][1, 64](lathe.zeros(64), lathe.zeros(64))
    assert not report.findings
    with lathe.inspect(find=()) as report:
        hazards["smooth"][1, 64](lathe.zeros(64))
    assert report.line(5).executions == 2 and not report.findings
    with pytest.raises(ValueError, match="known are races, uninit, barriers, oob"):
        lathe.inspect(find=["race"])


def test_memory_that_nothing_has_written(hazards):
    old = lathe.empty(64)
    with lathe.inspect(find=["uninit"]) as report:
        hazards["add"][1, 64](old, lathe.empty(64))
    assert [(found.kind, found.first.line, found.second) for found in report.findings] == [
        ("uninit", 15, None)
    ]
    assert "256-byte allocation" in report.findings[0].memory
    with lathe.inspect(find=["uninit"]) as report:  # all ways to write
        filled, copied, made = lathe.empty(64), lathe.empty(64), lathe.empty(64)
        filled.fill(1)
        copied.set(np.ones(64, np.float32))
        hazards["smooth_well"][1, 64](made)
        for x in (filled, copied, made, lathe.asarray(np.ones(64, np.float32))):
            hazards["add"][1, 64](old, x)
        square = lathe.asarray(np.eye(8, dtype=np.float32))
        hazards["add"][1, 64](old, square @ square)
        hazards["add"][1, 64](old, lathe.linalg.inv(square))
    assert not report.findings


def test_memory_of_a_pool_is_new_again(hazards):
    old = lathe.zeros(64)
    with lathe.inspect(find=["uninit"]) as report:
        first = lathe.zeros(64)
        hazards["add"][1, 64](old, first)
        del first
        hazards["add"][1, 64](old, lathe.empty(64))
    assert len(report.findings) == 1


RACE = '''
import lathe
kernel = lathe.kernel("""__global__ void count(int* x) {
    x[0] += 1; }""")
kernel[4, 32](lathe.zeros(1, "int32"))
'''


def test_what_the_command_fails_on(tmp_path):
    done = command(tmp_path, RACE, "--fail-on", "races,uninit")
    assert done.returncode == 1
    assert "data race in global memory" in done.stdout
    assert "use an atomic" in done.stdout
    assert "of what --fail-on names were found" in done.stderr
    assert command(tmp_path, RACE, "--fail-on", "uninit").returncode == 0
    done = command(tmp_path, RACE, "--fail-on", "race")
    assert done.returncode == 1 and "--fail-on race: known are races" in done.stderr
