# SPDX-License-Identifier: MIT
"""Each event of a window by a user's hands: real keys, mouse, size and close button."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hands

SCRIPT = """
import sys
import lathe

app = lathe.App("by hand", size=(640, 480), ui=False)
log = open(sys.argv[1], "w", buffering=1)


def tell(*words):
    print(*words, file=log)


app.on_key("a", "control+b")(lambda e: tell("key", e.key, *e.modifiers))
app.on_key("r", repeats=True)(lambda e: tell("held", e.repeat))
app.on_key_up("a")(lambda e: tell("up", e.key))
app.on_mouse("press", "double_click", "release")(lambda e: tell(e.kind, e.button, *e.position))
app.on_mouse("drag", button="left")(lambda e: tell("drag", *e.position))
app.on_mouse("move")(lambda e: tell("move", *e.position))
app.on_wheel(lambda e: tell("wheel", *e.delta))
@app.on_drop(".npy", ".png")
def drop(event):
    tell("drop", *(file.name for file in event.files if file.exists()))
    tell("drop at", *event.position)


app.on_resize(lambda e: tell("size", *e.size))
app.on_focus(lambda e: tell("focus", e.focused))
closes = []


@app.on_close
def close():
    closes.append(1)
    tell("close", len(closes))
    return len(closes) == 1


x = app.zeros((48, 64))


@app.frame
def frame(step):
    if step.index == 0:
        tell("ready")
    app.image(x)


app.run()
tell("over")
"""


def test_each_event_comes_from_a_real_window(tmp_path: Path) -> None:
    script, log = tmp_path / "by_hand.py", tmp_path / "log.txt"
    script.write_text(SCRIPT)
    log.touch()
    with hands.display(tmp_path) as user:
        program = subprocess.Popen([sys.executable, str(script), str(log)], env=user.environment)

        def told(line: str, count: int = 1) -> None:
            hands.wait(line, lambda: log.read_text().splitlines().count(line) >= count)

        try:
            told("ready")
            window = user.window("by hand")
            assert window is not None
            user.do("windowmove", window, "0", "0", "windowfocus", "--sync", window)
            told("focus True")
            user.do("mousemove", "100", "120")
            told("move 100.0 120.0")
            user.do("click", "1")
            told("press left 100.0 120.0")
            told("release left 100.0 120.0")
            user.do("mousemove", "200", "220", "click", "--repeat", "2", "--delay", "60", "1")
            told("double_click left 200.0 220.0")
            user.do("mousemove", "300", "300", "mousedown", "1", "mousemove", "330", "310")
            told("drag 330.0 310.0")
            user.do("mouseup", "1", "mousedown", "3", "mouseup", "3")
            told("release right 330.0 310.0")
            user.do("click", "2")
            told("press middle 330.0 310.0")
            user.do("click", "4", "click", "5", "click", "6")
            told("wheel 0.0 1.0")
            told("wheel 0.0 -1.0")
            told("wheel 1.0 0.0")
            user.do("key", "a", "key", "ctrl+b")
            told("key a")
            told("up a")
            told("key b control")
            user.do("keydown", "r")
            told("held True", 2)
            user.do("keyup", "r")
            user.do("windowsize", window, "500", "400")
            told("size 500 400")
            user.do("windowunmap", "--sync", window)
            told("focus False")
            user.do("windowmap", "--sync", window, "windowfocus", "--sync", window)
            told("focus True", 2)
            dropped = [tmp_path / "a b.npy", tmp_path / "ü.png"]
            for file in dropped:
                file.touch()
            assert user.drop(window, dropped, (120, 90))
            told("drop a b.npy ü.png")
            told("drop at 120.0 90.0")
            user.close(window)
            told("close 1")
            user.close(window)
            told("over")
            assert program.wait(timeout=60) == 0
        finally:
            program.kill()
            program.wait()
