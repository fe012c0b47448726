# SPDX-License-Identifier: MIT
"""Files that are dropped on the page of ``lathe serve``."""

import time
from pathlib import Path

import numpy as np
import pytest
from browser import PROGRAM, Browser
from test_serve import Served
from websockets.exceptions import ConnectionClosed

# Writes down what was dropped, and shows an array.
SCRIPT = """
import lathe
import numpy as np
app = lathe.App("drops", size=(96, 64))
picture = np.zeros((2, 2, 3), np.float32)
@app.on_drop
def take(event):
    with open("dropped", "a") as file:
        for path in event.files:
            print(path.name, path.stat().st_size, *map(round, event.position), file=file)
            if path.suffix == ".npy":
                picture[:] = np.load(path)
@app.frame
def frame(step):
    app.image(picture)
app.run()
"""


@pytest.fixture
def served(tmp_path):
    (tmp_path / "temporary").mkdir()
    with pytest.MonkeyPatch.context() as its:  # a browser's sockets want a short one
        its.setenv("TMPDIR", str(tmp_path / "temporary"))
        program = Served(tmp_path, "--no-ui", script=SCRIPT)
    program.folder = tmp_path
    yield program
    program.end()
    assert not [file for file in (tmp_path / "temporary").rglob("*") if file.is_file()]


def wait_for_lines(folder, count):
    end = time.monotonic() + 20
    while True:
        file = folder / "dropped"
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) >= count:
            return lines
        assert time.monotonic() < end, lines
        time.sleep(0.05)


def test_files_reach_the_program(served):
    data = bytes(range(256)) * 2048
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        page.line.send(f"file {len(data)} ..%2F..%2Fevil.txt")
        page.line.send(data[:500_000])
        page.line.send(data[500_000:])
        page.line.send("file 0 \nmove 5 6\ndrop")
        lines = wait_for_lines(served.folder, 2)
    assert lines == ["evil.txt 524288 5 6", "file 0 5 6"]
    assert not Path(served.folder / "evil.txt").exists()


def test_what_cannot_be_taken_is_told_and_the_program_runs(served):
    with served.look() as page, served.look() as other:
        page.take_until(lambda: page.frames > 0)
        page.line.send("file 1000000000 large")
        page.take_until(lambda: any(w.startswith("told ") for w in page.words))
        page.line.send(b"x" * 1000)  # thrown away
        other.line.send("file 3 a")
        other.line.send(b"one")
        other.line.send("drop")
        other.take_until(lambda: any(w.startswith("told ") for w in other.words))
        page.line.send("file 3 good")
        page.line.send(b"one")
        page.line.send("drop")
        assert wait_for_lines(served.folder, 1)[0].startswith("good 3 ")
        with pytest.raises(ConnectionClosed) as closed:
            other.line.send(b"nobody announced it")
            other.take_until(lambda: False)
        assert closed.value.rcvd.code == 1008
    assert served.get("/status.json")[0] == 200


@pytest.mark.skipif(PROGRAM is None, reason="no chromium")
def test_a_browser_drops_files(served):
    np.save(served.folder / "green.npy", np.float32([0, 1, 0]))
    (served.folder / "large.bin").write_bytes(b"x" * 1_000_000)
    with Browser(served.folder / "chromium", 640, 400) as browser:
        browser.open(f"http://localhost:{served.port}/?token={served.token}")
        browser.wait_for("window.lathe && lathe.canvas.width == 640")
        browser.drop(320, 100, [served.folder / "green.npy", served.folder / "large.bin"])
        lines = wait_for_lines(served.folder, 2)
        assert lines == ["green.npy 140 320 100", "large.bin 1000000 320 100"]
        browser.wait_for("lathe.canvas.getContext('2d').getImageData(320, 200, 1, 1).data[1] > 240")
        with open(served.folder / "too_large", "wb") as file:
            file.truncate(300 << 20)
        browser.drop(320, 100, [served.folder / "too_large"])
        browser.wait_for("document.querySelector('.lathe-note').textContent.includes('256 MiB')")
