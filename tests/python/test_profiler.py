# SPDX-License-Identifier: MIT
"""What frames spend their time on: zones, sums, traces, memory."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import lathe

SPIN = """
extern "C" __global__ void spin(float* x, int rounds)
{
    float v = x[threadIdx.x];
    for (int i = 0; i < rounds; ++i) v = v * 0.999f + 1.0f;
    x[threadIdx.x] = v;
}
"""


@pytest.fixture
def profiled(app):
    """An App whose frames are measured, and its array."""
    x = app.zeros((1, 32), name="x")
    spin = app.kernel(SPIN, "spin")
    app.profiler.on = True

    @app.frame
    def frame():
        with app.zone("both"):
            spin[1, 32](x, 1000)
            spin[1, 32](x, 1000)
        app.image(x, range=(0, 2000), name="values")

    app.run(frames=5)
    return app


def zones(app, name, lane):
    frame = app.profiler.frames[-1]
    return [zone for zone in frame.zones if zone.name == name and zone.lane == lane]


def test_kernels_and_zones_are_on_the_lanes_of_who_worked(profiled):
    frames = profiled.profiler.frames
    assert [frame.index for frame in frames] == [0, 1, 2, 3, 4]
    (both,) = zones(profiled, "both", "CUDA")
    spins = zones(profiled, "spin", "CUDA")
    assert len(spins) == len(zones(profiled, "spin", "host")) == 2
    assert [each.depth for each in spins] == [1, 1]
    assert both.depth == 0
    for spin in spins:
        assert both.begin - 1e-3 <= spin.begin
        assert spin.begin + spin.ms <= both.begin + both.ms + 1e-3
    (drawn,) = zones(profiled, "values", "host")
    assert frames[-1].begin < drawn.begin < frames[-1].begin + frames[-1].ms


def test_sums_are_those_of_the_zones(profiled):
    of_frames = [
        zone.ms
        for frame in profiled.profiler.frames[-2:]
        for zone in frame.zones
        if (zone.name, zone.lane) == ("spin", "CUDA")
    ]
    (spin,) = (
        each for each in profiled.profiler.sums(2) if (each.name, each.lane) == ("spin", "CUDA")
    )
    assert spin.calls == len(of_frames) == 4
    assert spin.ms == pytest.approx(sum(of_frames))
    times = [each.ms for each in profiled.profiler.sums()]
    assert times == sorted(times, reverse=True)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        profiled.profiler.sums(0)


def test_a_trace_has_every_zone(profiled, tmp_path):
    file = tmp_path / "trace.json"
    profiled.profiler.save(file)
    events = json.loads(file.read_text())["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    workers = {f"worker {span.worker}" for f in profiled.profiler.frames for span in f.blocks}
    assert set(tracks.values()) >= {"CUDA", "OpenGL", "frames", "host"} | workers
    spans = sum(len(frame.blocks) for frame in profiled.profiler.frames)
    assert sum(tracks[e["tid"]] in workers for e in events if e["ph"] == "X") == spans
    found = [e for e in events if e["name"] == "both" and tracks[e["tid"]] == "CUDA"]
    wanted = [
        zone
        for frame in profiled.profiler.frames
        for zone in frame.zones
        if (zone.name, zone.lane) == ("both", "CUDA")
    ]
    assert [e["ts"] for e in found] == pytest.approx([1e3 * z.begin for z in wanted], abs=1e-3)
    assert [e["dur"] for e in found] == pytest.approx([1e3 * z.ms for z in wanted], abs=1e-3)
    with pytest.raises(lathe.Error, match="no-such-folder"):
        profiled.profiler.save("/proc/no-such-folder/trace.json")


@pytest.mark.software
def test_each_block_lies_on_a_worker_once():
    app = lathe.App("blocks", size=(64, 64), headless=True)
    kernel = app.kernel("__global__ void half(float* x) { x[blockIdx.x] *= 0.5f; }", "half")
    x = app.zeros(300)
    app.profiler.on = True

    @app.frame
    def frame():
        kernel[300, 1](x)
        kernel[(20, 15), 1](x)

    app.run(frames=3)
    app.profiler.on = False
    frames = app.profiler.frames
    assert len(frames) == 3
    for each in frames:
        seen = sorted(
            block
            for span in each.blocks
            if span.kernel == "half"
            for block in range(span.first, span.first + span.count)
        )
        assert seen == sorted([*range(300), *range(300)])
        for span in each.blocks:
            assert each.begin <= span.begin and span.ms >= 0
            assert span.worker in range(64)
    count = len(frames)
    app.run(frames=2)
    assert len(app.profiler.frames) == count


def test_off_is_off(profiled):
    profiled.profiler.on = False
    profiled.profiler.on = False
    profiled.run(frames=3)
    assert len(profiled.profiler.frames) == 5
    profiled.profiler.clear()
    assert profiled.profiler.frames == []


def test_a_zone_may_be_entered_again_and_left_by_an_error(app):
    app.profiler.on = True
    zone = app.zone("again")
    caught = []

    @app.frame
    def frame():
        with zone, zone:
            pass
        try:
            with zone:
                raise KeyError("lost")
        except KeyError as error:
            caught.append(error)

    app.run(frames=2)
    assert len(caught) == 2
    zones = app.profiler.frames[-1].zones
    depths = [z.depth for z in zones if z.name == "again" and z.lane == "host"]
    assert depths == [1, 2, 1]


def test_memory_is_said_by_owner(app):
    app.zeros((256, 1024), "float64", name="field")
    other = lathe.zeros((1024, 1024), "uint8")
    memory = app.profiler.memory
    assert memory["array field"] == 256 * 1024 * 8
    assert memory["other arrays"] >= other.nbytes == 1024 * 1024
    assert all(size > 0 for size in memory.values())


def test_copies_and_the_history_have_their_memory():
    app = lathe.App("memory", size=(64, 64), headless=True, history="1 MiB")
    x = app.zeros((64, 64), name="x")
    places = np.zeros((500, 3), np.float32)

    @app.frame
    def frame():
        x[:] += 1
        app.points(places)

    app.run(frames=4)
    memory = app.profiler.memory
    assert memory["copies that are drawn"] >= places.nbytes
    assert 64 * 64 * 4 <= memory["history"] <= 1 << 20
    app.close()


def test_the_panel_measures_while_it_is_seen():
    app = lathe.App("panel", size=(1280, 720), headless=True, ui=True)
    x = app.zeros((64, 64))
    app.frame(lambda: app.image(x, range=(0, 1)))
    app.show_panel("Console")
    app.run(frames=8)
    count = len(app.profiler.frames)
    app.run(frames=4)
    assert len(app.profiler.frames) == count
    app.show_panel("Profiler")
    app.run(frames=8)
    names = {zone.name for zone in app.profiler.frames[-1].zones}
    assert {"step", "draw", "interface", "Profiler", "Kernels", "present"} <= names
    app.show_panel("Console")
    app.run(frames=3)
    count = len(app.profiler.frames)
    app.run(frames=3)
    assert len(app.profiler.frames) == count
    app.close()


def test_a_run_leaves_a_trace(tmp_path):
    from lathe.cli import main

    file = tmp_path / "trace.json"
    options = ["--headless", "--frames", "3", "--size", "64x64"]
    files = ["--out", str(tmp_path), "--profile", str(file)]
    assert main(["run", "gray_scott", *options, *files]) == 0
    names = {event["name"] for event in json.loads(file.read_text())["traceEvents"]}
    assert {"frame 2", "step", "draw", "present"} <= names


def test_the_buttons_of_the_panel(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = lathe.App("panel", size=(1280, 720), headless=True, ui=True)
    x = app.zeros((64, 64))
    app.frame(lambda: app.image(x, range=(0, 1)))
    app.show_panel("Profiler")
    app.run(frames=8)

    def click(place, y=471):
        app.input.move_mouse(place, y)
        app.run(frames=1)
        app.input.press_button()
        app.run(frames=1)
        app.input.release_button()
        app.run(frames=2)

    def row():
        """What stands below the buttons."""
        return app.screenshot(with_ui=True)[566:680, 760:1270]

    frame = row()
    click(1036)  # Hold
    app.run(frames=2)
    count = len(app.profiler.frames)
    app.run(frames=3)
    assert len(app.profiler.frames) == count
    click(1036)  # Go on
    app.run(frames=3)
    assert len(app.profiler.frames) > count
    click(845)  # Sums
    sums = row()
    click(905)  # Memory
    memory = row()
    assert (frame != sums).any()
    assert (sums != memory).any()
    click(1100)  # Save trace
    events = json.loads((tmp_path / "panel-trace.json").read_text())["traceEvents"]
    assert any(event["name"] == "Profiler" for event in events)
    app.close()


@pytest.mark.software
def test_the_page_with_the_roofline_measures_and_draws_the_kernels():
    app = lathe.App("roofline", size=(1280, 720), headless=True, ui=True)
    orbit = app.kernel(
        """__global__ void orbit(float* out, int rounds) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            float a = out[i], b = 0.3f;
            for (int k = 0; k < rounds; ++k) a = a * b + 0.1f;
            out[i] = a;
        }""",
        "orbit",
    )
    x = app.zeros((64, 64))

    def step():
        orbit[16, 256](x, 200)
        app.image(x, range=(0, 1))

    app.frame(step)
    app.show_panel("Profiler")
    app.run(frames=4)

    def click(place, y):
        app.input.move_mouse(place, y)
        app.run(frames=1)
        app.input.press_button()
        app.run(frames=1)
        app.input.release_button()
        app.run(frames=3)
        app.input.move_mouse(400, 300)

    def points():
        """Pixels of the first kernel's colour in the plot."""
        plot = app.screenshot(with_ui=True)[486:585, 796:1268].astype(int)
        return int((abs(plot - (0x58, 0xA6, 0xE8)).sum(2) < 12).sum())

    click(971, 471)  # Roofline
    assert app.inspecting == "off"
    assert points() == 0
    click(790, 520)  # Measure
    assert app.inspecting == "costs"
    deadline = time.monotonic() + 30
    while points() < 50 and time.monotonic() < deadline:
        app.run(frames=5)
    assert points() > 50, "a dot of 5 pixels has 78"
    app.close()
