# SPDX-License-Identifier: MIT
"""``lathe serve``: its page, its lines, and who may have them."""

import contextlib
import io
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest
from conftest import ROOT
from PIL import Image
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

# Hands move no camera. The picture's red is the slider, its green whether the mouse is down, its
# blue the letters typed.
SCRIPT = """
import lathe
app = lathe.App("colours", size=(96, 64))
typed = 0
@app.on_mouse("press")
def keep(event):
    return True
@app.on_wheel
def keep_wheel(event):
    return True
@app.frame
def frame(step):
    global typed
    typed += len(app.input.text)
    red = app.param("red", 0.25, 0, 1)
    green = 1.0 if app.input.button_down() else 0.0
    app.image([[[red, green, min(typed / 4, 1)]]])
app.run()
"""


class Served:
    """A program that is served, with what it printed."""

    def __init__(self, folder, *options, script=SCRIPT, file=None):
        if file is None:
            file = folder / "colours.py"
            file.write_text(script)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lathe", "serve", str(file), "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env={**os.environ, "LATHE_CACHE_DIR": str(folder / "cache")},
        )
        self.folder = folder
        first = self.process.stdout.readline()
        match = re.search(r"http://localhost:(\d+)/\?token=(\S+)", first)
        assert match, first + self.process.stdout.read()
        self.port, self.token = int(match[1]), match[2]

    def get(self, path, token=None):
        """Status and body of a page."""
        token = self.token if token is None else token
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}{path}?token={urllib.parse.quote(token)}", timeout=10
            ) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def look(self, **options):
        return Page(
            connect(
                f"ws://127.0.0.1:{self.port}/view?token={self.token}",
                max_size=None,
                proxy=None,
                **options,
            )
        )

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class Page:
    """What a browser's page does, in Python."""

    def __init__(self, line):
        self._stack = contextlib.ExitStack()
        self.line = self._stack.enter_context(line)
        self.words = []
        self.frames = 0
        self.picture = None

    def take(self, timeout=5.0):
        data = self.line.recv(timeout=timeout)
        if isinstance(data, str):
            self.words.append(data)
            if data.startswith("ping "):
                self.line.send("pong " + data[5:])
            return
        kind, codec, number, self.width, self.height, _ = struct.unpack_from("<BBxxIHHI", data)
        assert (kind, codec) == (1, 0)
        self.picture = np.asarray(Image.open(io.BytesIO(data[16:])).convert("RGB"))
        self.frames += 1
        self.line.send(f"shown {number}")

    def take_until(self, is_done, seconds=20):
        end = time.monotonic() + seconds
        while not is_done():
            assert time.monotonic() < end, self.words
            try:
                self.take(timeout=0.5)
            except TimeoutError:
                continue

    def colour(self):
        """Of the picture's middle, red, green and blue from 0 to 1."""
        if self.picture is None:
            return np.zeros(3)
        return self.picture[self.picture.shape[0] // 2, self.picture.shape[1] // 2] / 255

    def close(self):
        self._stack.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    program = Served(tmp_path_factory.mktemp("served"), "--no-ui", "--set", "red=0.75")
    yield program
    program.end()


def test_a_viewer_sees_the_picture_and_its_hands_change_it(served):
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        assert page.picture.shape == (64, 96, 3)
        page.take_until(lambda: abs(page.colour()[0] - 0.75) < 0.05)
        assert page.colour()[1] < 0.1
        page.line.send("move 48 32\nbutton left down 0")
        page.take_until(lambda: page.colour()[1] > 0.9)
        page.line.send("button left up 0")
        page.take_until(lambda: page.colour()[1] < 0.1)
        page.line.send("text abcd")
        page.take_until(lambda: page.colour()[2] > 0.9)


def test_the_picture_is_as_large_as_the_page(served):
    with served.look() as page:
        page.line.send("size 200 120 1")
        page.take_until(lambda: page.frames and page.picture.shape == (120, 200, 3))
        page.line.send("size 96 64 1")
        page.take_until(lambda: page.picture.shape == (64, 96, 3))


def test_one_of_several_viewers_steers(served):
    with served.look() as first, served.look() as second:
        first.take_until(lambda: any(w.startswith("viewers 2") for w in first.words))
        second.take_until(lambda: any(w.startswith("role") for w in second.words))
        role = next(w.split() for w in second.words if w.startswith("role"))
        second.line.send("move 48 32\nbutton left down 0\nname B\nask")
        first.take_until(lambda: f"asked {role[1]} B" in first.words)
        first.line.send(f"give {role[1]}")
        second.take_until(lambda: f"role {role[1]} {role[1]}" in second.words)
        assert second.colour()[1] < 0.1
        second.line.send("button left down 0")
        first.take_until(lambda: first.colour()[1] > 0.9)  # all see it
    with served.look() as page:  # nothing stays down
        page.take_until(lambda: page.frames > 0 and page.colour()[1] < 0.1)


def test_without_the_token_nothing_is_told(served):
    for path in ("/", "/status.json", "/still.png", "/view", "/else"):
        for token in ("", "x", served.token[:-1], served.token + "x", "\u00e4\x00"):
            assert served.get(path, token)[0] == 403, (path, token)
    address = f"ws://127.0.0.1:{served.port}/view?token=no"
    with pytest.raises(InvalidStatus, match="403"), connect(address, proxy=None):
        pass


def test_pages_of_other_sites_may_not_look(served):
    with pytest.raises(InvalidStatus, match="403"):
        served.look(origin="http://evil.example")
    with served.look(origin=f"http://127.0.0.1:{served.port}") as page:
        page.take_until(lambda: page.frames > 0)


def test_the_page_needs_nothing_from_elsewhere(served):
    status, page = served.get("/")
    assert status == 200
    text = page.decode()
    assert "makeViewer" in text
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
    assert served.get("/else")[0] == 404
    assert served.get("/view")[0] == 426


def test_a_still_and_the_status_for_who_only_watches_over_it(served):
    status, png = served.get("/still.png")
    assert status == 200
    assert Image.open(io.BytesIO(png)).size == (96, 64)
    status, text = served.get("/status.json")
    found = json.loads(text)
    assert (found["width"], found["height"], found["is_open"]) == (96, 64, True)


@pytest.mark.parametrize(
    "message",
    ["nonsense", "key 65 sideways 0", "size 1 1 1", "x" * 100_000, "\n", b"binary", "move nan 0"],
)
def test_what_is_no_message_ends_the_line_and_not_the_program(served, message):
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        page.line.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            page.take_until(lambda: False)
        assert closed.value.rcvd.code == 1008
        assert closed.value.rcvd.reason
    assert served.get("/status.json")[0] == 200


def test_an_oversized_message_ends_the_line(served):
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        with pytest.raises(ConnectionClosed) as closed:
            page.line.send("paste " + "a" * (2 << 20))
            page.take_until(lambda: False)
        assert closed.value.rcvd.code == 1009


def test_a_flood_is_survived(served):
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        for _ in range(300):
            page.line.send("\n".join(["move 1 1", "key 65 down 0", "wheel 0 1"] * 100))
        end = time.monotonic() + 20
        while page.colour()[1] < 0.9:  # the last of the flood may be dropped, too
            assert time.monotonic() < end
            page.line.send("button left up 0\nmove 48 32\nbutton left down 0")
            with contextlib.suppress(TimeoutError):
                page.take(timeout=0.2)


def test_lines_that_break_or_say_nothing_cost_the_others_nothing(served):
    raw = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(20)]
    raw[0].sendall(b"\x16\x03\x01 is no HTTP\r\n\r\n")
    raw[1].sendall(b"GET /view HTTP/1.1\r\n" + b"X: y\r\n" * 5000)
    stalled = served.look()  # reads nothing from now on
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        for line in raw[:10]:
            line.close()
        before = page.frames
        page.line.send("ask")
        stalled.line.send("give 1")
        for k in range(20):
            stalled.line.send(f"text {'a' * (k % 3)}")
        assert page.frames >= before
    stalled.close()
    for line in raw:
        line.close()
    assert served.get("/status.json")[0] == 200


def test_too_many_viewers_are_told_so(served):
    pages = []
    try:
        for _ in range(64):
            pages.append(served.look())
        with served.look() as late, pytest.raises(ConnectionClosed) as closed:
            late.take_until(lambda: False)
        assert closed.value.rcvd.code == 1013
        assert "64 viewers" in closed.value.rcvd.reason
    finally:
        for page in pages:  # not one after another in good manners: each would read what waits
            page.line.socket.shutdown(socket.SHUT_RDWR)


def test_ctrl_c_ends_it_in_good_order(tmp_path):
    program = Served(tmp_path, "--no-ui")
    with program.look() as page:
        page.take_until(lambda: page.frames > 0)
        words = program.end()
    assert "Traceback" not in words, words
    assert program.process.returncode == 130


def test_a_program_with_an_end_says_so_to_its_viewers(tmp_path):
    program = Served(tmp_path, "--no-ui", "--frames", "40")
    with program.look() as page, pytest.raises(ConnectionClosed):
        page.take_until(lambda: False, seconds=30)
    assert page.frames > 0
    assert program.process.wait(20) == 0


def test_a_port_in_use_is_told(tmp_path):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "lathe", "serve", "gray_scott", "--port", str(port)],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr == (
        f"lathe: port {port} is in use; another one: --port {port + 1}, or a free one: --port 0\n"
    )


@pytest.mark.parametrize("port", ["-1", "x", "65536", "1.5"])
def test_what_is_no_port_is_told(port):
    done = subprocess.run(
        [sys.executable, "-m", "lathe", "serve", "gray_scott", f"--port={port}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "is no port" in done.stderr


def test_a_script_that_fails_is_seen_failing_and_mended(tmp_path):
    program = Served(tmp_path, "--no-ui")
    with program.look() as page:
        page.take_until(lambda: page.frames > 0)
        file = tmp_path / "colours.py"
        file.write_text(SCRIPT.replace("[[[red,", "[[[1.0, red] if 1 else [red,"))
        time.sleep(0.3)
        file.write_text(SCRIPT.replace("[[[red,", "[[[1.0,"))
        page.take_until(lambda: page.colour()[0] > 0.95)
    program.end()


# -- programs in C++ -------------------------------------------------------------------------------

PROGRAMS = ROOT / "build" / "apps"


@pytest.fixture
def program(tmp_path):
    """Serves one of apps/*_cpp; none outlives its test."""
    started = []

    def start(name, *options):
        if not (PROGRAMS / name).exists():
            pytest.skip(f"{name} is not built")
        started.append(Served(tmp_path, *options, file=PROGRAMS / name))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


def child_of(parent):
    with open(f"/proc/{parent}/task/{parent}/children") as children:
        return int(children.read())


def test_a_program_in_cpp_is_seen_and_steered(program):
    served = program("swarm_cpp", "--size", "640x400")
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        assert page.picture.shape == (400, 640, 3)
        assert "title swarm" in page.words
        page.line.send("size 700 420 1")
        page.take_until(lambda: page.picture.shape == (420, 700, 3))
        page.line.send("key 300 down 0\nkey 300 up 0")  # F11: the picture alone
        panels = page.picture
        page.take_until(lambda: np.abs(page.picture.astype(int) - panels).mean() > 5)
    assert json.loads(served.get("/status.json")[1])["is_open"]
    assert served.get("/still.png")[1].startswith(b"\x89PNG")
    out = served.end()
    assert served.process.returncode == 130, out
    assert "Traceback" not in out
    assert "rror" not in out
    assert not list((served.folder / "cache").glob("autosave/*/running.*")), "no crash"


def test_a_program_in_cpp_takes_the_options(program):
    served = program("ripple_cpp", "--no-ui", "--size", "200x100", "--frames", "40")
    assert served.process.wait(timeout=60) == 0
    assert "rror" not in served.process.stdout.read()


def test_a_program_in_cpp_that_dies_ends_the_page(program):
    served = program("ripple_cpp", "--size", "200x100")
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        os.kill(child_of(served.process.pid), signal.SIGKILL)
        page.take_until(lambda: "over" in page.words)
    assert served.process.wait(timeout=20) == 128 + signal.SIGKILL


def test_a_program_in_cpp_ends_with_its_page_server(program):
    served = program("swarm_cpp", "--size", "320x200")
    with served.look() as page:
        page.take_until(lambda: page.frames > 0)
        child = child_of(served.process.pid)
        served.process.kill()
        served.process.wait()
        end = time.monotonic() + 20
        while os.path.exists(f"/proc/{child}") and time.monotonic() < end:
            time.sleep(0.05)
        assert not os.path.exists(f"/proc/{child}")
    assert not list((served.folder / "cache").glob("autosave/*/running.*")), "no crash"


def test_what_cannot_be_started_is_said(tmp_path):
    file = tmp_path / "nothing"
    file.write_bytes(b"\x00")
    file.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-m", "lathe", "serve", str(file), "--port", "0"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "cannot be started: Exec format error" in done.stderr
