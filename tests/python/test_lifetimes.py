# SPDX-License-Identifier: MIT
"""Apps, arrays, textures and kernels that end in any order, in cycles of references, too: none
stays, and the process does not grow."""

import gc
import itertools
import os
import random
import weakref

import numpy as np
import pytest

import lathe

RAMP = "__global__ void ramp(float* x, float first) { x[threadIdx.x] = first + threadIdx.x; }"


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def everything_of(app, ramp):
    """A frame, and all that an App gives; what is to die in any order."""
    x = app.zeros(32, name="x")
    texture = app.texture((8, 8), np.uint8)
    kernel = app.kernel(RAMP, "ramp")
    kernel[1, 32](x, 1.0)
    ramp[1, 32](x, 2.0)
    app.frame_limit = 1
    while app.frame():
        app.image(texture)
        app.lines(x.reshape(16, 2))
    return {
        "app": app,
        "x": x,
        "part": x[3:7],
        "copy": x.copy(),
        "sum": x + 1,
        "texture": texture,
        "kernel": kernel,
        "launch": ramp[1, 32],
    }


def test_what_dies_in_any_order_leaves_nothing():
    ramp = lathe.kernel(RAMP, "ramp")
    choice = random.Random(20261125)

    def live(rounds):
        alive = {}
        for i in range(rounds):
            app = lathe.App(f"life {i}", size=(32, 16), headless=True)
            alive.update({(i, name): thing for name, thing in everything_of(app, ramp).items()})
            del app
            names = list(alive)
            choice.shuffle(names)
            for name in names[: len(names) * 2 // 3]:
                del alive[name]
        for (_, name), thing in alive.items():
            if name == "x":
                assert thing.get().tolist() == list(range(2, 34))
            if name == "part":
                assert thing.get().tolist() == [5, 6, 7, 8]
        alive.clear()
        gc.collect()

    live(20)
    sizes = [resident_bytes()]
    for _ in range(4):
        live(25)
        sizes.append(resident_bytes())
    # Allocators settle; a leak grows in each round.
    assert min(b - a for a, b in itertools.pairwise(sizes)) < 256 << 10, sizes


def functions(app):
    @app.frame
    def frame(step):
        app.image(app.zeros((4, 4)))

    @app.init
    def init():
        assert app

    @app.panel("one")
    def panel():
        assert app

    app.run()


def drawing(app):
    @app.on_draw
    def draw(view):
        assert view.size and app

    while app.frame():
        pass


def state(app):
    app.state.app = app
    app.state.x = [app.zeros(4), app, app.state]


def error(app):
    @app.frame
    def failing(step):
        raise ValueError(app)

    with pytest.raises(ValueError, match="App"):
        app.run()


def array(app):
    return app.zeros(3)


def texture(app):
    return app.texture((4, 4))


def launch(app):
    kept = app.kernel(RAMP, "ramp")[1, 4]
    kept(app.zeros(4), 1.0)
    return kept


def parts(app):
    return app.run_control, app.stats, app.console, app.state


@pytest.mark.parametrize(
    "use",
    [functions, drawing, state, error, array, texture, launch, parts],
    ids=lambda f: f.__name__,
)
def test_an_app_is_collected_whatever_refers_to_it(use):
    def program():
        app = lathe.App("cycle", size=(32, 16), headless=True)
        app.frame_limit = 1
        app.itself = [app]
        return weakref.ref(app), use(app)

    app, kept = program()
    gc.collect()
    assert app() is None, [type(each) for each in gc.get_referrers(app())]
    if use is array:
        assert kept.get().tolist() == [0, 0, 0]
