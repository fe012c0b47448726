# SPDX-License-Identifier: MIT
"""Further windows of an App on the page of ``lathe serve``: tabs in a real browser."""

import io

import numpy as np
import pytest
from browser import PROGRAM, Browser
from PIL import Image
from test_serve import Served

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium")

# The first window is red, the other one green, and blue while the button is down there.
SCRIPT = """
import lathe
app = lathe.App("first", size=(96, 64))
side = app.open_window("be side", size=(80, 60))
x = app.zeros((2, 2, 3))
y = app.zeros((2, 2, 3))
x[..., 0] = 1.0
@app.frame
def frame(step):
    app.image(x)
    if side.is_open:
        y[...] = [0.0, 1.0, float(side.input.button_down())]
        side.view.image(y)
app.run()
"""


@pytest.fixture
def page(tmp_path):
    program = Served(tmp_path, "--no-ui", script=SCRIPT)
    with Browser(tmp_path / "chromium", 640, 400) as browser:
        browser.open(f"http://localhost:{program.port}/?token={program.token}")
        browser.wait_for("window.lathe && lathe.stats.frames > 0")
        yield browser
    program.end()


def colour(page):
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    return picture[200, 320] > 127


def wait_for_colour(page, *expected):
    for _ in range(100):
        if tuple(colour(page)) == expected:
            return
    raise AssertionError(colour(page))


def press_tab(page, text):
    box = page.wait_for(
        f"(() => {{ const b = [...document.querySelectorAll('.lathe-tabs button')]"
        f".find((b) => b.textContent === '{text}'); if (!b) return null;"
        " const r = b.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2];"
        " })()"
    )
    page.click(*box)


def test_tabs_show_and_close_windows(page, tmp_path):
    wait_for_colour(page, True, False, False)
    press_tab(page, "be side")
    wait_for_colour(page, False, True, False)
    page.wait_for("lathe.canvas.width == 640 && lathe.canvas.height < 400")  # below the tabs
    page.press(320, 200)
    wait_for_colour(page, False, True, True)
    page.release(320, 200)
    wait_for_colour(page, False, True, False)
    (tmp_path / "tabs.png").write_bytes(page.screenshot())
    press_tab(page, "first")
    wait_for_colour(page, True, False, False)
    press_tab(page, "be side")
    press_tab(page, "×")
    wait_for_colour(page, True, False, False)
    page.wait_for("document.querySelector('.lathe-tabs').style.display === 'none'")
    page.wait_for("lathe.canvas.height == 400")
