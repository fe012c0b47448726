# SPDX-License-Identifier: MIT
"""PTX and machine code of an App's kernels, by line; what is wrong is told."""

from __future__ import annotations

import pytest

import lathe
from lathe.code_pane import CodeRow
from lathe.native import native

ROOTS = """__device__ float root(float x) { return sqrtf(x); }
__global__ void roots(float* x) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    x[i] = root(x[i]);
}"""


def lines_with(rows: list[CodeRow], word: str) -> set[int]:
    return {row.line for row in rows if word in row.text}


def test_ptx_and_machine_code_stand_at_their_lines() -> None:
    app = lathe.App("code", size=(32, 32), headless=True)
    roots = app.kernel(ROOTS)
    x = app.zeros(256)
    rows = app.code_of(roots)
    assert lines_with(rows, "sqrt") == {1}
    assert lines_with(rows, "st.global") == {4}
    assert rows[0].line == 0
    if native.can_inspect():  # the software device
        roots[4, 64](x)
        assert lines_with(app.code_of(roots, "machine"), "sqrt") >= {1}


def test_the_pane_needs_panels_and_a_word_that_it_knows() -> None:
    app = lathe.App("pane", size=(640, 480), headless=True, ui=True)
    assert app.code_pane == "off"
    app.code_pane = "machine"
    assert app.code_pane == "machine"
    plain = lathe.App("plain", size=(32, 32), headless=True, ui=False)
    plain.code_pane = "ptx"
    assert plain.code_pane == "off"
    with pytest.raises(ValueError, match="off, ptx, machine, got 'sass'"):
        app.code_pane = "sass"
    with pytest.raises(ValueError, match="ptx, machine, got 'off'"):
        app.code_of(app.kernel(ROOTS), "off")
