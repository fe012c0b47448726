# SPDX-License-Identifier: MIT
"""What the course shows: accesses as the kernel does them, and a lesson from start to grade."""

from __future__ import annotations

import time

import numpy as np
import pytest

from lathe.learn import Launch, find_lesson, lessons
from lathe.learn.picture import words_of
from lathe.learn.trace import instrumented, trace

pytestmark = pytest.mark.software  # the course runs on the software device

SOURCE = """__global__ void turn(const float* in, float* out, int n) {
    __shared__ float row[32];
    int t = threadIdx.x;
    row[t] = in[blockIdx.x * 32 + t];
    __syncthreads();
    if (t < n) out[blockIdx.x * 32 + t] = row[31 - t];
    if (t == 7) atomicAdd(out + 31, 1.0f);
}"""


def test_each_access_is_noted_with_its_threads():
    numbers = np.arange(64, dtype=np.float32)
    launch = Launch(2, 32, (numbers, np.zeros(64, np.float32), np.int32(5)), {0: "in", 1: "out"})
    found = trace(SOURCE, "turn", launch)
    told = [(s.site.line, s.site.what, s.name, len(s.threads)) for s in found.steps]
    assert told[:5] == [
        (4, "read", "in", 64), (4, "write", "shared", 64), (5, "barrier", "", 64),
        (6, "read", "shared", 10), (6, "write", "out", 10),
    ]  # fmt: skip
    assert (7, "atomic", "out", 2) in told
    read, _, _, turned, written = found.steps[:5]
    assert (read.cells == read.blocks * 32 + read.threads).all()
    assert (written.cells == written.blocks * 32 + written.threads).all()
    first = turned.blocks == 0
    assert (np.diff(turned.cells[first][np.argsort(turned.threads[first])]) == -1).all()
    expected = numbers.reshape(2, 32)[:, ::-1].copy()
    expected[:, 5:] = 0
    expected[0, 31] += 2
    assert (found.arrays["out"].reshape(2, 32) == expected).all()
    assert not found.fault


def test_a_guarded_access_notes_only_its_threads():
    """The note stands behind the same guard as the access."""
    ptx = """.visible .entry k() {
    @!%p3 st.global.v2.f32 [%rd4+-8], {%f1, %f2};
    ld.param.u64 %rd1, [k_param_0];
}"""
    text, sites = instrumented(ptx)
    assert [(s.what, s.space, s.bytes) for s in sites] == [("write", "global", 8)]
    assert "@%p3 bra $LATHE_0;" in text and "add.s64 %ld1, %ld1, -8;" in text


def test_a_run_over_the_end_is_seen_in_the_spare_cells():
    lesson = find_lesson("2")
    check = lesson.check()
    launch = check.picture()
    found = trace(lesson.starter.read_text(), check.KERNEL, launch)
    assert max(int(s.cells.max()) for s in found.steps) >= launch.arguments[0].size
    assert not found.fault
    found = trace(lesson.solution.read_text(), check.KERNEL, launch)
    assert max(int(s.cells.max()) for s in found.steps) == launch.arguments[0].size - 1


def test_words():
    found = trace(SOURCE, "turn", Launch(1, 32, (np.zeros(32, np.float32),) * 2 + (np.int32(5),),
                                         {0: "in", 1: "out"}))  # fmt: skip
    words = words_of(found.steps[0], 0, 9, SOURCE.split("\n"))
    assert words == ("step 1 of 9: 32 threads read in\nline 4: row[t] = in[blockIdx.x * 32 + t];")


def test_the_window_shows_each_lesson_and_grades_the_first(tmp_path, monkeypatch):
    monkeypatch.setenv("LATHE_STATE_DIR", str(tmp_path))
    from lathe.learn.progress import Progress
    from lathe.learn.window import Course

    course = Course(headless=True, ui=True, size=(1280, 720))
    for lesson in lessons():
        course.open(lesson)
        for _ in range(3):
            course.app.run(frames=1)
        assert course.picture is not None and course.picture.steps, lesson.name
    first = lessons()[0]
    course.open(first)
    course.slot.source = first.solution.read_text()
    course.slot.compile_now()
    course.slot.wait()
    course.app.run(frames=2)
    course.begin_check()
    end = time.monotonic() + 60
    while course.checking is not None and time.monotonic() < end:
        course.app.run(frames=1)
        time.sleep(0.02)
    assert course.grade is not None and course.grade.passed, str(course.grade)
    assert Progress().passed == {first.name}
    assert "- [x] **Each cell has" in course.page()
    shown = course.app.screenshot(with_ui=True)
    assert shown.shape == (720, 1280, 3)
    assert (shown == (0x5F, 0xC4, 0x8A)).all(axis=2).sum() > 20, "no green tick"


def test_the_editor_has_the_kernel_of_the_open_lesson_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("LATHE_STATE_DIR", str(tmp_path))
    from lathe.learn.window import Course

    def tabs(course):
        course.app.run(frames=4)
        return course.app.screenshot(with_ui=True)[36:60, 806:1000]

    second, third = lessons()[1:3]
    course = Course(second, headless=True, ui=True, size=(1280, 720))
    alone = tabs(course)
    for lesson in (third, lessons()[0]):
        course.open(lesson)
        assert (tabs(course) != alone).any(), "another name"
    course.open(second)
    assert (tabs(course) == alone).all(), "its own tab, and no other"
