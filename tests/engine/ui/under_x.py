#!/usr/bin/env python3
"""Starts an X server without a display and a studio in it, clicks and types as a user does, and
checks that the picture follows. Arguments: the program studio_under_x and, if wanted, a PNG file.
With --inspect before them a race is looked for, edited away and made again. Exit code 77 where Xvfb
or xdotool is missing."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

LIMIT_SECONDS = 60.0


def start_server() -> tuple[subprocess.Popen[bytes], str]:
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x720x24", "-nolisten", "tcp"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    with os.fdopen(read_end) as numbers:
        return server, ":" + numbers.readline().strip()


class Program:
    """The studio: its states as they come, and the user's hands."""

    def __init__(self, command: list[str], display: str) -> None:
        self.environment = dict(os.environ, DISPLAY=display)
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.process = subprocess.Popen(
            command,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.state = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def expect(self, *parts: str) -> None:
        """Waits for a state that has all parts, which the last one may be."""
        end = time.monotonic() + LIMIT_SECONDS
        seen = [self.state]
        while time.monotonic() < end:
            if all(part in self.state.split() for part in parts):
                print("ok:", *parts)
                return
            try:
                self.state = self.lines.get(timeout=0.2)
            except queue.Empty:
                if self.process.poll() is not None:
                    break
                continue
            seen.append(self.state)
        raise SystemExit(f"no state with {parts}; last states: {seen[-5:]}")

    def drain(self) -> None:
        """The newest state, without a wait for another."""
        while not self.lines.empty():
            self.state = self.lines.get()

    def hands(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], env=self.environment, check=True)

    def focus(self) -> None:
        found = subprocess.run(
            ["xdotool", "search", "--sync", "--name", "Lathe under X"],
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        window = found.stdout.split()[0]
        self.hands("windowmove", window, "0", "0")
        self.hands("windowfocus", window)


def click(program: Program, x: int, y: int) -> None:
    program.hands("mousemove", str(x), str(y))
    program.expect(f"mouse={x},{y}")
    program.hands("mousedown", "1")
    program.expect("pressed=1")
    program.hands("mouseup", "1")
    program.expect("pressed=0")


def check(program: Program) -> None:
    # Each key waits for what the one before it did: the test holds on a busy machine, too.
    # Where the editor's cursor is shows in what is typed there.
    program.expect("red=200", "blue=128", "state=good", "paused=0", "typing=0")
    program.focus()
    click(program, 270, 18)  # the pause button
    program.expect("paused=1")
    click(program, 500, 200)  # the picture, so that no text field has the keyboard
    program.hands("key", "space")
    program.expect("paused=0")
    click(program, 1100, 400)  # the editor
    program.expect("typing=1")
    program.hands("key", "ctrl+Home")
    program.hands("key", "space")
    program.expect("line=_#define_RED_200", "paused=0")
    program.hands("key", "End")
    program.hands("key", "9")
    program.expect("line=_#define_RED_2009")
    for left in ("200", "20", "2", ""):
        program.hands("key", "BackSpace")
        program.expect(f"line=_#define_RED_{left}")
    program.hands("key", "7")
    program.expect("line=_#define_RED_7")
    program.hands("key", "7")
    program.expect("red=77", "state=good", "paused=0")
    program.hands("key", "parenleft")
    program.expect("red=77", "state=failed")
    program.hands("key", "BackSpace")
    program.expect("line=_#define_RED_77")
    program.hands("key", "F5")
    program.expect("red=77", "state=good")
    check_numbers(program)
    check_stages(program)


def check_stages(program: Program) -> None:
    """The picture alone, and with the code over it, where it is edited."""
    panels = next(part for part in program.state.split() if part.startswith("view="))
    program.hands("key", "F11")
    program.expect("stage=picture", "view=1280x720")
    program.hands("key", "F11")
    program.expect("stage=panels", panels)
    program.hands("key", "shift+F11")
    program.expect("stage=presenter", "view=1280x720", "typing=1")
    program.hands("key", "ctrl+Home")
    program.hands("key", "End")
    program.hands("key", "BackSpace")
    program.expect("line=_#define_RED_7")
    program.hands("key", "8")
    program.expect("line=_#define_RED_78", "red=78", "state=good")
    program.hands("key", "shift+F11")
    program.expect("stage=panels", panels)


def check_numbers(program: Program) -> None:
    """Keys and a drag move the number in the first line; the picture follows."""
    program.hands("keydown", "alt")
    program.hands("key", "Up", "Up")  # apart by more than a rest they are two steps for undo
    program.expect("line=_#define_RED_79", "red=79")
    program.hands("keyup", "alt")
    program.expect("red=79", "state=good", "held=0")
    program.hands("keydown", "ctrl")
    x = next(x for x in range(872, 920, 4) if is_number(program, x, 72))
    program.hands("mousedown", "1")
    program.expect("held=1", "pressed=1")
    for step in range(1, 9):
        program.hands("mousemove", str(x + 6 * step), "72")
        program.expect(f"line=_#define_RED_{79 + step}", f"red={79 + step}")
    program.hands("mouseup", "1")
    program.hands("keyup", "ctrl")
    program.expect("red=87", "state=good", "held=0")
    program.hands("key", "ctrl+z")
    program.expect("line=_#define_RED_79", "red=79", "state=good")
    program.hands("key", "ctrl+z")
    program.expect("line=_#define_RED_77", "red=77", "state=good")


def check_inspector(program: Program) -> None:
    """The menu turns the search on; the race's markers go with a barrier, and come back."""
    program.expect("state=good", "inspect=off", "hazards=none")
    program.focus()
    click(program, 850, 48)  # the button beside the tab
    click(program, 900, 117)  # costs and hazards
    program.expect("inspect=hazards", "hazards=6,7")
    click(program, 1200, 158)  # behind line 6
    program.expect("typing=1")
    program.hands("key", "Return")
    program.expect("hazards=6,8")
    program.hands("type", "--delay", "30", "__syncthreads();")
    program.expect("hazards=none", "state=good")
    click(program, 918, 175)  # before the barrier
    program.hands("type", "--delay", "30", "//")
    program.expect("hazards=6,8", "state=good")
    program.hands("key", "F8")
    program.hands("key", "F9")
    program.expect("inspect=off", "hazards=none")
    program.hands("key", "F9")
    program.hands("key", "F9")
    program.expect("inspect=hazards", "hazards=6,8", "state=good")


def is_number(program: Program, x: int, y: int) -> bool:
    program.hands("mousemove", str(x), str(y))
    program.expect(f"mouse={x},{y}")
    time.sleep(0.2)  # the pointer's shape is the frame's after
    program.drain()
    return "pointer=4" in program.state.split()


def main() -> int:
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return 77
    server, display = start_server()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["LATHE_CACHE_DIR"] = cache
        inspects = sys.argv[1] == "--inspect"
        command = [*sys.argv[2:], "racy"] if inspects else sys.argv[1:]
        program = Program(command, display)
        try:
            (check_inspector if inspects else check)(program)
            assert program.process.stdin is not None
            program.process.stdin.close()
            return program.process.wait(timeout=LIMIT_SECONDS)
        finally:
            program.process.kill()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
