# SPDX-License-Identifier: MIT
"""The page of ``lathe serve`` in a real browser: what its pointers and keys do to the picture."""

import io
import time

import numpy as np
import pytest
from browser import PROGRAM, Browser
from PIL import Image
from test_serve import Served

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium")

# Left half: red follows the wheel, green the left button, blue the length of the text typed. Right
# half: where the mouse is, and whether F2 is down.
SCRIPT = """
import lathe
app = lathe.App("hands", size=(96, 64))
text, wheel = "", 0.0
@app.on_wheel
def turn(event):
    global wheel
    wheel += event.delta[1]
    return True
@app.on_mouse("press")
def keep(event):
    return True
@app.frame
def frame(step):
    global text
    text += app.input.text
    x, y = app.input.mouse
    width, height = app.size
    left = [min(abs(wheel) / 8, 1), float(app.input.button_down()), min(len(text) / 8, 1)]
    right = [x / width, y / height, float(app.input.key_down("f2"))]
    app.image([[left, right]])
    if text.endswith("q"):
        app.close()
app.run()
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    program = Served(folder, "--no-ui", script=SCRIPT)
    with Browser(folder / "chromium", 640, 400) as browser:
        browser.open(f"http://localhost:{program.port}/?token={program.token}")
        browser.wait_for("window.lathe && lathe.stats.frames > 0")
        browser.wait_for("lathe.canvas.width == 640 && lathe.canvas.height == 400")
        yield browser
    program.end()


def halves(page):
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")) / 255
    height, width = picture.shape[:2]
    return picture[height // 2, width // 4], picture[height // 2, 3 * width // 4]


def wait_until(page, is_so, seconds=10):
    end = time.monotonic() + seconds
    while not is_so(*halves(page)):
        assert time.monotonic() < end, halves(page)


def test_the_picture_fills_the_page_and_follows_its_size(page):
    assert page.screenshot()
    page.resize(500, 300)
    page.wait_for("lathe.canvas.width == 500 && lathe.canvas.height == 300")
    page.resize(320, 200, ratio=2)  # pixels of the screen, not of the page
    page.wait_for("lathe.canvas.width == 640 && lathe.canvas.height == 400")
    page.resize(640, 400)
    page.wait_for("document.title.startsWith('hands')")


def test_the_mouse(page):
    page.press(160, 100)
    wait_until(page, lambda left, right: left[1] > 0.9 and abs(right[0] - 0.25) < 0.03)
    page.mouse("mouseMoved", 480, 300, "left", buttons=1)
    wait_until(
        page, lambda left, right: abs(right[0] - 0.75) < 0.03 and abs(right[1] - 0.75) < 0.03
    )
    page.release(480, 300)
    wait_until(page, lambda left, right: left[1] < 0.1)


def test_the_wheel(page):
    page.mouse("mouseMoved", 320, 200)
    page.mouse("mouseWheel", 320, 200, deltaX=0, deltaY=-400)
    wait_until(page, lambda left, right: abs(left[0] - 0.5) < 0.05)


def test_typed_and_composed_text(page):
    page.click(320, 200)
    page.type("ab")
    wait_until(page, lambda left, right: abs(left[2] - 0.25) < 0.05)
    page.insert("\u00e4\u00df")  # as an input method does
    wait_until(page, lambda left, right: abs(left[2] - 0.5) < 0.05)


def test_keys_are_held_and_go_up_when_the_page_loses_the_focus(page):
    page.click(320, 200)
    page.key_down("F2", "F2", 113)
    wait_until(page, lambda left, right: right[2] > 0.9)
    page.key_up("F2", "F2", 113)
    wait_until(page, lambda left, right: right[2] < 0.1)
    page.key_down("F2", "F2", 113)
    wait_until(page, lambda left, right: right[2] > 0.9)
    page.run("document.querySelector('textarea').blur()")
    wait_until(page, lambda left, right: right[2] < 0.1)


def test_a_finger_is_the_left_button(page):
    page.touch("touchStart", [(160, 100)])
    wait_until(page, lambda left, right: left[1] > 0.9 and abs(right[0] - 0.25) < 0.03)
    page.touch("touchMove", [(480, 100)])
    wait_until(page, lambda left, right: abs(right[0] - 0.75) < 0.03)
    page.touch("touchEnd", [])
    wait_until(page, lambda left, right: left[1] < 0.1)


def test_the_line_is_opened_again_when_it_breaks(page):
    page.run("lathe.breakLine()")
    page.wait_for("document.querySelector('.lathe-note').textContent.includes('Trying again')")
    before = page.run("lathe.stats.frames")
    page.wait_for(f"lathe.stats.frames > {before}")
    page.press(160, 100)
    wait_until(page, lambda left, right: left[1] > 0.9)
    page.release(160, 100)


def test_the_end_of_the_program_is_told(page):
    page.click(320, 200)
    page.type("q")
    page.wait_for("document.querySelector('.lathe-note').textContent.includes('ended')")
