# SPDX-License-Identifier: MIT
"""An array that computes is the array that is seen: heat in twelve lines, beside NumPy."""

import subprocess
import sys

import numpy as np

import lathe

LISTING = """
import lathe, numpy as np
app = lathe.App("heat", size=(640, 480), headless=True)
app.frame_limit = FRAMES
u = app.zeros((480, 640)); u[200:280, 280:360] = 1            # an array like any other
while app.frame():
    u[1:-1, 1:-1] += 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                            - 4 * u[1:-1, 1:-1])
    app.image(u, colormap="inferno")                          # zero copies
    if UPLOADS: app.image(np.sin(u.get()))                    # one upload
"""


def run(frames: int, uploads: bool) -> dict[str, object]:
    names: dict[str, object] = {"FRAMES": frames, "UPLOADS": uploads}
    exec(LISTING, names)
    return names


def test_the_array_is_what_numpy_computes_and_is_drawn_where_it_lies() -> None:
    names = run(30, uploads=False)
    app = names["app"]
    assert isinstance(app, lathe.App)
    v = np.zeros((480, 640))
    v[200:280, 280:360] = 1
    for _ in range(30):
        v[1:-1, 1:-1] += 0.2 * (
            v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * v[1:-1, 1:-1]
        )
    np.testing.assert_allclose(names["u"].get(), v, atol=1e-6)  # type: ignore[attr-defined]
    stats = app.stats
    assert stats.bytes_drawn_in_place == 30 * 480 * 640 * 4
    assert stats.bytes_drawn_by_copy == stats.bytes_uploaded == 0
    middle, edge = app.screenshot()[240, 320].astype(int), app.screenshot()[240, 281].astype(int)
    assert middle.sum() > edge.sum() > 0


def test_an_array_of_the_host_is_uploaded_once() -> None:
    app = run(5, uploads=True)["app"]
    assert isinstance(app, lathe.App)
    assert app.stats.bytes_uploaded == 5 * 480 * 640 * 4


def test_no_byte_goes_through_the_host() -> None:
    """In a process of its own: Apps of other tests count there, too."""
    values = "FRAMES, UPLOADS = 30, False"
    done = subprocess.run(
        [sys.executable, "-c", f"{values}\n{LISTING}\nprint(app.stats.bytes_copied)"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split()[-1:] == ["0"], done.stdout + done.stderr
