# SPDX-License-Identifier: MIT
"""Values of sliders that are saved by number and come back."""

from __future__ import annotations

import time

import pytest

import lathe


def declare(app):
    return (
        app.param("gain", 1.0, 0.0, 10.0),
        app.param("wrap", False),
        app.param("mode", "slow", choices=["slow", "fast"]),
    )


def test_presets_come_back_at_once_and_by_a_fade(app):
    declare(app)
    app.save_preset(1)
    app.set("gain", 5.0)
    app.set("wrap", True)
    app.set("mode", "fast")
    app.save_preset(2)
    assert app.preset_code() == 'gain=5, mode="fast", wrap=True'
    assert app.preset_code(1) == 'gain=1, mode="slow", wrap=False'
    assert app.recall_preset(1)
    assert declare(app) == (1.0, False, "slow")
    assert app.recall_preset(2, fade=0.2)
    seen = []
    end = time.monotonic() + 20
    while app.parameters["gain"] != 5.0 and time.monotonic() < end:
        app.frame()
        seen.append(declare(app)[0])
    assert seen == sorted(seen)
    assert declare(app) == (5.0, True, "fast")


def test_what_was_not_saved_changes_nothing(app):
    declare(app)
    assert not app.recall_preset(7)
    assert declare(app) == (1.0, False, "slow")
    with pytest.raises(lathe.Error, match="presets are 1 to 9, got 10"):
        app.save_preset(10)
