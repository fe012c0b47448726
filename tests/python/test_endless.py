# SPDX-License-Identifier: MIT
"""Kernels that never end, on either device: Ctrl+C ends the wait for them, wherever it happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from conftest import script_environment

# Tells its reader that it waits once its main thread has stood in one call for a while.
SCRIPT = """
import sys, threading, time
import lathe

def watch(thread=threading.get_ident()):
    place, since = None, time.monotonic()
    while time.monotonic() - since < 0.2:
        frame = sys._current_frames()[thread]
        if (id(frame), frame.f_lasti) != place:
            place, since = (id(frame), frame.f_lasti), time.monotonic()
        del frame
        time.sleep(0.01)
    print('waits', flush=True)

app = lathe.App('endless', size=(32, 32), headless=True)
turn = app.kernel('__global__ void turn(volatile float* x) {{ while (x[0] < 1) {{}} }}')
x = app.zeros(1)
other = app.zeros(1)
app.frame()
turn[1, 1](x)
threading.Thread(target=watch, daemon=True).start()
{then}
app.frame()
"""


# A GPU's driver waits for every kernel when a GL buffer is registered or given back.
@pytest.mark.parametrize("then", ["", "app.zeros(4)", "other = None", "x.get()"])
def test_ctrl_c_ends_a_wait_for_an_endless_kernel(tmp_path, then):
    script = tmp_path / "endless.py"
    script.write_text(SCRIPT.format(then=then))
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=script_environment(LATHE_SOFT_TIMEOUT_MS="0"),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "waits\n"
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode != 0
    software = os.environ["LATHE_DEVICE"] == "software"
    assert ("KeyboardInterrupt" if software else "cannot cancel it: the program ends") in err
