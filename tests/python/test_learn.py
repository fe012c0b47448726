# SPDX-License-Identifier: MIT
"""The course: reference solutions pass, and wrong kernels fail for the right reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from lathe.learn import find_lesson, grade, lessons
from lathe.learn.apart import grade_apart
from lathe.learn.progress import Progress

pytestmark = pytest.mark.skipif(
    os.environ.get("LATHE_DEVICE") == "hardware", reason="the inspector needs the software device"
)

# Lesson: edits of the reference solution (old, new), and a word of the reason.
WRONG = {
    "01-which-thread": [
        (("blockIdx.x * blockDim.x + threadIdx.x;", "threadIdx.x;"), "are wrong"),
        (("blockIdx.x * blockDim.x", "blockIdx.x * 64"), "are wrong"),
        (("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x * gridDim.x + blockIdx.x"),
         "are wrong"),
        (("    out[i] = 1000 * blockIdx.x + threadIdx.x;",
          "if (threadIdx.x == 0) for (int k = 0; k < blockDim.x; ++k)\n"
          "out[i + k] = 1000 * blockIdx.x + k;"), "take part"),
    ],
    "02-two-dimensions": [
        (("if (x >= width || y >= height) return;", ""), "past the end"),
        (("x >= width || y >= height", "x >= width"), "past the end"),
        (("x >= width || y >= height", "y >= height"), "past the end"),
        (("x >= width ||", "x > width ||"), "past the end"),
        (("picture[y * width + x]", "picture[x * height + y]"), "are wrong"),
    ],
    "03-coalescing": [
        (("for (int i = t; i < n; i += threads)",
          "for (int i = t * 8; i < t * 8 + 8; ++i)"), "sectors where"),
        (("out[i] = 2 * in[i];", "out[i] = 2 * in[(i * 8) % n];"), "are wrong"),
        (("i += threads", "i += blockDim.x"), "128 suffice"),
        (("for (int i = t; i < n; i += threads)",
          "if (t % 32 == 0) for (int i = t * 8; i < t * 8 + 256; ++i)"), "take part"),
    ],
    "04-shared-memory": [
        (("__syncthreads();", ""), "race"),
        (("__syncthreads();", "__syncwarp();"), "race"),
        (("    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;", ""), "nothing has written"),
        (("(tile[t] + tile[t + 1] + tile[t + 2])",
          "((i > 0 ? in[i - 1] : 0) + in[i] + (i + 1 < n ? in[i + 1] : 0))"), "24 suffice"),
    ],
    "05-races": [
        (("atomicAdd(&bins[v], 1);", "bins[v] += 1;"), "race"),
        (("atomicAdd(&bins[v], 1);", "atomicAdd(&bins[v], 2);"), "are wrong"),
        (("atomicAdd(&bins[v], 1);", "atomicAdd(&bins[v & 3], 1);"), "are wrong"),
        (("    if (i >= n) return;\n    int v = values[i];\n    atomicAdd(&bins[v], 1);",
          "    if (i) return;\n    for (int k = 0; k < n; ++k) bins[values[k]] += 1;"),
         "take part"),
    ],
    "06-divergence": [
        (("if (t < half) {\n        int i = 2 * t;", "if (t % 2 == 0) {\n        int i = t;"),
         "1024-byte allocation"),
        (("int i = 2 * t;", "int i = t;"), "are wrong"),
        (("int half = n / 2;", "int half = n / 2 - 8;"), "past the end"),
        (("        out[i] = grow(in[i]);\n",
          "        out[i] = grow(in[i]) + 0 * shrink(in[i]);\n"), "128 times suffice"),
    ],
    "07-banks": [
        (("[33]", "[32]"), "32 turns"),
        (("    __syncthreads();\n", ""), "race"),
        (("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.y][threadIdx.x];"), "are wrong"),
        (("out[y * n + x] = tile[threadIdx.x][threadIdx.y];", "out[y * n + x] = in[x * n + y];"),
         "sectors where"),
    ],
    "08-reduction": [
        (("for (int s = 128; s > 0; s /= 2) {\n        if (t < s)",
          "for (int s = 1; s < 256; s *= 2) {\n        if (t % (2 * s) == 0)"), "split"),
        (("for (int s = 128; s > 0; s /= 2) {\n        if (t < s) tile[t] += tile[t + s];",
          "for (int s = 1; s < 256; s *= 2) {\n        int k = 2 * s * t;\n"
          "        if (k < 256) tile[k] += tile[k + s];"), "turns"),
        (("t + s];\n        __syncthreads();", "t + s];"), "race"),
        (("s > 0;", "s > 1;"), "are wrong"),
    ],
}  # fmt: skip


def test_each_lesson_has_wrong_solutions():
    assert [lesson.name for lesson in lessons()] == sorted(WRONG)
    assert min(map(len, WRONG.values())) >= 3


@pytest.mark.parametrize("name", sorted(WRONG))
def test_the_reference_passes_and_the_beginning_does_not(name):
    lesson = find_lesson(name)
    assert (found := grade(lesson, lesson.solution.read_text())).passed, str(found)
    assert not (found := grade(lesson, lesson.starter.read_text())).passed
    assert any(each.reason for each in found.criteria)


@pytest.mark.parametrize(
    ("name", "number"), [(name, i) for name in sorted(WRONG) for i in range(len(WRONG[name]))]
)
def test_wrong_kernels_fail_with_their_reason(name, number):
    (old, new), reason = WRONG[name][number]
    lesson = find_lesson(name)
    source = lesson.solution.read_text()
    assert old in source
    found = grade(lesson, source.replace(old, new))
    assert not found.passed
    assert any(reason in each.reason for each in found.criteria), str(found)


def test_divergence_is_the_reason():
    lesson = find_lesson("divergence")
    found = grade(lesson, lesson.starter.read_text())
    assert any("different ways" in each.reason for each in found.criteria)


def test_a_source_that_does_not_compile_is_a_grade():
    found = grade(lessons()[0], "__global__ void sign(int* out) { out[0] = }")
    assert [each.title for each in found.criteria] == ["The kernel compiles"]
    assert "expected an expression" in found.criteria[0].reason
    assert not found.passed


def test_a_kernel_that_does_not_end_is_a_grade(tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text("__global__ void sign(volatile int* out) { while (out[0] < 99) out[1] = 1; }")
    found = grade_apart(lessons()[0], file, seconds=6)
    assert [each.title for each in found.criteria] == ["The kernel ends"]


def test_files_beside_the_student_are_no_modules(tmp_path, monkeypatch):
    """A folder may have a numbers.py, which NumPy would import; grading takes Python's."""
    (tmp_path / "numbers.py").write_text("raise RuntimeError('not mine')")
    monkeypatch.chdir(tmp_path)
    lesson = lessons()[0]
    assert (found := grade_apart(lesson, lesson.solution)).passed, str(found)


def test_texts_fit_their_column():
    for lesson in lessons():
        assert lesson.title and len(lesson.hints) >= 3, lesson.name
        assert "## Your task" in lesson.text and "Hints" not in lesson.text
        assert 100 < len(lesson.text.split()) < 320, lesson.name  # two minutes
        for code in lesson.text.split("```")[1::2]:
            assert max(map(len, code.split("\n"))) <= 42, lesson.name
        for file in (lesson.starter, lesson.solution):
            assert max(map(len, file.read_text().split("\n"))) <= 63, lesson.name


def test_names():
    first = lessons()[0]
    assert find_lesson("1") == find_lesson("which-thread") == find_lesson(str(first.folder))
    with pytest.raises(ValueError, match="did you mean 03-coalescing"):
        find_lesson("coalesing")


def test_progress_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("LATHE_STATE_DIR", str(tmp_path))
    lesson = lessons()[0]
    progress = Progress()
    file = progress.kernel_of(lesson)
    assert file.read_text() == lesson.starter.read_text()
    file.write_text("mine")
    progress.add(lesson)
    progress.open(lesson)
    again = Progress()
    assert (again.passed, again.last) == ({lesson.name}, lesson.name)
    assert again.kernel_of(lesson).read_text() == "mine"
    (tmp_path / "learn" / "progress.json").write_text("broken")
    assert Progress().passed == set()


def _command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "lathe", "learn", *arguments],
        capture_output=True, text=True, timeout=120, env=dict(os.environ, **environment),
    )  # fmt: skip


def test_the_command_grades_and_lists(tmp_path):
    lesson = lessons()[0]
    good = _command("--grade", "1", str(lesson.solution), "--json", LATHE_DEVICE="hardware")
    assert good.returncode == 0, good.stderr
    assert json.loads(good.stdout)["passed"] is True
    bad = _command("--grade", lesson.name, str(lesson.starter))
    assert bad.returncode == 1 and "FAIL" in bad.stdout and "should be 0" in bad.stdout
    listed = _command("--list", LATHE_STATE_DIR=str(tmp_path))
    assert [line.split()[0] for line in listed.stdout.splitlines()] == sorted(WRONG)
    unknown = _command("--grade", "nothing", str(lesson.starter))
    assert unknown.returncode == 1 and "there is no lesson" in unknown.stderr
