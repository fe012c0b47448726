# SPDX-License-Identifier: MIT
"""Pictures that move as H.264: what ``lathe serve`` sends, decoded by the ffmpeg program and by a
browser, is the picture that the App has drawn."""

import base64
import contextlib
import functools
import io
import shutil
import struct
import subprocess
import time

import numpy as np
import pytest
from browser import PROGRAM, Browser
from PIL import Image
from test_serve import Served
from websockets.sync.client import connect

# Frame n is known to whoever knows n, which the top left corner says in blocks of 16 pixels.
SCRIPT = """
import lathe
import numpy as np
app = lathe.App("waves", size=(202, 121))
count = 0
@app.frame
def frame(step):
    global count
    width, height = app.size
    y, x = np.mgrid[0:height, 0:width]
    t = count / 10
    picture = np.stack([np.sin(x / 9 + t), np.sin(y / 11 - t), np.sin((x + y) / 15 + 2 * t)], -1)
    picture = (127.5 + 127.5 * picture).astype(np.uint8)
    for bit in range(8):
        picture[:16, 16 * bit : 16 * bit + 16] = 255 if count >> bit & 1 else 0
    if app.param("moves", 1, 0, 1, step=1) > 0:
        count = (count + 1) % 256
    app.image(picture)
app.run()
"""


@functools.cache
def has_encoder():
    if shutil.which("ffmpeg") is None:
        return False
    done = subprocess.run(["ffmpeg", "-hide_banner", "-encoders"], capture_output=True, text=True)
    return "libx264" in done.stdout


pytestmark = pytest.mark.skipif(not has_encoder(), reason="no ffmpeg with H.264")


def number_in(picture):
    return sum(1 << bit for bit in range(8) if picture[8, 16 * bit + 8].mean() > 127)


def drawn(count, width, height):
    """As the script does it."""
    y, x = np.mgrid[0:height, 0:width]
    t = count / 10
    picture = np.stack([np.sin(x / 9 + t), np.sin(y / 11 - t), np.sin((x + y) / 15 + 2 * t)], -1)
    picture = (127.5 + 127.5 * picture).astype(np.uint8)
    for bit in range(8):
        picture[:16, 16 * bit : 16 * bit + 16] = 255 if count >> bit & 1 else 0
    return picture


def psnr(a, b):
    return 10 * np.log10(255**2 / np.mean((a.astype(float) - b.astype(float)) ** 2))


class Line:
    """Keeps what comes."""

    def __init__(self, served):
        self._stack = contextlib.ExitStack()
        address = f"ws://127.0.0.1:{served.port}/view?token={served.token}"
        self.line = self._stack.enter_context(connect(address, max_size=None, proxy=None))
        self.frames = []  # codec, width, height, bytes

    def take_until(self, is_done, seconds=30):
        end = time.monotonic() + seconds
        while not is_done():
            assert time.monotonic() < end, len(self.frames)
            try:
                data = self.line.recv(timeout=0.5)
            except TimeoutError:
                continue
            if isinstance(data, str):
                if data.startswith("ping "):
                    self.line.send("pong " + data[5:])
                continue
            _, codec, number, width, height, _ = struct.unpack_from("<BBxxIHHI", data)
            self.frames.append((codec, width, height, data[16:]))
            self.line.send(f"shown {number}")

    def videos(self):
        return [frame for frame in self.frames if frame[0]]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    program = Served(tmp_path_factory.mktemp("video"), "--no-ui", "--codec", "h264", script=SCRIPT)
    yield program
    program.end()


def test_what_is_sent_is_decoded_by_ffmpeg_to_what_was_drawn(served, tmp_path):
    with Line(served) as line:
        line.line.send("codec h264\nsize 202 121 1")
        line.take_until(lambda: len([f for f in line.videos() if f[1:3] == (202, 121)]) > 30)
    videos = [frame for frame in line.videos() if frame[1:3] == (202, 121)]
    first = next(k for k, frame in enumerate(videos) if frame[0] == 2)
    stream = b"".join(frame[3] for frame in videos[first:])
    (tmp_path / "a.h264").write_bytes(stream)
    words = "-loglevel error -i a.h264 -f rawvideo -pix_fmt rgb24 -"
    raw = subprocess.run(
        ["ffmpeg", *words.split()],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    ).stdout
    pictures = np.frombuffer(raw, np.uint8).reshape(-1, 122, 202, 3)[:, :121]
    assert len(pictures) == len(videos) - first
    numbers = [number_in(picture) for picture in pictures]
    assert len(set(numbers)) > 20
    for number, picture in zip(numbers, pictures, strict=True):
        assert psnr(picture, drawn(number, 202, 121)) > 30
    means = [len(frame[3]) for frame in videos[first + 1 :]]
    assert np.mean(means) < 8000  # a JPEG file has 10000


def test_a_viewer_who_says_nothing_gets_jpeg(served):
    with Line(served) as line:
        line.take_until(lambda: len(line.frames) > 10)
    assert not line.videos()


def test_with_auto_a_good_line_gets_jpeg(tmp_path):
    program = Served(tmp_path, "--no-ui", script=SCRIPT)
    with Line(program) as line:
        line.line.send("codec h264")
        line.take_until(lambda: len(line.frames) > 10)
    assert not line.videos()
    program.end()


def test_encoders_end_with_the_program(tmp_path):
    program = Served(tmp_path, "--no-ui", "--codec", "h264", script=SCRIPT)
    with Line(program) as line:
        line.line.send("codec h264")
        line.take_until(lambda: len(line.videos()) > 3)
        children = children_of(program.process.pid)
        assert len(children) == 1
        program.process.kill()  # it cannot end them itself
        program.process.wait()
    end = time.monotonic() + 10
    while any(is_alive(child) for child in children):
        assert time.monotonic() < end
        time.sleep(0.05)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        own = file.read().split()
    done = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True)
    return [int(child) for child in {*own, *done.stdout.split()}]


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if PROGRAM is None:
        pytest.skip("no chromium")
    with Browser(tmp_path_factory.mktemp("chromium"), 640, 400) as browser:
        yield browser


def shown(browser):
    """The browser's canvas, pixel by pixel."""
    png = browser.run("lathe.canvas.toDataURL('image/png')")
    picture = Image.open(io.BytesIO(base64.b64decode(png.split(",", 1)[1])))
    return np.asarray(picture.convert("RGB"))


def test_a_browser_shows_it(served, browser):
    browser.resize(301, 201)  # odd sides, which H.264 has not
    browser.open(f"http://localhost:{served.port}/?token={served.token}")
    browser.wait_for("window.lathe && lathe.stats.videoFrames > 20")
    browser.wait_for("lathe.canvas.width == 301 && lathe.canvas.height == 201")
    for _ in range(5):
        before = browser.run("lathe.stats.videoFrames")
        browser.wait_for(f"lathe.stats.videoFrames > {before + 3}")
        picture = shown(browser)
        assert psnr(picture, drawn(number_in(picture), 301, 201)) > 28
    browser.resize(640, 400)
    browser.wait_for("lathe.canvas.width == 640 && lathe.canvas.height == 400")
    before = browser.run("lathe.stats.videoFrames")
    browser.wait_for(f"lathe.stats.videoFrames > {before + 5}")


def test_a_browser_whose_decoder_fails_gets_jpeg(served, browser):
    browser.open(f"http://localhost:{served.port}/?token={served.token}")
    browser.wait_for("window.lathe && lathe.stats.videoFrames > 5")
    browser.run("VideoDecoder.prototype.decode = function() { throw new Error('broken'); }")
    frames, videos = browser.run("[lathe.stats.frames, lathe.stats.videoFrames]")
    browser.wait_for(f"lathe.stats.frames > {frames + 20}")
    assert browser.run("lathe.stats.videoFrames") <= videos + 2


def test_a_browser_without_webcodecs_gets_jpeg(served, browser):
    browser.at_start("delete window.VideoDecoder")
    browser.open(f"http://localhost:{served.port}/?token={served.token}")
    browser.wait_for("window.lathe && typeof VideoDecoder == 'undefined'")
    browser.wait_for("lathe.stats.frames > 20")
    assert browser.run("lathe.stats.videoFrames") == 0
