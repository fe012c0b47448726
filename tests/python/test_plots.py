# SPDX-License-Identifier: MIT
"""Plots of an App beside NumPy's numbers: logs, histograms, phase plots, heat maps, files."""

from __future__ import annotations

import csv
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from conftest import script_environment

import lathe
from lathe.cuda import gpuarray

ADD = "__global__ void add(double* x, double by) { if (threadIdx.x == 0) x[0] += by; }"


@pytest.fixture
def app():
    return lathe.App("plots", size=(64, 48), headless=True)


def run(app, frames, step):
    for _ in range(frames):
        assert app.frame()
        step()


def test_a_log_has_steps_times_and_values(app):
    x = app.zeros(1, np.float64)
    add = app.kernel(ADD)
    log = app.log_values("x", "number", "array", "0-d", "numpy", unit="m")

    def step():
        add[1, 32](x, 0.5)
        log(app.step, x, (2 * x)[0], np.float32(app.step) / 4)

    run(app, 50, step)
    index = np.arange(50)
    np.testing.assert_array_equal(log.steps, index)
    np.testing.assert_allclose(log.times, index / 60, atol=1e-12)
    expected = np.stack([index, 0.5 * (index + 1), index + 1.0, index / 4], axis=1)
    np.testing.assert_array_equal(log.values, expected)
    assert (log.values.dtype, log.steps.dtype) == (np.float64, np.int64)
    assert app.plots["x"].curves == ["number", "array", "0-d", "numpy"]


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8"])
def test_a_log_takes_every_real_type(app, dtype):
    log = app.log_values("x")
    value = np.array([1], dtype)
    run(app, 1, lambda: log(gpuarray.to_gpu(value)))
    assert log.values.tolist() == [1]


def test_a_log_names_itself_when_it_refuses(app):
    log = app.log_values("angle")
    pair = app.log_values("pair", "a", "b")
    with pytest.raises(ValueError, match=r'log "angle" takes 1 value \(angle\), got 2'):
        log(1, 2)
    with pytest.raises(ValueError, match=r'log "pair" takes 2 values \(a, b\), got 1'):
        pair(1)
    for several in (np.zeros(3), gpuarray.zeros(3, np.float32), app.zeros(3)):
        with pytest.raises(ValueError, match='log "angle" takes numbers and arrays of one element'):
            log(several)
    with pytest.raises(TypeError, match='log "angle"'):
        log("fast")
    with pytest.raises(TypeError, match="complex64"):
        log(gpuarray.zeros(1, np.complex64))
    with pytest.raises(ValueError, match="is there already"):
        app.log_values("pair", "a")
    with pytest.raises(ValueError, match="x is 'time' or 'step'"):
        app.log_values("other", x="frame")
    with pytest.raises(KeyError, match="has the curves"):
        pair["c"]
    assert log.values.shape == (0,)
    assert pair.values.shape == (0, 2)


def test_a_log_keeps_a_limit(app):
    log = app.log_values("x", limit=100)
    run(app, 250, lambda: log(app.step))
    assert 80 <= len(log.values) <= 100
    np.testing.assert_array_equal(log.values, np.arange(250 - len(log.values), 250))


def test_a_log_follows_the_run_back_and_on_to_a_branch():
    app = lathe.App("plots", size=(64, 48), headless=True, history="1 MiB")
    x = app.zeros(1, np.float64)
    add = app.kernel(ADD)
    log = app.log_values("x")
    phase = app.phase_plot("phase", log, log)
    by = 1.0

    def step():
        add[1, 32](x, by)
        log(x)

    run(app, 10, step)
    app.run_control.go_to(3)
    run(app, 1, step)
    np.testing.assert_array_equal(log.values, np.arange(1, 11))  # those behind the mark, too
    by = 0.5
    run(app, 4, step)
    branch = [1, 2, 3, 4, 4.5, 5, 5.5, 6]
    np.testing.assert_array_equal(log.values, branch)
    np.testing.assert_array_equal(log.steps, np.arange(8))
    np.testing.assert_array_equal(phase.values, np.stack([branch, branch], axis=1))
    app.run_control.go_to(9, branch=0)
    by = 1.0
    run(app, 1, step)
    np.testing.assert_array_equal(log.values, np.arange(1, 11))
    app.run_control.reset()
    run(app, 2, step)
    np.testing.assert_array_equal(log.values, [1, 2])
    log.clear()
    assert log.values.shape == (0,)
    run(app, 1, step)
    assert (log.steps.tolist(), log.values.tolist()) == ([2], [3])


def test_a_log_without_a_history_begins_again(app):
    log = app.log_values("x")
    factor = 1

    def step():
        log(factor * app.step)

    run(app, 5, step)
    factor = 2
    app.run_control.go_to(2)
    run(app, 3, step)
    assert app.step == 2
    np.testing.assert_array_equal(log.values, [0, 2, 4])


@pytest.mark.parametrize("bounds", [(-1, 2), (0.1, 0.7), None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int16, np.bool_])
def test_a_histogram_is_numpys(app, dtype, bounds):
    rng = np.random.default_rng(3)
    values = (rng.normal(size=(333, 41)) * (1000 if dtype == np.int16 else 1)).astype(dtype)
    if dtype == np.bool_ and bounds is None:
        bounds = (0, 1)
    plot = app.histogram("h", gpuarray.to_gpu(values), bins=37, range=bounds)
    counts, edges = np.histogram(values.astype(np.float64), 37, bounds)
    np.testing.assert_array_equal(plot.values, counts)
    np.testing.assert_array_equal(plot.edges, edges)


def test_a_histogram_at_its_edges(app):
    edges = np.linspace(0.1, 0.9, 65)
    values = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
    plot = app.histogram("h", values, bins=64, range=(0.1, 0.9))
    np.testing.assert_array_equal(plot.values, np.histogram(values, 64, (0.1, 0.9))[0])
    assert plot.outside == (1, 1, 0)
    values = np.array([np.nan, 1, np.inf, -np.inf, 3, np.nan], np.float32)
    plot = app.histogram("h", values, bins=2)
    assert plot.values.tolist() == [1, 1]
    assert plot.edges.tolist() == [1, 2, 3]
    assert plot.outside == (1, 1, 2)
    view = gpuarray.to_gpu(np.arange(24.0).reshape(4, 6))[::2, 1::3]
    plot = app.histogram("h", view, bins=4)
    np.testing.assert_array_equal(plot.values, np.histogram([1, 4, 13, 16], 4)[0])


def test_phase_plots_take_arrays_and_logs(app):
    x = np.linspace(0, 1, 30_000)
    plot = app.phase_plot("p", x, gpuarray.to_gpu(x**2), labels=("x", "v"))
    np.testing.assert_array_equal(plot.values, np.stack([x, x**2], axis=1)[::2])
    logs = app.log_values("a", "sin", "cos"), app.log_values("b")
    follows = app.phase_plot("q", logs[0]["cos"], logs[1])

    def step():
        logs[0](np.sin(app.step), np.cos(app.step))
        if app.step % 2:
            logs[1](app.step)

    run(app, 9, step)
    odd = np.arange(1, 9, 2)
    np.testing.assert_array_equal(follows.values, np.stack([np.cos(odd), odd], axis=1))
    with pytest.raises(ValueError, match="one size"):
        app.phase_plot("p", x, x[1:])
    with pytest.raises(TypeError, match="two logs or two arrays"):
        app.phase_plot("p", logs[1], x)
    with pytest.raises(ValueError, match=r'log\["sin"\]'):
        app.phase_plot("p", logs[0], logs[1])


def test_a_heat_map_has_means_of_blocks(app):
    field = np.random.default_rng(0).normal(size=(1026, 600))
    plot = app.heat_map("m", gpuarray.to_gpu(field))
    means = field[:1026].reshape(342, 3, 300, 2).mean(axis=(1, 3))
    np.testing.assert_allclose(plot.values, means, rtol=1e-12, atol=1e-15)
    small = np.arange(6, dtype=np.int32).reshape(2, 3)
    np.testing.assert_array_equal(app.heat_map("m", small, extent=(0, 1, 0, 2)).values, small)
    with pytest.raises(ValueError, match=r"an array \(rows, columns\), got shape \(3\)"):
        app.heat_map("m", np.zeros(3))
    with pytest.raises(ValueError, match="two different ends"):
        app.heat_map("m", small, range=(1, 1))
    with pytest.raises(lathe.Error, match="none"):
        app.heat_map("m", small, colormap="none")
    with pytest.raises(ValueError, match="another kind"):
        app.histogram("m", small)


def test_numbers_survive_a_csv_file(app, tmp_path):
    log = app.log_values("e", "kinetic", 'the "rest", too')
    rng = np.random.default_rng(1)
    run(app, 20, lambda: log(rng.normal() * 1e-7, np.nan if app.step == 3 else 1 / 3))
    log.save(tmp_path / "new" / "e.csv")
    with (tmp_path / "new" / "e.csv").open() as file:
        assert next(csv.reader(file)) == ["step", "time", "kinetic", 'the "rest", too']
    read = np.genfromtxt(tmp_path / "new" / "e.csv", delimiter=",", skip_header=1)
    np.testing.assert_array_equal(read[:, 0], log.steps)
    np.testing.assert_array_equal(read[:, 1], log.times)
    np.testing.assert_array_equal(read[:, 2:], log.values)
    field = rng.normal(size=(3, 4))
    app.heat_map("m", field).save(tmp_path / "m.csv")
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "m.csv", delimiter=","), field)
    app.histogram("h", field, bins=3).save(tmp_path / "h.csv")
    counted = np.genfromtxt(tmp_path / "h.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(counted["count"], np.histogram(field, 3)[0])


def pixels_of(picture, color):
    """Where pixels are about that colour: (n, 2), row and column."""
    return np.argwhere((np.abs(picture[..., :3].astype(int) - color) < 24).all(axis=2))


def test_pictures_show_the_curve(app, tmp_path):
    log = app.log_values("x", x="step")
    run(app, 101, lambda: log(app.step))
    log.save(tmp_path / "x.png", size=(480, 320))
    picture = lathe.load_image(tmp_path / "x.png")
    assert picture.shape == (320, 480, 3)
    curve = pixels_of(picture, (31, 112, 178))
    assert len(curve) > 200
    slope = np.polyfit(curve[:, 1], curve[:, 0], 1)
    residual = curve[:, 0] - np.polyval(slope, curve[:, 1])
    assert slope[0] < -0.3, "it rises"
    assert np.abs(residual).max() < 3, "it is straight"
    field = np.zeros((2, 2))
    field[0, 0] = 1
    app.heat_map("m", field, colormap="gray").save(tmp_path / "m.png", size=(480, 320))
    picture = lathe.load_image(tmp_path / "m.png").astype(int).sum(axis=2)
    black = np.argwhere(picture == 0)
    (top, left), (bottom, right) = black.min(axis=0), black.max(axis=0)
    middle = (top + bottom) // 2, (left + right) // 2
    assert picture[middle[0] - 20, middle[1] - 20] == 3 * 255, "row 0 is at the top"
    assert picture[middle[0] + 20, middle[1] - 20] == 0


def test_documents_have_their_words_and_curves(app, tmp_path):
    log = app.log_values("energy", "a < b", "c", unit="J")
    run(app, 10, lambda: log(app.step, -app.step))
    log.save(tmp_path / "e.svg")
    root = ElementTree.parse(tmp_path / "e.svg").getroot()
    svg = "{http://www.w3.org/2000/svg}"
    words = {each.text for each in root.iter(f"{svg}text")}
    assert {"energy", "J", "a < b", "c", "time (s)"} <= words
    lines = [each for each in root.iter(f"{svg}polyline") if len(each.get("points").split()) == 10]
    assert len(lines) == 2
    first = np.array([p.split(",") for p in lines[0].get("points").split()], float)
    assert np.allclose(np.diff(first, n=2, axis=0), 0, atol=1e-3), "straight, in equal steps"
    assert first[0, 1] > first[-1, 1], "up is up"


def test_files_that_cannot_be(app, tmp_path):
    log = app.log_values("x")
    with pytest.raises(ValueError, match=r"\.csv, \.png or \.svg, got .*x\.pdf"):
        log.save(tmp_path / "x.pdf")
    with pytest.raises(ValueError, match="64 to 16384"):
        log.save(tmp_path / "x.png", size=(10, 600))
    (tmp_path / "file").write_text("")
    for ending in ("csv", "png", "svg"):
        with pytest.raises(lathe.Error, match="file"):
            log.save(tmp_path / "file" / f"x.{ending}")


def test_plots_outlive_their_app(tmp_path):
    app = lathe.App("plots", size=(64, 48), headless=True)
    log = app.log_values("x")
    run(app, 2, lambda: log(gpuarray.to_gpu(np.ones(1))))
    plots = app.plots
    del app
    assert log.values.tolist() == [1, 1]
    plots["x"].save(tmp_path / "x.csv")


@pytest.fixture
def studio():
    """With panels, one plot that fills its panel, and a history; 20 steps done."""
    app = lathe.App("plots", headless=True, ui=True, history="1 MiB")
    x = app.zeros(1, np.float64)
    add = app.kernel(ADD)
    log = app.log_values("x", x="step")

    def step():
        add[1, 32](x, 1)
        log(x)

    run(app, 20, step)
    return app, log, step


def of_panel(app):
    """The lower right part of the window, where the panel is."""
    return app.screenshot(True)[470:690, 760:1275]


def test_the_panel_shows_the_curve(studio):
    app, _, _ = studio
    curve = pixels_of(of_panel(app), (88, 166, 232))
    assert np.ptp(curve[:, 1]) > 400
    middle = curve[(curve[:, 1] > 100) & (curve[:, 1] < 450)]  # without the tab's line
    slope = np.polyfit(middle[:, 1], middle[:, 0], 1)
    assert slope[0] < -0.2


def test_a_click_goes_to_that_step(studio):
    app, log, step = studio
    app.input.move_mouse(1020, 600)
    run(app, 2, step)
    app.input.press_button()
    run(app, 1, step)
    app.input.release_button()
    run(app, 2, step)  # the second shows the wanted step
    assert app.run_control.paused
    assert abs(app.step - log.steps[-1] / 2) < 4, "the middle of the plot"
    assert any("go_to" in text for _, _, text in app.console)
    assert len(log.values) == 24, "what comes after it stays"
    assert not app.frame(), "it shows frames without steps"
    bright = of_panel(app).min(axis=2)[40:160] > 90
    assert bright.all(axis=0).any(), "a line at the present step"
    assert abs(bright.all(axis=0).argmax() - (1020 - 760)) < 30


def test_a_run_leaves_its_plots(tmp_path):
    script = tmp_path / "lift.py"
    script.write_text(
        "import lathe\n"
        "app = lathe.App('lift', size=(64, 48))\n"
        "log = app.log_values('height/m')\n"
        "for step in app.steps():\n"
        "    log(2 * step)\n"
    )
    command = [sys.executable, "-m", "lathe", "run", str(script), "--headless", "--frames", "5"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out")],
        env=script_environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    left = {each.name for each in (tmp_path / "out").iterdir()}
    assert {"lift.png", "lift-height_m.csv", "lift-height_m.png"} <= left
    read = np.genfromtxt(tmp_path / "out" / "lift-height_m.csv", delimiter=",", skip_header=1)
    np.testing.assert_array_equal(read[:, 2], [0, 2, 4, 6, 8])


def test_a_checkpoint_brings_the_rows_before_it(app, tmp_path):
    log = app.log_values("x")
    run(app, 5, lambda: log(app.step))
    app.checkpoint(tmp_path / "run.npz")
    run(app, 5, lambda: log(app.step))
    app.restore(tmp_path / "run.npz")
    run(app, 2, lambda: log(10 * app.step))
    assert log.steps.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert log.values.tolist() == [0, 1, 2, 3, 4, 50, 60]


def click(app, x, y, step):
    app.input.move_mouse(x, y)
    run(app, 2, step)
    app.input.press_button()
    run(app, 1, step)
    app.input.release_button()
    run(app, 3, step)


def test_the_panel_saves_a_plot(studio, tmp_path, monkeypatch):
    app, log, step = studio
    monkeypatch.chdir(tmp_path)
    click(app, 1263, 477, step)  # the three points
    click(app, 1200, 500, step)
    read = np.genfromtxt(tmp_path / "out" / "plots" / "x-1.csv", delimiter=",", skip_header=1)
    np.testing.assert_array_equal(read[:, 2], log.values[: len(read)])
    assert len(read) > 20


def test_a_hidden_panel_stays_hidden():
    app = lathe.App("plots", headless=True, ui=True)
    app.show_panel("Plots", False)
    log = app.log_values("x")
    run(app, 10, lambda: log(app.step))
    assert len(pixels_of(of_panel(app), (88, 166, 232))) < 200
