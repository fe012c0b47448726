# SPDX-License-Identifier: MIT
"""Panels of a script, values of its sliders, and kernels as the editor shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

import lathe


def test_panels_of_the_script_are_on_the_screen():
    app = lathe.App("panels", headless=True, ui=True)

    @app.panel("Good")
    def good():
        lathe.ui.slider("value", 0.25, 0.0, 1.0)

    @app.panel("Bad")
    def bad():
        raise KeyError("lost")

    @app.panel("Full")
    def full():
        lathe.ui.progress(1.0)

    app.frame_limit = 8
    while app.frame():
        pass
    window = app.screenshot(with_ui=True)
    assert (window == (0x58, 0xA6, 0xE8)).all(axis=2).sum() > 500
    assert any("KeyError" in text for _, _, text in app.console)


def test_a_value_outside_its_own_range_is_refused(app):
    with pytest.raises(ValueError, match="param far: the value 5 is not in 0 to 1"):
        app.param("far", 5, 0, 1)


def test_kernels_of_the_experiments_fit_the_editor():
    """70 columns: what the editor of a window 1280 pixels wide shows without scrolling."""
    files = sorted((Path(__file__).resolve().parents[2] / "apps").glob("*/*.cu"))
    assert len(files) >= 4
    for file in files:
        long = [line for line in file.read_text().splitlines() if len(line) > 70]
        assert not long, f"{file.name}: {long[0]}"


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_in_a_panel_ends_the_loop(ending):
    """B14: only exceptions go to the console."""
    app = lathe.App("panels", headless=True, ui=True)
    app.panel("Ending")(lambda: (_ for _ in ()).throw(ending()))
    app.frame_limit = 8
    with pytest.raises(ending):
        app.run()
    assert app.frames < 8
