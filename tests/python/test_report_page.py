# SPDX-License-Identifier: MIT
"""lathe report: one page of HTML with the picture, the sliders, the code and the checks."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import ROOT, script_environment
from PIL import Image


def lathe(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-m", "lathe", *arguments],
        capture_output=True, text=True, env=script_environment(), timeout=300, cwd=cwd,
    )  # fmt: skip


class Page(HTMLParser):
    """Rows of tables as tuples, sources of pictures, and every address that would be loaded."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.pictures, self.loaded, self.summaries = [], [], [], []
        self._cell = self._summary = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag == "img":
            self.pictures.append(named["src"])
        elif "src" in named or tag in ("link", "script", "iframe"):
            self.loaded.append((tag, named))
        if tag == "tr":
            self.rows.append(())
        elif tag in ("td", "th"):
            self._cell = ""
        elif tag == "summary":
            self._summary = ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data
        if self._summary is not None:
            self._summary += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1] += (self._cell,)
            self._cell = None
        elif tag == "summary":
            self.summaries.append(self._summary)
            self._summary = None

    def picture(self):
        head, data = self.pictures[0].split(",")
        assert head == "data:image/png;base64"
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


EXPERIMENT = """
import lathe
app = lathe.App("a < b", size=(64, 48))
code = r'''extern "C" __global__ void grow(float* a, float speed) {
    if (1 < 2) a[threadIdx.x] += speed;
}'''
kernel = app.kernel(code)
a = app.zeros((4, 4))
app.param("speed", 2.0, min=0.0, max=9.0)
while app.frame():
    kernel[1, 8](a, app.parameters["speed"])
    app.view.image(a, range=(0, 6), colormap="gray")
"""

CHECK = """
def check(report):
    report.within("a thing & another", 3.0, 2.0, "mm")
    report.within("a small one", 0.5, 1.0)
"""


def test_the_picture_the_sliders_and_the_code(tmp_path):
    ran = lathe(
        "report", "ripples", "--frames", "12", "--size", "320x180", "--set", "paddle=0.2",
        cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "wrote   ripples.html" in ran.stdout
    page = Page((tmp_path / "ripples.html").read_text())
    assert not page.loaded
    assert ("paddle", "0.2") in page.rows
    assert ("picture", "320 x 180 pixels, after 12 frames") in page.rows
    assert any(row[0] == "command" and "lathe report ripples" in row[1] for row in page.rows)
    source = (ROOT / "apps" / "sketches" / "ripples.cu").read_text()
    assert page.summaries == ["ripples.cu"]
    assert [row[1] for row in page.rows if re.fullmatch(r"\d+", row[0])] == source.splitlines()
    same = lathe(
        "run", "ripples", "--headless", "--frames", "12", "--size", "320x180",
        "--set", "paddle=0.2", "--out", "there", cwd=tmp_path,
    )  # fmt: skip
    assert same.returncode == 0, same.stderr
    (file,) = (tmp_path / "there").glob("*.png")
    assert np.array_equal(page.picture(), np.asarray(Image.open(file)))


def test_checks_and_what_html_would_take_for_its_own(tmp_path):
    (tmp_path / "mine.py").write_text(EXPERIMENT)
    (tmp_path / "check.py").write_text(CHECK)
    ran = lathe("report", "mine.py", "--frames", "3", "--check", "--out", "page.html", cwd=tmp_path)
    assert ran.returncode == 1, ran.stderr  # one check fails
    text = (tmp_path / "page.html").read_text()
    page = Page(text)
    assert ("FAIL", "a thing & another", "3", "2", "mm") in page.rows
    assert ("PASS", "a small one", "0.5", "1", "") in page.rows
    assert "<title>a &lt; b</title>" in text
    assert ("speed", "2") in page.rows
    assert len(page.summaries) == 2
    assert page.summaries[1] == "mine.py"
    assert any("if (1 < 2) a[threadIdx.x] += speed" in row[-1] for row in page.rows)
    assert page.picture().shape == (48, 64, 3)
    assert page.picture().max() == 255  # three times 2 of 6
    assert len(np.unique(page.picture())) < 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ripples", "--out", "no/page.html"], "there is no folder"),
        (["plain.py"], "opened no lathe.App"),
        (["ripples", "--frames", "none"], "--frames none"),
        (["ripples", "--set", "paddle"], "is not NAME=VALUE"),
        (["plain.py", "--check"], "opened no lathe.App"),
    ],
)
def test_a_mistake_gets_one_message_and_no_page(arguments, words, tmp_path):
    (tmp_path / "plain.py").write_text("print('nothing')\n")
    ran = lathe("report", *arguments, cwd=tmp_path)
    assert ran.returncode == 1
    assert words in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.html"))
