# SPDX-License-Identifier: MIT
"""App: the loop in both forms, pictures, run control, parameters, lifetimes."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import time

import numpy as np
import pytest

import lathe

RAMP = """__global__ void ramp(float* x, int n, float scale, //@ 0..2 =1
                     float offset) //@ -1..1 =0
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = scale * i / n + offset;
}
__global__ void add(float* x, float d) { x[threadIdx.x] += d; }
"""


def test_user_owns_the_loop(app):
    app.frame_limit = 4
    calls = 0
    while app.frame():
        calls += 1
    assert calls == 4
    assert app.step == 3
    assert app.stats.frames == 4
    app.frame_limit = 2
    assert [app.step for _ in iter(app.frame, False)] == [4, 5]  # B9: another loop, another run
    assert app.frames == 6
    app.close()
    assert not app.frame()
    assert not app.frame()


def test_app_owns_the_loop(app):
    app.frame_limit = 3
    seen = []

    @app.frame
    def frame(step):
        seen.append(step)

    app.run()
    assert seen == [lathe.Step(k, k / 60, 1 / 60) for k in range(3)]


def test_kernels_of_the_app_and_arrays_take_turns(app):
    from lathe.cuda import gpuarray
    from lathe.cuda.compiler import SourceModule

    late = SourceModule("""__global__ void late(float* x, float value) {
        for (long long begin = clock64(); clock64() - begin < 20000000;) {}
        x[threadIdx.x] = value;
    }""").get_function("late")
    copy = app.kernel(
        "__global__ void copy(const float* from, float* to) {"
        " to[threadIdx.x] = from[threadIdx.x]; }"
    )
    source, shown = gpuarray.zeros(32, np.float32), app.zeros(32)
    app.frame_limit = 3
    found = []
    while app.frame():
        late(source, np.float32(5 + app.step), block=(32, 1, 1), grid=(1, 1))  # not waited for
        copy[1, 32](source, shown)
        found.append((gpuarray.asarray(shown) + 1).get()[0])
    assert found == [6, 7, 8]


def test_picture_is_what_the_kernel_wrote(app, copied_bytes_are_right):
    x = app.zeros((48, 64))
    ramp = app.kernel(RAMP, "ramp")
    app.frame_limit = 2
    while app.frame():
        ramp.over(x.size)(x, x.size)  # scale and offset come from their sliders
        app.image(x, colormap="gray")
    picture = app.screenshot()
    assert picture.shape == (48, 64, 3)
    assert picture.dtype == np.uint8
    expected = np.arange(48 * 64).reshape(48, 64) / (48 * 64) * 256
    assert np.abs(picture[..., 0].astype(float) - expected).max() <= 1.5
    assert copied_bytes_are_right()


def test_a_slider_that_the_script_looks_up_has_an_effect(app):
    x = app.zeros(4)
    ramp = app.kernel(RAMP, "ramp")
    panel = app._studio.parameters
    panel.set_from_text("offset=0.5")
    ramp[1, 4](x, 4, offset=0)
    with pytest.raises(lathe.Error, match=r"offset=0\.5 has no effect"):
        panel.check_assignments()
    values = app.parameters
    ramp[1, 4](x, 4, offset=values["offset"])
    panel.check_assignments()
    assert x.get()[0] == 0.5 and values == app.parameters and values.get("none", 3) == 3
    with pytest.raises(KeyError):
        values["none"]


def test_sliders_feed_kernels(app):
    x = app.zeros(4)
    ramp = app.kernel(RAMP, "ramp")
    app.kernel(RAMP, "ramp")
    assert app.parameters["scale"] == 1
    app.set("offset", 0.5)
    ramp[1, 4](x, 4)
    assert x.get().tolist() == [0.5, 0.75, 1.0, 1.25]
    ramp[1, 4](x, 4, offset=0)
    assert x.get()[0] == 0
    with pytest.raises(lathe.Error, match="nothing"):
        app.set("nothing", 1)


def test_params_of_the_script(app):
    assert app.param("speed", 2.0, 0.0, 5.0) == 2.0
    assert app.param("count", 3, 1, 9) == 3
    assert app.param("on", True) is True
    assert app.param("mode", "b", choices=["a", "b"]) == "b"
    assert app.param("tint", (1.0, 0.5, 0.0), color=True) == (1.0, 0.5, 0.0)
    app.set("speed", 9.0)
    app.set("mode", "a")
    assert app.param("speed", 2.0, 0.0, 5.0) == 5.0
    assert app.param("mode", "b", choices=["a", "b"]) == "a"


def test_a_param_of_the_script_beside_a_kernels_hidden_one(app):
    kernel = app.kernel("""
__global__ void fear(float* x, float4 hawk, //@ hidden
                     float reach)           //@ hidden =3
{ x[0] = hawk.w + reach; }""")
    x = app.zeros(1, np.float32)
    assert app.param("hawk", True) is True
    kernel[1, 1](x, (0, 0, 0, 2))
    assert x.get() == [5]
    assert app.param("hawk", True) is True
    app.set("hawk", False)
    kernel[1, 1](x, (0, 0, 0, 2), 1)
    assert x.get() == [3]
    assert app.param("hawk", True) is False
    with pytest.raises(TypeError, match=r"hawk \(float4\) takes a sequence of its members"):
        kernel[1, 1](x)


def test_pause_step_and_reset(app):
    x = app.asarray([1.0, 2.0], np.float32)
    kernel = app.kernel(RAMP, "add")
    begun = []
    app.init(lambda: begun.append(app.time))

    @app.frame
    def frame():
        kernel[1, 2](x, 1.0)

    def frames(n):
        app.frame_limit = n
        app.run()

    frames(3)
    assert x.get().tolist() == [4, 5]
    app.run_control.paused = True
    frames(3)
    assert x.get().tolist() == [4, 5]
    app.run_control.step()
    frames(3)
    assert x.get().tolist() == [5, 6]
    app.run_control.reset()
    frames(1)
    assert x.get().tolist() == [1, 2]
    assert app.time == 0
    app.run_control.paused = False
    app.run_control.speed = 3
    frames(1)
    assert x.get().tolist() == [4, 5]
    assert len(begun) == 2


def test_paused_frames_show_the_same_picture(app):
    x = app.asarray(np.linspace(0, 1, 48 * 64).reshape(48, 64), np.float32)
    app.frame_limit = 1
    app.frame(lambda: app.image(x))
    app.run()
    shown = app.screenshot()
    app.run_control.paused = True
    app.frame_limit = 2
    app.run()
    assert shown.any()
    np.testing.assert_array_equal(app.screenshot(), shown)


def test_points_and_lines(app):
    positions = app.asarray([[0.0, 0.0], [0.5, 0.5]], np.float32)
    app.frame_limit = 1
    while app.frame():
        app.points(positions, color=(1, 0, 0), size=9, blend="opaque")
    picture = app.screenshot()
    assert tuple(picture[24, 32]) == (255, 0, 0)
    assert picture[..., 0].astype(int).sum() > 0
    with pytest.raises(ValueError, match="positions are"):
        app.points(app.zeros((3, 5)))
    with pytest.raises(ValueError, match="a picture is"):
        app.image(app.zeros(3))


def test_widgets_leave_values_alone_without_panels(app):
    app.frame_limit = 1
    while app.frame():
        assert lathe.ui.slider("a", 3, 0, 9) == 3
        assert lathe.ui.slider("b", 0.5, 0, 1) == 0.5
        assert lathe.ui.checkbox("c", True) is True
        assert lathe.ui.button("d") is False
        assert lathe.ui.combo("e", 1, ["x", "y"]) == 1


def test_panels_are_drawn_and_may_fail():
    app = lathe.App("panels", size=(640, 400), headless=True, ui=True)
    drawn = []

    @app.panel("Good")
    def good():
        drawn.append(lathe.ui.slider("value", 0.25, 0.0, 1.0))

    @app.panel("Bad")
    def bad():
        raise KeyError("lost")

    app.frame_limit = 3
    while app.frame():
        pass
    assert drawn[0] == pytest.approx(0.25)
    assert any("KeyError" in text for _, _, text in app.console)
    assert app.screenshot(with_ui=True).shape == (400, 640, 3)


def test_the_light_theme_has_light_panels_around_the_same_picture():
    looks = {}
    for theme in ("dark", "light"):
        app = lathe.App("theme", size=(640, 400), headless=True, ui=True, theme=theme)
        app.frame_limit = 3
        while app.frame():
            pass
        looks[theme] = app.screenshot(with_ui=True).mean(axis=2), app.screenshot()
    assert np.median(looks["light"][0]) > 220 > 60 > np.median(looks["dark"][0])
    assert np.array_equal(looks["light"][1], looks["dark"][1])
    with pytest.raises(ValueError, match="theme is 'dark' or 'light', got 'blue'"):
        lathe.App("theme", headless=True, theme="blue")


def test_errors_without_a_window_are_raised(app):
    @app.frame
    def frame():
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError):
        app.run()


def test_a_live_kernel_is_swapped_and_keeps_the_last_good(app):
    x = app.zeros(4)
    kernel = app.kernel(RAMP, "add")
    slot = kernel.slot
    kernel[1, 4](x, 1.0)
    slot.source = RAMP.replace("+= d", "+= 10 * d")
    slot.compile_now()
    assert slot.wait()
    kernel[1, 4](x, 1.0)
    assert x.get()[0] == 11
    slot.source = RAMP.replace("+= d", "+= nothing")
    slot.compile_now()
    slot.wait()
    assert slot.state == "failed"
    assert any("nothing" in d for d in slot.diagnostics)
    kernel[1, 4](x, 1.0)
    assert x.get()[0] == 21


def test_an_edit_may_add_a_parameter(app):
    x = app.zeros(4)
    kernel = app.kernel(RAMP, "add")
    kernel[1, 4](x, 1.0)
    kernel.slot.source = RAMP.replace("float d) {", "float d, int times) {").replace(
        "+= d", "+= d * times"
    )
    kernel.slot.compile_now()
    kernel.slot.wait()
    with pytest.raises(TypeError, match="times"):
        kernel[1, 4](x, 1.0)
    kernel[1, 4](x, 1.0, times=5)
    assert x.get()[0] == 6


@pytest.mark.software
def test_a_fault_rolls_back_and_the_loop_goes_on(app):
    x = app.zeros(4)
    kernel = app.kernel(RAMP, "add")
    app.frame_limit = 12
    faulted = False
    while app.frame():
        kernel[1, 4](x, 1.0)
        if app.step == 3:
            kernel.slot.source = RAMP.replace("x[threadIdx.x]", "x[threadIdx.x + (1ll << 40)]")
            kernel.slot.compile_now()
            kernel.slot.wait()
        faulted = faulted or kernel.slot.state == "faulted"
    assert faulted
    assert any("block" in text for source, _, text in app.console if source == "device")
    assert 8 <= x.get()[0] <= 12


@pytest.mark.software
@pytest.mark.parametrize("beyond", [0, 1, 1000, 100_000_000, -1, -100_000_000])
def test_an_overrun_of_a_shared_array_is_a_fault_and_damages_nothing(app, beyond):
    first, x, last = app.zeros(4096), app.zeros(4096), app.zeros(4096)
    write = lathe.kernel("__global__ void write(float* x, int i) { x[i] = 1; }")[1, 1]
    assert app.frame()
    write(x, 4096 + beyond if beyond >= 0 else beyond)
    with pytest.raises(lathe.Error, match=r"illegal address|an illegal memory access"):
        app._studio.synchronize()
    for untouched in (first, x, last):
        assert not untouched.get().any()
    write(x, 17)
    assert x.get()[17] == 1


@pytest.mark.parametrize("order", list(itertools.permutations(["app", "array", "kernel", "part"])))
def test_parts_die_in_any_order(order):
    app = lathe.App("order", size=(32, 32), headless=True)
    array = app.asarray(np.arange(4), np.float32)
    alive = {"app": app, "array": array, "kernel": app.kernel(RAMP, "add"), "part": array[1:3]}
    alive["kernel"][1, 4](array, 1.0)
    del app, array
    for name in order:
        del alive[name]
        gc.collect()
        if "part" in alive:
            assert alive["part"].get().tolist() == [2, 3]


def test_two_apps_at_once():
    first = lathe.App("first", size=(32, 32), headless=True)
    second = lathe.App("second", size=(40, 24), headless=True)
    for app in (first, second, first):
        x = app.zeros((8, 8))
        app.frame_limit = 1
        while app.frame():
            app.image(x)
    assert first.screenshot().shape == (32, 32, 3)
    assert second.screenshot().shape == (24, 40, 3)


def test_a_frame_goes_on_after_another_app_came_and_went():
    app = lathe.App("first", size=(32, 32), headless=True)
    x = app.zeros((8, 8))
    fill = app.kernel(RAMP, "ramp").over(64)
    pictures = []
    for other in (False, True):
        assert app.frame()
        fill(x, 64, 1.0, 0.0)
        if other:
            visitor = lathe.App("visitor", size=(16, 16), headless=True)
            visitor.zeros(4)
            del visitor  # its GL context was the thread's, which has none now
            gc.collect()
        app.image(x, range=(0, 1))
        pictures.append(app.screenshot())
    assert len(np.unique(pictures[0])) > 10
    np.testing.assert_array_equal(*pictures)


def test_arrays_no_longer_used_are_no_longer_mapped(app):
    many = [app.zeros(64) for _ in range(8)]
    add = app.kernel(RAMP, "add")[1, 64]
    for x in many:
        add(x, 1.0)
    for _ in range(3):
        app._studio.unmap()
        add(many[0], 1.0)
    assert app._studio.mapped == 1
    assert many[0].get()[0] == 4
    assert many[7].get()[0] == 1


def test_recording(app, tmp_path):
    x = app.zeros((8, 8))
    app.record(tmp_path / "movie.mp4")
    app.frame_limit = 5
    while app.frame():
        app.image(x)
    written = app._steps.written[-1]
    assert written.exists()


def test_import_touches_neither_driver_nor_gl():
    code = (
        "import lathe, sys\n"
        "lathe.App\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert 'libcuda' not in maps and 'liblathe_soft' not in maps and 'nvrtc' not in maps\n"
        "assert 'llvmpipe' not in maps and 'swrast' not in maps\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_runs_of_so_many_frames(app):
    """B9: an App runs again after it stopped."""
    seen = []
    app.frame(lambda: seen.append(app.step))
    app.run(frames=2)
    app.run(frames=1)
    assert seen == [0, 1, 2]
    app.frame_limit = 2
    app.run()
    assert seen == [0, 1, 2, 3, 4]


def test_a_screenshot_takes_no_step_away(app):
    """B3 of the code review: the steps that the frame still has come in the next one."""
    x = app.zeros((8, 8))
    app.run_control.speed = 3
    app.frame_limit = 4
    steps = 0
    while app.frame():
        steps += 1
        app.image(x)
        if app.step == 0:
            assert app.screenshot().shape == (48, 64, 3)
    assert steps == 4 * 3


@pytest.mark.parametrize("way", ["kernel", "array"])
def test_the_simulations_time_is_the_devices(way):
    app = lathe.App("times", size=(32, 32), headless=True)
    app.frame_limit = 8
    x, plain = app.zeros((32, 32)), lathe.zeros(32)
    one = app.kernel("__global__ void one(float* x) { x[threadIdx.x] = 1; }")
    while app.frame():
        time.sleep(0.05)  # the script's own
        if way == "kernel":
            one[1, 32](plain)
        else:
            x += 1
        time.sleep(0.001)
        app.image(x, range=(0, 9))
    times = app._studio.stats
    assert times["work_ms"]["p50"] > 50
    assert 0 < times["sim_ms"]["p50"] < 25
    app.close()


def test_steps_may_all_be_equally_long(app):
    lengths = []
    app.frame(lambda step: lengths.append((step.time, step.dt)))
    app.run_control.fixed_dt = 0.25
    assert app.run_control.fixed_dt == 0.25
    app.run(frames=3)
    assert lengths == [(0.0, 0.25), (0.25, 0.25), (0.5, 0.25)]
    app.run_control.fixed_dt = None
    app.run(frames=1)
    assert lengths[-1] == (0.75, pytest.approx(1 / 60))
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="above 0"):
            app.run_control.fixed_dt = wrong
