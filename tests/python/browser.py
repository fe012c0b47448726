# SPDX-License-Identifier: MIT
"""Chromium without a window, driven by its DevTools protocol: real pointers and keys for pages."""

import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import time

from websockets.sync.client import connect

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One tab. Pointers and keys arrive as a user's do."""

    def __init__(self, folder, width=1280, height=720):
        self._process = subprocess.Popen(
            [
                PROGRAM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--remote-debugging-port=0",
                f"--user-data-dir={folder}",
                f"--window-size={width},{height}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in self._process.stderr:
            if "DevTools listening on" in line:
                address = line.split()[-1]
                break
        else:
            raise RuntimeError("chromium did not start")
        self._stack = contextlib.ExitStack()
        self._line = self._stack.enter_context(connect(address, max_size=None, proxy=None))
        self._numbers = itertools.count(1)
        self._session = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        self._call("Page.enable")
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def _call(self, method, **parameters):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._line.send(json.dumps(message))
        while True:
            answer = json.loads(self._line.recv(timeout=30))
            if answer.get("id") != number:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def at_start(self, script):
        """Runs it in each page that is opened from now on, before the page's own."""
        self._call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, url):
        self._call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression in the page."""
        answer = self._call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait_for(self, script, seconds=30):
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < end, script
            time.sleep(0.03)
        return value

    def mouse(self, kind, x, y, button="none", **more):
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, **more)

    def press(self, x, y, button="left"):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button, clickCount=1)

    def release(self, x, y, button="left"):
        self.mouse("mouseReleased", x, y, button, clickCount=1)

    def drag(self, start, end, button="left", steps=8, pause=0.02):
        buttons = {"left": 1, "right": 2}[button]
        self.press(*start, button)
        for k in range(1, steps + 1):
            x = start[0] + (end[0] - start[0]) * k / steps
            y = start[1] + (end[1] - start[1]) * k / steps
            self.mouse("mouseMoved", x, y, button, buttons=buttons)
            time.sleep(pause)
        self.release(*end, button)

    def click(self, x, y, button="left"):
        self.press(x, y, button)
        time.sleep(0.05)
        self.release(x, y, button)

    def key(self, key, code, number=0, text="", modifiers=0):
        """Down and up. `modifiers`: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift."""
        self.key_down(key, code, number, text, modifiers)
        self.key_up(key, code, number, modifiers)

    def key_down(self, key, code, number=0, text="", modifiers=0):
        kind = "keyDown" if text else "rawKeyDown"
        self._key(kind, key, code, number, modifiers, text=text)

    def key_up(self, key, code, number=0, modifiers=0):
        self._key("keyUp", key, code, number, modifiers)

    def _key(self, kind, key, code, number, modifiers, **more):
        self._call(
            "Input.dispatchKeyEvent",
            type=kind,
            key=key,
            code=code,
            windowsVirtualKeyCode=number,
            modifiers=modifiers,
            **more,
        )

    def type(self, text):
        for letter in text:
            code = f"Key{letter.upper()}" if letter.isalpha() else ""
            self.key(letter, code, ord(letter.upper()) if letter.isalnum() else 0, letter)

    def insert(self, text):
        """As an input method does."""
        self._call("Input.insertText", text=text)

    def touch(self, kind, points):
        self._call(
            "Input.dispatchTouchEvent",
            type=kind,
            touchPoints=[{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)],
        )

    def drop(self, x, y, files):
        """Files of this machine, by their paths."""
        data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self._call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def resize(self, width, height, ratio=1):
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=ratio,
            mobile=False,
        )

    def screenshot(self):
        """A PNG file's bytes."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self._stack.close()
        self._process.terminate()
        self._process.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
