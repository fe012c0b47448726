# SPDX-License-Identifier: MIT
"""Apps within an asyncio loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

import lathe


def app_of(name: str, **options: object) -> lathe.App:
    return lathe.App(name, size=(32, 32), headless=True, **options)  # type: ignore[arg-type]


def test_other_tasks_run_between_the_steps() -> None:
    app = app_of("one")
    order: list[str] = []

    @app.frame
    def frame(step: lathe.Step) -> None:
        order.append(f"step {step.index}")
        app.image(np.zeros((2, 2)))

    async def other() -> None:
        for number in range(3):
            order.append(f"task {number}")
            await asyncio.sleep(0)

    async def main() -> None:
        await asyncio.gather(app.run_async(frames=3), other())

    asyncio.run(main())
    assert [each for each in order if each.startswith("step")] == ["step 0", "step 1", "step 2"]
    assert order.index("task 1") < order.index("step 2")


def test_several_apps_and_coroutines_share_one_loop() -> None:
    apps = [app_of(f"app {number}") for number in range(3)]
    arrays = [app.zeros((4, 4)) for app in apps]

    def add_frame(number: int) -> None:
        app, x = apps[number], arrays[number]
        fill = app.kernel(
            "__global__ void fill(float* x, float v) { x[threadIdx.x] += v; }", name="fill"
        )

        @app.frame
        async def frame(step: lathe.Step) -> None:
            fill[1, 16](x, np.float32(0.1 * (number + 1)))
            await asyncio.sleep(0.001 * (3 - number))  # others begin their frames meanwhile
            app.image(x, range=(0, 3))

    for number in range(3):
        add_frame(number)

    async def main() -> None:
        await asyncio.gather(*(app.run_async(frames=10) for app in apps))

    asyncio.run(main())
    for number, (app, x) in enumerate(zip(apps, arrays, strict=True)):
        assert app.step == 9
        assert x.get() == pytest.approx(number + 1, rel=1e-5)
    shades = [int(app.screenshot().mean()) for app in apps]
    assert shades[0] < shades[1] < shades[2]


def test_an_event_may_take_its_time() -> None:
    app = app_of("events")
    told: list[int] = []

    @app.on_key("s")
    async def save(event: lathe.KeyEvent) -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        told.append(app.step)

    app.input.press_key("s")
    asyncio.run(app.run_async(frames=6))
    assert len(told) == 1
    assert told[0] >= 0


def test_errors_of_the_frame_and_of_events_are_raised() -> None:
    app = app_of("errors")

    @app.frame
    async def frame() -> None:
        await asyncio.sleep(0)
        raise KeyError("the frame's")

    with pytest.raises(KeyError, match="the frame's"):
        asyncio.run(app.run_async(frames=3))
    app = app_of("errors of events")

    @app.on_key
    async def fail() -> None:
        raise KeyError("the key's")

    app.input.press_key("x")
    with pytest.raises(KeyError, match="the key's"):
        asyncio.run(app.run_async(frames=50))


def test_a_coroutine_function_needs_the_loop() -> None:
    app = app_of("no loop")

    @app.frame
    async def frame() -> None:
        raise AssertionError("it is not called")

    with pytest.raises(TypeError, match="run_async"):
        app.run(frames=1)
    app = app_of("no loop for events")

    @app.on_key
    async def key() -> None:
        raise AssertionError("it is not called")

    app.input.press_key("x")
    with pytest.raises(TypeError, match="run_async"):
        app.run(frames=1)


def test_a_paused_app_lets_others_work_and_a_cancel_ends_it_in_order(tmp_path: Path) -> None:
    app = app_of("paused")
    app.frame(lambda: app.image(np.ones((2, 2))))
    app.frame_limit = None
    app.record(tmp_path / "movie")

    async def main() -> None:
        running = asyncio.create_task(app.run_async())
        await asyncio.sleep(0.05)
        app.run_control.paused = True
        await asyncio.sleep(0.02)
        step = app.step
        await asyncio.sleep(0.1)
        assert app.step == step
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert app.frames > 2
    app.run(frames=1)
    assert app.frames > 3
