# SPDX-License-Identifier: MIT
"""Kernels that fault or never end: their slot is told, the loop goes on, no fault is silent."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from conftest import script_environment

import lathe

ADD = "__global__ void add(float* x, float d) { x[threadIdx.x] += d; }"
BAD = ADD.replace("x[threadIdx.x]", "x[threadIdx.x + (1ll << 40)]")

pytestmark = pytest.mark.software


def edit(kernel, text):
    kernel.slot.source = text
    kernel.slot.compile_now()
    kernel.slot.wait()


def run(code, *, folder, **environment):
    script = folder / "script.py"
    script.write_text(code)
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=100,
        env=script_environment(**environment),
    )  # fmt: skip


@pytest.mark.parametrize("ask", ["get", "set", "synchronize"])
def test_a_fault_that_a_copy_finds_reaches_the_slot(app, ask):
    x = app.zeros(4)
    kernel = app.kernel(ADD, "add")
    assert app.frame()
    kernel[1, 4](x, 1.0)
    assert app.frame()  # a version to go back to
    edit(kernel, BAD)
    kernel[1, 4](x, 1.0)
    with pytest.raises(lathe.LogicError, match="kernel add, block"):
        {"get": x.get, "set": lambda: x.set([0] * 4), "synchronize": app._studio.synchronize}[ask]()
    assert kernel.slot.state == "faulted"
    assert any("kernel add" in d for d in kernel.slot.diagnostics)
    assert app.frame()
    kernel[1, 4](x, 1.0)
    assert x.get()[0] == {"get": 2, "set": 2, "synchronize": 2}[ask]


def test_idle_ends_when_a_kernel_is_mended_or_reset_is_pressed(app):
    x = app.zeros(4)
    kernel = app.kernel(ADD, "add")
    assert app.frame()
    x.set([5, 5, 5, 5])
    app.show_error(ValueError("in an own loop"))
    kernel.slot.source = ADD + "\n"
    kernel.slot.compile_now()
    assert app.idle() is True
    app._reloading = False
    app.show_error(ValueError("again"))
    app.run_control.reset()
    assert app.idle() is True
    app._reloading = False  # no script takes it up
    assert app.step == -1
    assert x.get().tolist() == [0, 0, 0, 0]


def test_faults_of_kernels_without_a_slot_are_raised(app):
    x = app.zeros(4)
    alone = lathe.zeros(4)
    for array in (x, alone):
        bad = lathe.kernel(BAD)
        assert app.frame()
        bad[1, 4](array, 1.0)
        with pytest.raises(lathe.LogicError, match="kernel add"):
            end = time.monotonic() + 60
            while time.monotonic() < end:  # a kernel without an App is waited for when it is done
                app.frame()


def test_a_kernel_without_a_slot_is_not_blamed_on_one(app):
    x = app.zeros(4)
    mine = app.kernel(ADD.replace("add", "mine"))
    bad = lathe.kernel(BAD)
    assert app.frame()
    mine[1, 4](x, 1.0)
    bad[1, 4](x, 1.0)
    with pytest.raises(lathe.LogicError):
        app.frame()
    assert mine.slot.state == "good"


def test_kernels_without_an_app_keep_the_order_of_the_arrays_app(app):
    x = app.zeros(1 << 20)
    live = app.kernel("__global__ void a(float* x) { int i = threadIdx.x + blockIdx.x * blockDim.x;"
                      " for (int k = 0; k < 64; ++k) x[i] += 1; }")  # fmt: skip
    alone = lathe.kernel("__global__ void b(float* x) { int i = threadIdx.x + blockIdx.x * "
                         "blockDim.x; x[i] *= 2; }")  # fmt: skip
    for _ in range(3):
        x.fill(0)
        live.over(x.size)(x)
        alone.over(x.size)(x)
        assert (x.get() == 128).all()


@pytest.mark.parametrize("gone", [False, True])
def test_a_fault_after_the_last_frame_is_told(tmp_path, gone):
    done = run(
        "import lathe\n"
        "app = lathe.App('last', size=(32, 32), headless=True)\n"
        f"x, k = app.zeros(4), app.kernel({BAD!r})\n"
        "app.frame()\n"
        "k[1, 4](x, 1.0)\n" + "del app, x, k\n" * gone,
        folder=tmp_path,
    )
    assert "kernel add, block (0, 0, 0)" in done.stderr


def test_a_fault_without_an_app_is_told_at_the_end(tmp_path):
    done = run(
        "import lathe\n"
        f"lathe.kernel({BAD!r})[1, 4](lathe.zeros(4), 1.0)\n",
        folder=tmp_path,
    )  # fmt: skip
    assert "kernel add, block (0, 0, 0)" in done.stderr


SAY = '#include <stdio.h>\n__global__ void say(int n) { printf("n is %d", n); }'


def test_printf_and_log_are_seen_without_panels(tmp_path):
    done = run(
        "import lathe\n"
        "app = lathe.App('say', size=(32, 32), headless=True)\n"
        f"say = app.kernel({SAY!r})\n"
        "app.frame_limit = 2\n"
        "while app.frame():\n"
        "    say[1, 1](app.step)\n"
        "app.log('done')\n",
        folder=tmp_path,
    )
    assert done.stdout.splitlines() == ["n is 0", "n is 1", "done"]


def test_two_apps_have_their_own_printf():
    apps = [lathe.App(f"app {i}", size=(32, 32), headless=True) for i in range(2)]
    says = [app.kernel(SAY) for app in apps]
    for _ in range(2):
        for number, (app, say) in enumerate(zip(apps, says, strict=True)):
            assert app.frame()
            say[1, 1](number)
            app.screenshot()  # ends the frame
    for number, app in enumerate(apps):
        texts = {text for source, _, text in app.console if source == "device"}
        assert texts == {f"n is {number}"}
    first = apps[0]
    del app, apps, says, say  # the second one dies
    say = first.kernel(SAY)
    assert first.frame()
    say[1, 1](7)
    first.screenshot()
    assert ("device", "info", "n is 7") in first.console


def test_messages_name_kernels_as_the_source_does(app):
    kernel = app.kernel(ADD)
    with pytest.raises(lathe.LogicError) as raised:
        kernel[1, 2000](app.zeros(4), 1.0)
    assert "_Z" not in str(raised.value)
    assert "add" in str(raised.value)
    assert kernel.name == "add"
    assert lathe.kernel(ADD).name == "add"
    with pytest.raises(FileNotFoundError) as missing:
        app.kernel("zz.cu")
    folders = str(missing.value).split(" is not in ")[1].split(" or ")
    assert os.getcwd() in folders
    assert len(set(folders)) == len(folders)


@pytest.mark.parametrize("make", ["app", "alone"])
def test_a_compile_error_is_its_text(app, make):
    compile_kernel = app.kernel if make == "app" else lathe.kernel
    with pytest.raises(lathe.CompileError) as raised:
        compile_kernel("__global__ void k(float* p)\n{ *p = foo; }")
    assert str(raised.value).splitlines()[0].endswith(':2:8: error: identifier "foo" is undefined')
