# SPDX-License-Identifier: MIT
"""Other programs' OpenGL beside an App and around one: moderngl without a display."""

from __future__ import annotations

import moderngl
import numpy as np
import pytest

import lathe


@pytest.fixture
def foreign():
    """A context of another library, not current afterwards."""
    context = moderngl.create_standalone_context(require=450, backend="egl")
    yield context
    context.release()


def test_another_context_between_frames(foreign):
    """B4: Lathe asks the system which context is current."""
    app = lathe.App("beside", size=(32, 32), headless=True, background=(0, 1, 0))
    x = app.zeros((8, 8))
    assert app.frame()
    app.image(x, range=(0, 1), colormap="gray")
    with foreign:
        target = foreign.simple_framebuffer((16, 16))
        target.use()
        target.clear(0.0, 0.0, 1.0)
    foreign.__enter__()  # and it stays
    assert app.frame()
    app.image(x, range=(0, 1), colormap="gray")
    picture = app.screenshot()
    assert picture[16, 16].tolist() == [0, 0, 0]
    with foreign:
        assert np.frombuffer(target.read(), np.uint8).reshape(-1, 3)[0].tolist() == [0, 0, 255]
        target.release()


def test_an_array_that_dies_in_another_context(foreign):
    app = lathe.App("dies", size=(32, 32), headless=True)
    x = app.zeros((8, 8))
    assert app.frame()
    foreign.__enter__()
    buffer = foreign.buffer(b"abcd")  # perhaps of the same number as the array's
    del x
    assert buffer.read() == b"abcd"
    assert app.frame()
