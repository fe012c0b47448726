# SPDX-License-Identifier: MIT
"""Sliders that follow a wave of the program's time, the mouse or keys."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lathe

SOURCE = """
__global__ void fill(float* x, float level, //@ 0..10 =5
                     float rate,            //@ 0.01..100 log
                     bool on,               //@ =false
                     float4 tint) {         //@ color
    x[0] = level; x[1] = rate; x[2] = on; x[3] = tint.y;
}
"""


def program(app, source=SOURCE):
    return app.kernel(source), app.zeros(4)


def run(app, kernel, x, frames):
    """What the kernel saw in each step."""
    seen = []
    for _ in range(frames):
        assert app.frame()
        kernel[1, 1](x)
        seen.append(x.get())
    return np.array(seen)


def test_steps_have_exactly_the_values_of_their_time(app):
    fill, x = program(app)
    app.bind("level", lathe.oscillation("sine", period=0.5, low=2, high=6))
    app.bind("rate", lathe.oscillation("triangle", period=0.25))
    app.bind("tint.y", "saw 1s phase=0.5")
    time, expected = 0.0, []
    for _ in range(40):
        part = math.fmod(time / 0.25, 1)
        triangle = 2 * part if part < 0.5 else 2 - 2 * part
        expected.append(
            (
                2 + 4 * (0.5 - 0.5 * math.cos(2 * math.pi * math.fmod(time / 0.5, 1))),
                0.01 * 10000**triangle,
                0,
                math.fmod(time + 0.5, 1),
            )
        )
        time += 1 / 60
    seen = run(app, fill, x, 40)
    np.testing.assert_allclose(seen, np.float32(expected), rtol=1e-6, atol=1e-7)
    assert app.bindings == {"level": "sine(2..6) 0.5s", "rate": "triangle 0.25s",
                            "tint.y": "saw 1s phase=0.5"}  # fmt: skip


def test_a_kernels_comment_binds_and_runs_are_the_same(app):
    source = SOURCE.replace("0..10 =5", "0..10 noise 0.1s")
    fill, x = program(app, source)
    first = run(app, fill, x, 30)
    assert app.bindings == {"level": "noise 0.1s"}
    assert np.ptp(first[:, 0]) > 1
    app.run_control.reset()
    again = run(app, fill, x, 30)
    np.testing.assert_array_equal(first, again)


def test_a_paused_program_has_sliders_that_stand_still(app):
    fill, x = program(app)
    app.bind("level", "saw 1s")
    run(app, fill, x, 7)
    before = app.parameters["level"]
    app.run_control.paused = True
    app.frame_limit = app.frames + 5
    assert not app.frame()
    assert app.parameters["level"] == before


def test_setting_a_slider_ends_what_it_follows(app):
    fill, x = program(app)
    app.bind("level", "saw 1s")
    run(app, fill, x, 3)
    app.set("level", 1.0)
    assert run(app, fill, x, 3)[:, 0].tolist() == [1, 1, 1]
    assert app.bindings == {}
    app.bind("level", "saw 1s")
    run(app, fill, x, 3)
    assert app.unbind("level")
    stays = app.parameters["level"]
    assert run(app, fill, x, 3)[-1, 0] == np.float32(stays)
    assert not app.unbind("level")


def test_the_mouse_moves_a_slider(app):
    fill, x = program(app)
    app.bind("level", "mouse.x")
    app.bind("rate", "mouse.y", low=1, high=100)
    width, height = app.size
    assert run(app, fill, x, 2)[-1, 0] == 5
    app.input.move_mouse(width // 4, height // 2)
    level, rate, *_ = run(app, fill, x, 2)[-1]
    assert level == np.float32(10 * (width // 4) / (width - 1))
    assert rate == pytest.approx(100 ** (1 - (height // 2) / (height - 1)), rel=1e-6)
    app.input.move_mouse(width - 1, height - 1)  # the last pixel
    assert run(app, fill, x, 2)[-1][:2].tolist() == [10, 1]


def test_keys_step_and_switch(app):
    fill, x = program(app)
    app.bind("level", keys=("z", "x"), step=0.5)
    app.bind("on", key="b")
    for _ in range(2):
        app.input.press_key("x")
        app.input.press_key("b")
        run(app, fill, x, 1)
        app.input.release_key("x")
        app.input.release_key("b")
        level, _, on, _ = run(app, fill, x, 1)[-1]
    assert (level, on) == (6, 0)
    app.bind("on", key="b", hold=True)
    app.input.press_key("b")
    assert run(app, fill, x, 3)[-1, 2] == 1
    app.input.release_key("b")
    assert run(app, fill, x, 2)[-1, 2] == 0
    assert app.bindings["level"] == "keys(z,x,0.5)"


@pytest.mark.parametrize(
    ("words", "kind", "arguments"),
    [
        ("no parameter is named 'none'; known are", lathe.Error, ("none", "sine 4s")),
        ("tint is a vector: bind one of tint.x, tint.y", lathe.Error, ("tint", "saw")),
        ("on is true or false: it can only follow a key", lathe.Error, ("on", "saw")),
        ("period 0s: it must be above 0 s", lathe.Error, ("level", "sine 0s")),
        ("range 4.0..2.0: the first number must be below", lathe.Error, ("level", "saw(4.0..2.0)")),
        ("level goes to 20, which is outside of the slider's 0..10", lathe.Error,
         ("level", "saw(0..20)")),
        ("one of source, key= and keys=", TypeError, ("level",)),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(app, words, kind, arguments):
    program(app)
    with pytest.raises(kind, match=words):
        app.bind(*arguments)
    assert app.bindings == {}


def test_an_oscillation_checks_its_numbers():
    with pytest.raises(ValueError, match=r"a wave is one of sine, .* got 'cosine'"):
        lathe.oscillation("cosine")
    with pytest.raises(ValueError, match="a period is above 0 s, got 0"):
        lathe.oscillation(period=0)
    with pytest.raises(ValueError, match="low must be below high, got 3 and 1"):
        lathe.oscillation(low=3, high=1)
    with pytest.raises(ValueError, match="low must be below high, got 3 and None"):
        lathe.oscillation(low=3)


def test_a_script_that_runs_anew_forgets_its_bindings(app):
    program(app)
    app.bind("level", "saw 1s")
    app._begin_reload("again", (0, 0, 0))
    assert app.bindings == {}
