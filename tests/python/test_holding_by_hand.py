# SPDX-License-Identifier: MIT
"""Grips, gizmos, the file dialog and the row at the top, by a user's mouse and keyboard."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import hands
import numpy as np

BEGIN = """
import sys
from pathlib import Path
import numpy as np
import lathe

log = open("log.txt", "w", buffering=1)


def tell(*words):
    print(*words, file=log)
"""


@dataclass
class Told:
    """A program in a window, and what it tells."""

    user: hands.Hands
    log: Path

    def lines(self) -> list[list[str]]:
        return [line.split() for line in self.log.read_text().splitlines()]

    def wait(self, word: str) -> None:
        hands.wait(word, lambda: [word] in self.lines())

    def ask(self) -> dict[str, list[float]]:
        """What it tells when P is pressed: numbers by their names. Frames before have passed."""
        begin = len(self.lines())
        pressed = -np.inf

        def answered() -> bool:
            nonlocal pressed
            if time.monotonic() > pressed + 5:  # a dialog that closes may have taken the key
                pressed = time.monotonic()
                self.user.do("key", "p")
            return ["asked"] in self.lines()[begin:]

        hands.wait("the answer", answered)
        return {name: list(map(float, rest)) for name, *rest in self.lines()[begin:]}

    def drag(self, begin: list[float], end: list[float]) -> None:
        """Presses the left button at one place, and holds it at the other."""
        for at in (begin, end):
            self.user.do("mousemove", *(str(round(each)) for each in at))
            # The program's next frame has to see it there.
            self.ask()
            if at is begin:
                self.user.do("mousedown", "1")
                self.ask()


@contextmanager
def program(folder: Path, title: str, text: str) -> Iterator[Told]:
    script = folder / "by_hand.py"
    script.write_text(BEGIN + text)
    (folder / "log.txt").touch()
    with hands.display(folder) as user:
        running = subprocess.Popen([sys.executable, script], env=user.environment, cwd=folder)
        try:
            told = Told(user, folder / "log.txt")
            told.wait("ready")
            window = user.window(title)
            assert window is not None
            user.do("windowmove", window, "0", "0", "windowfocus", "--sync", window)
            yield told
        finally:
            running.kill()
            running.wait()


HOLD = """
app = lathe.App("taking hold", size=(640, 480), ui=False)
bead, speed = app.asarray([[0.0, 0.0, 0.0]], "float32"), app.zeros((1, 3))
mark = app.asarray([[1.5, 0.0, 0.0]])
pull = app.kernel('''
__global__ void pull(float* x, float* v, float tx, float ty, float tz, float k, float dt) {
    const float target[3] = {tx, ty, tz};
    const int i = threadIdx.x;
    if (i >= 3) return;
    v[i] += dt * (k * (target[i] - x[i]) - 8 * v[i]);
    x[i] += dt * v[i];
}''')
asked = False


@app.on_draw
def draw(view):
    app.to_clip = view.projection @ view.view


def pixel_of(place):
    x, y, _, w = app.to_clip @ (*place, 1.0)
    return 320 * (1 + x / w), 240 * (1 - y / w)


@app.on_key("p")
def ask():
    global asked
    asked = True


@app.frame
def frame(step):
    global asked
    grip = app.grip("beads")
    if asked:
        asked = False
        tell("bead", *pixel_of(bead.get()[0]))
        tell("bead.at", *bead.get()[0])
        tell("held", int(grip is not None))
        tell("ball", *pixel_of(mark.get()[0]))
        tell("up", *pixel_of(mark.get()[0] + (0, 0.6, 0)))
        tell("mark.at", *mark.get()[0])
        tell("yaw", app.orbit_camera.yaw)
        tell("asked")
    target = grip.target if grip else (0.0, 0.0, 0.0)
    pull[1, 32](bead, speed, *target, 40.0 if grip else 0.0, 1 / 60)
    app.points(bead, radius=0.2, name="beads")
    app.gizmo(mark, 0, size=1.0)
    if step.index == 5:
        tell("ready")


app.run()
"""


def test_the_mouse_pulls_a_bead_and_moves_by_a_gizmo(tmp_path: Path) -> None:
    with program(tmp_path, "taking hold", HOLD) as told:
        first = told.ask()
        wanted = np.add(first["bead"], (80, -40))
        told.drag(first["bead"], list(wanted))

        def is_there() -> bool:
            return bool(np.linalg.norm(told.ask()["bead"] - wanted) < 6)

        hands.wait("the force pulls it there", is_there)
        held = told.ask()
        assert held["held"] == [1]
        assert held["yaw"] == first["yaw"], "the camera stays"
        told.user.do("mouseup", "1")
        hands.wait("it is let go", lambda: told.ask()["held"] == [0])
        rest = told.ask()
        told.user.do("mousemove", "30", "30")
        assert np.allclose(told.ask()["bead.at"], rest["bead.at"], atol=0.02), "it stays there"

        told.drag(rest["up"], list(np.add(rest["up"], (0, -40))))
        told.user.do("mouseup", "1")
        moved = np.subtract(told.ask()["mark.at"], rest["mark.at"])
        assert moved[1] > 0.1
        assert moved[[0, 2]].tolist() == [0, 0], "along the arrow"
        now = told.ask()
        told.drag(now["ball"], list(np.add(now["ball"], (-36, 24))))
        told.user.do("mouseup", "1")
        last = told.ask()
        assert np.linalg.norm(np.subtract(last["ball"], now["ball"]) - (-36, 24)) < 6
        told.drag([60, 60], [100, 60])
        told.user.do("mouseup", "1")
        assert told.ask()["yaw"] != first["yaw"], "beside them it turns"


PANELS = """
from lathe import imgui, imguizmo

app = lathe.App("by panels", size=(1280, 720), history="1 MiB")
gizmo = imguizmo.im_guizmo


def matrix(rows):
    return gizmo.Matrix16(np.asarray(rows, "float32").T.ravel().tolist())


turned = matrix(np.eye(4))
eye = np.eye(4)
eye[2, 3] = -5
lens = [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, -1.002, -0.2], [0, 0, -1, 0]]


@app.panel("Turn")
def turn():
    corner, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
    side = min(room.x, room.y)
    gizmo.set_drawlist()
    gizmo.set_rect(corner.x, corner.y, side, side)
    gizmo.set_gizmo_size_clip_space(0.5)
    gizmo.manipulate(matrix(eye), matrix(lens), gizmo.OPERATION.rotate_z, gizmo.MODE.world, turned)
    app.ring = corner.x + side / 2, corner.y + side / 2, 0.3 * side


opening = []  # dialogs, and the frames at which they are open


def ask(title, ending, save):
    opening.append((title, app.frames + 5))
    take = lambda file: tell(f"{title}:{file.name}")
    app.ask_file(take, title=title, endings=(ending,), save=save, folder=".")


app.on_key("o")(lambda: ask("opened", ".npy", False))
app.on_key("s")(lambda: ask("saved", ".npz", True))


@app.on_key("p")
def asked():
    tell("ring", *app.ring)
    tell("turned", *turned.values)
    tell("step", app.step)
    tell("asked")


x = app.zeros((48, 64))


@app.frame
def frame(step):
    x.fill(step.index % 100)
    app.image(x, range=(0, 100))
    while opening and app.frames >= opening[0][1]:
        tell("dialog:" + opening.pop(0)[0])
    if step.index == 5:
        tell("ready")


app.run()
"""


def test_dialogs_and_the_row_at_the_top(tmp_path: Path) -> None:
    for name in ("a.npy", "b.npy", "c.txt"):
        (tmp_path / name).touch()
    with program(tmp_path, "by panels", PANELS) as told:
        user = told.user

        def click(x: int, y: int) -> None:
            user.do("mousemove", str(x), str(y))
            told.ask()
            user.do("mousedown", "1")
            told.ask()
            user.do("mouseup", "1")

        user.do("mousemove", "400", "400", "key", "o")
        told.wait("dialog:opened")
        user.do("key", "Down", "sleep", "0.3", "key", "Return")
        told.wait("opened:b.npy")
        told.ask()
        user.do("key", "s")
        told.wait("dialog:saved")
        user.do("type", "--delay", "60", "new")
        user.do("sleep", "0.3", "key", "Return")
        told.wait("saved:new.npz")

        begin = told.ask()
        out = tmp_path / "out"
        click(333, 18)  # record
        hands.wait("frames", lambda: told.ask()["step"][0] > begin["step"][0] + 10)
        click(333, 18)
        hands.wait("a movie", lambda: list(out.rglob("*.mp4")) or list(out.rglob("*.png")))

        click(267, 18)  # pause
        click(672, 18)  # the step's number
        user.do("sleep", "0.5", "type", "--delay", "60", "3")
        user.do("key", "Return")
        user.do("sleep", "0.5", "mousemove", "400", "400", "click", "1")
        hands.wait("step 3", lambda: told.ask()["step"] == [3])

        x, y, radius = told.ask()["ring"]
        angles = np.linspace(0, np.pi / 2, 7)
        places = [(x + radius * np.cos(a), y - radius * np.sin(a)) for a in angles]
        told.drag(list(places[0]), list(places[1]))
        for each in places[2:]:
            user.do("mousemove", *(str(round(number)) for number in each))
            told.ask()
        quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])

        def error() -> float:
            turned = np.reshape(told.ask()["turned"], (4, 4)).T[:3, :3]
            return float(np.abs(turned - quarter).max())

        hands.wait("a quarter of a turn", lambda: error() < 0.1)
        user.do("mouseup", "1")
        told.ask()
        user.do("mousemove", str(round(x)), str(round(y + radius)))
        assert error() < 0.1, "it is let go"
