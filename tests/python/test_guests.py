# SPDX-License-Identifier: MIT
"""Other programs' OpenGL: beside an App, around one (guests), and within its frames (hosts)."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import re
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import moderngl
import numpy as np
import pytest
from conftest import script_environment

import lathe

PROGRAMS = Path(__file__).parent / "programs"


def leave_context():
    """No context is current on this thread."""
    egl = ctypes.CDLL("libEGL.so.1")
    egl.eglGetCurrentDisplay.restype = ctypes.c_void_p
    egl.eglMakeCurrent.argtypes = [ctypes.c_void_p] * 4
    if display := egl.eglGetCurrentDisplay():
        assert egl.eglMakeCurrent(display, None, None, None)


@pytest.fixture
def foreign():
    """A context of another library, not current afterwards."""
    context = moderngl.create_standalone_context(require=450, backend="egl")
    leave_context()
    yield context
    context.release()


def test_another_context_between_frames(foreign):
    """B4: Lathe asks the system which context is current."""
    app = lathe.App("beside", size=(32, 32), headless=True, background=(0, 1, 0))
    x = app.zeros((8, 8))
    assert app.frame()
    app.image(x, range=(0, 1), colormap="gray")
    with foreign:
        target = foreign.simple_framebuffer((16, 16))
        target.use()
        target.clear(0.0, 0.0, 1.0)
    foreign.__enter__()  # and it stays
    assert app.frame()
    app.image(x, range=(0, 1), colormap="gray")
    picture = app.screenshot()
    assert picture[16, 16].tolist() == [0, 0, 0]
    with foreign:
        assert np.frombuffer(target.read(), np.uint8).reshape(-1, 3)[0].tolist() == [0, 0, 255]
        target.release()


def test_an_array_that_dies_in_another_context(foreign):
    app = lathe.App("dies", size=(32, 32), headless=True)
    x = app.zeros((8, 8))
    assert app.frame()
    foreign.__enter__()
    buffer = foreign.buffer(b"abcd")  # perhaps of the same number as the array's
    del x
    assert buffer.read() == b"abcd"
    assert app.frame()


GL = ctypes.CDLL("libOpenGL.so.0")
RAMP = """
__global__ void ramp(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = float(i) / n; }"""
BLEND, SCISSOR_TEST, DEPTH_TEST, CULL_FACE, FRAMEBUFFER_SRGB = 0xBE2, 0xC11, 0xB71, 0xB44, 0x8DB9
SWITCHES = (BLEND, SCISSOR_TEST, DEPTH_TEST, CULL_FACE, FRAMEBUFFER_SRGB, 0xB90, 0x8642, 0x3000)
NUMBERS = {  # name: how many
    0xBA2: 4,  # viewport
    0xC10: 4,  # scissor box
    0xC23: 4,  # colour mask
    0xB72: 1, 0xB74: 1,  # depth mask, depth function
    0x80C9: 1, 0x80C8: 1, 0x80CB: 1, 0x8009: 1,  # blending
    0xCF5: 1, 0xD05: 1, 0xCF2: 1,  # pixel storage
    0x8B8D: 1, 0x85B5: 1, 0x8CA6: 1, 0x8CAA: 1,  # program, vertex array, framebuffers
    0x84E0: 1, 0x8069: 1, 0x8C2C: 1, 0x8919: 1,  # texture unit, its textures, its sampler
    0x8894: 1, 0x88ED: 1, 0x88EF: 1,  # buffers of vertices and pixels
}  # fmt: skip


def state():
    """All that a frame might change, as OpenGL answers."""
    found = {hex(switch): bool(GL.glIsEnabled(switch)) for switch in SWITCHES}
    for name, count in NUMBERS.items():
        values = (ctypes.c_int * 4)()
        GL.glGetIntegerv(name, values)
        found[hex(name)] = list(values)[:count]
    assert GL.glGetError() == 0
    return found


class CurrentContext:
    """moderngl's way to the context that is current, whoever made it."""

    def load(self, name):
        find = ctypes.CDLL("libEGL.so.1").eglGetProcAddress
        find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        return find(name.encode())

    def __enter__(self):
        return self

    def __exit__(self, *error): ...

    def release(self): ...


def scene(living):
    app = weakref.proxy(living)  # it ends where the test drops it: its context is of the test, too
    ramp = app.kernel(RAMP)
    x = app.zeros((24, 32))
    points = app.asarray(np.zeros((1, 2)), np.float32)

    @app.frame
    def frame():
        ramp.over(x.size)(x, x.size)
        app.image(x, colormap="gray", range=(0, 1))
        app.points(points, size=4.0, color=(1, 0, 0))


def test_a_guest_draws_into_framebuffer_and_viewport(foreign):
    foreign.__enter__()
    target = foreign.simple_framebuffer((64, 48))
    target.use()
    target.clear(0.0, 0.0, 1.0)
    target.viewport = (16, 8, 32, 24)
    app = lathe.App(context="current")
    scene(app)
    app.run(frames=2)
    assert app.frames == 2 and app.size == (32, 24) and not app.headless
    assert not app.console
    picture = np.frombuffer(target.read(viewport=(0, 0, 64, 48)), np.uint8).reshape(48, 64, 3)
    blue = (picture == [0, 0, 255]).all(axis=2)
    outside = np.ones((48, 64), bool)
    outside[8:32, 16:48] = False
    assert (blue == outside).all()
    np.testing.assert_array_equal(picture[8:32, 16:48][::-1], app.screenshot())


def test_a_guest_puts_the_state_back(foreign):
    foreign.__enter__()
    target = foreign.simple_framebuffer((64, 48))
    target.use()
    texture, sampler = foreign.texture((2, 2), 4), foreign.sampler()
    texture.use(3)
    sampler.use(3)
    foreign.buffer(reserve=16)
    for switch in SWITCHES:
        GL.glEnable(switch)
    GL.glScissor(1, 2, 3, 4)
    GL.glViewport(5, 6, 40, 30)
    GL.glColorMask(1, 0, 1, 1)
    GL.glBlendFunc(0x302, 0x303)
    GL.glDepthFunc(0x204)
    GL.glPixelStorei(0xCF5, 8)
    GL.glPixelStorei(0xCF2, 7)
    GL.glActiveTexture(0x84C0 + 3)
    before = state()
    app = lathe.App(context="current")
    scene(app)
    app.run(frames=1)
    assert state() == before
    app.screenshot()
    assert state() == before
    del app
    assert state() == before


def test_a_guest_whose_context_is_not_current(foreign):
    with pytest.raises(lathe.Error, match="no GL context is current"):
        lathe.App(context="current")
    foreign.__enter__()
    foreign.simple_framebuffer((32, 32)).use()
    app = lathe.App(context="current")
    scene(app)
    app.run(frames=1)
    leave_context()
    with pytest.raises(lathe.Error, match="is not current: make it current before"):
        app.run(frames=1)
    foreign.__enter__()
    app.run(frames=1)
    with pytest.raises(ValueError, match="context is 'own' or 'current', got 'mine'"):
        lathe.App(context="mine")


def test_a_script_draws_with_moderngl():
    """A host: another library draws in Lathe's frame, from an array's own buffer."""
    app = lathe.App("host", size=(40, 40), headless=True, background=(0, 0, 0))
    corners = app.asarray([[-2, -2], [2, -2], [-2, 2]], np.float32)  # x + y < 0: half of it
    made = {}

    @app.on_draw
    def draw(view):
        if not made:
            context = moderngl.create_context(require=450, context=CurrentContext())
            name, offset = app.gl_buffer(corners)
            assert offset == 0
            made["program"] = context.program(
                vertex_shader="""#version 450
                    in vec2 at; uniform mat4 m;
                    void main() { gl_Position = m * vec4(at, 0, 1); }""",
                fragment_shader="#version 450\nout vec4 c; void main() { c = vec4(0, 1, 0, 1); }",
            )
            buffer = context.external_buffer(name, corners.nbytes)
            made["array"] = context.vertex_array(made["program"], buffer, "at")
        assert view.size == (40, 40)
        made["program"]["m"].write((view.projection @ view.view).T.tobytes())
        made["array"].render()
        GL.glEnable(SCISSOR_TEST)  # and no harm is done
        GL.glScissor(0, 0, 1, 1)

    app.use_camera("pan_zoom")
    for _ in app.steps():
        app.lines(corners, color=(1, 0, 0))
        if app.step == 2:
            break
    picture = app.screenshot()
    assert picture[30, 8].tolist() == [0, 255, 0]
    assert picture[8, 30].tolist() == [0, 0, 0]


def test_drawing_that_raises(foreign):
    app = lathe.App("host", size=(40, 40), headless=True)

    @app.on_draw
    def draw(view):
        raise RuntimeError("no more paint")

    with pytest.raises(RuntimeError, match="no more paint"):
        app.run(frames=1)
    app.run(frames=1)  # it rests until a reset


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="Xvfb is not installed")
@pytest.mark.software
def test_a_guest_of_pyglet(tmp_path):
    done = subprocess.run(
        ["xvfb-run", "-a", sys.executable, str(PROGRAMS / "guest_pyglet.py"), str(tmp_path)],
        capture_output=True, text=True, timeout=120, env=script_environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the picture is right" in done.stdout


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="Xvfb is not installed")
@pytest.mark.software
@pytest.mark.parametrize(
    "how", [{}, {"QT_SCALE_FACTOR": "2"}, {"QT_XCB_GL_INTEGRATION": "xcb_egl"}], ids=str
)
def test_guests_of_qt(tmp_path, how):
    if importlib.util.find_spec("PySide6") is None:
        pytest.skip("PySide6 is not installed")
    done = subprocess.run(
        ["xvfb-run", "-a", "-s", "-screen 0 2560x1600x24",
         sys.executable, str(PROGRAMS / "guest_qt.py"), str(tmp_path)],
        capture_output=True, text=True, timeout=120,
        env=script_environment(QT_QPA_PLATFORM="xcb", **how),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the pictures are right" in done.stdout
    assert "lathe error" not in done.stderr


def test_the_listing_of_qt_is_the_program():
    page = PROGRAMS.parents[2] / "docs" / "scripts.md"
    if not page.exists():
        pytest.skip("no source tree")
    listings = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S)
    (listing,) = [each for each in listings if "PySide6" in each]
    assert listing in (PROGRAMS / "guest_qt.py").read_text()


def test_a_guest_is_told_of_events(foreign):
    foreign.__enter__()
    foreign.simple_framebuffer((64, 48)).use()
    app = lathe.App(context="current")
    scene(app)
    app.use_camera("orbit")
    app.run(frames=1)
    camera, told = app.orbit_camera, app.input
    yaw, target, distance = camera.yaw, list(camera.target), camera.distance
    told.move_mouse(60, 40)
    app.run(frames=1)
    told.move_mouse(20, 20)
    told.press_button("left")
    told.move_mouse(32, 20)
    assert not told.button_down("left")  # it comes with the next frame
    app.run(frames=1)
    assert told.button_pressed("left") and told.mouse == [32, 20]
    assert camera.yaw == pytest.approx(yaw - math.pi / 4)
    told.release_button("left")
    told.scroll(0, 1)
    app.run(frames=1)
    assert camera.distance == pytest.approx(distance / 1.1)
    assert camera.target == target and not told.button_down("left")
    told.press_button("left", modifiers=["shift"])  # then it pans
    told.move_mouse(40, 20)
    told.release_button("left", modifiers=["shift"])
    app.run(frames=1)
    assert camera.target != target and camera.yaw == pytest.approx(yaw - math.pi / 4)


def test_keys_are_told_too(app):
    """Also to an App of its own: a script's test is its user."""
    told = app.input
    told.press_key("a")
    told.press_key("left")
    told.type_text("aé😀")
    app.run(frames=1)
    assert told.key_pressed("a") and told.key_down("left") and told.text == "aé😀"
    told.release_key("a")
    app.run(frames=1)
    assert not told.key_down("a") and told.key_down("left") and told.text == ""
    told.release_all()
    app.run(frames=1)
    assert not told.key_down("left")
    told.press_key("space")  # as in a window
    app.run(frames=1)
    assert app.run_control.paused
    with pytest.raises(ValueError, match="unknown modifier 'ctrl': shift, control, alt or super"):
        told.press_button("left", modifiers=["ctrl"])
    with pytest.raises(ValueError, match="unknown button 'back'"):
        told.press_button("back")
    with pytest.raises(ValueError, match="unknown key 'hyper'"):
        told.release_key("hyper")


def test_errors_and_pixel_storage_of_its_owner_do_not_matter(foreign):
    foreign.__enter__()
    foreign.simple_framebuffer((31, 24)).use()  # rows of 93 bytes
    app = lathe.App(context="current")
    scene(app)
    app.run(frames=1)
    before = app.screenshot()
    for name, value in ((0xD05, 8), (0xD02, 70), (0xD03, 2), (0xD00, 1)):  # packing
        GL.glPixelStorei(name, value)
    GL.glEnable(0xFFFF)  # an error that nobody asks for
    np.testing.assert_array_equal(app.screenshot(), before)
    GL.glEnable(0xFFFF)
    x = app.zeros((8, 8))
    assert not x.get().any()
    assert state()[hex(0xD05)] == [8]


ENDED = """
import sys
import lathe, moderngl
kept = []
for _ in range(5):
    context = moderngl.create_standalone_context(require=450, backend="egl")
    context.__enter__()
    context.simple_framebuffer((32, 32)).use()
    app = lathe.App(context="current")
    x = app.zeros((24, 32))
    app.run(frames=1)
    x.get()  # mapped
    context.release()
    del x
    kept.append(app)
    if "now" in sys.argv:
        kept.clear()
        del app
"""


@pytest.mark.software
@pytest.mark.parametrize("when", ["now", "at the end"])
def test_a_guest_whose_context_has_ended(when):
    """Its mapped memory was written to after its end."""
    done = subprocess.run(
        [sys.executable, "-c", ENDED, when], capture_output=True, text=True, timeout=60,
        env=script_environment(MALLOC_PERTURB_="85", MALLOC_CHECK_="3"),
    )  # fmt: skip
    assert done.returncode == 0 and "free()" not in done.stderr, done.stderr
    assert "GL context that this App draws in is not current" not in done.stderr


def test_a_guest_ends_with_its_last_reference(foreign):
    """Not with the next App, when its context may be gone."""
    foreign.__enter__()
    foreign.simple_framebuffer((32, 32)).use()
    app = lathe.App(context="current")
    scene(app)
    app.run(frames=1)
    end = weakref.ref(app)
    del app
    assert end() is None
