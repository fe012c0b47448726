# SPDX-License-Identifier: MIT
"""Gray-Scott reaction-diffusion: spots that divide, worms, waves (Pearson 1993).

Edit gray_scott.cu while it runs. The right mouse button drops reagent; `pattern` takes feed and
kill of one of Pearson's classes.
"""

import numpy as np

import lathe

CELLS = 512
CELL_WIDTH = 2.5 / 256  # Pearson's: a square of 2.5 in 256 cells; 512 cells span 5.0
DIFFUSION_U, DIFFUSION_V = 2e-5, 1e-5
DT = 1.0
STEPS_PER_FRAME = 8  # even: u and v end where they began

PATTERNS = {  # Pearson's classes: feed, kill
    "theta": (0.040, 0.060),
    "alpha": (0.010, 0.047),
    "beta": (0.014, 0.039),
    "delta": (0.030, 0.055),
    "epsilon": (0.018, 0.055),
    "kappa": (0.050, 0.063),
    "lambda": (0.034, 0.065),
}


def first_state(cells: int, drops: int, seed: int = 1993) -> tuple[np.ndarray, np.ndarray]:
    """u and v, (cells, cells) float64: (1, 0), in squares of 20 cells (1/2, 1/4), 1 % noise.

    One drop lies in the middle, as Pearson's did; more are scattered.
    """
    random = np.random.default_rng(seed)
    u, v = np.ones((cells, cells)), np.zeros((cells, cells))
    places = [(cells // 2, cells // 2), *random.integers(0, cells, (drops - 1, 2))]
    for row, column in places:
        rows = (np.arange(row - 10, row + 10) % cells)[:, None]
        columns = np.arange(column - 10, column + 10) % cells
        u[rows, columns] = 0.5
        v[rows, columns] = 0.25
    u *= 1 + 0.01 * random.uniform(-1, 1, u.shape)
    v *= 1 + 0.01 * random.uniform(-1, 1, v.shape)
    return u, v


def main() -> None:
    app = lathe.App("Gray-Scott", size=(1280, 720), background=(0, 0, 0))
    start_u, start_v = first_state(CELLS, drops=40)
    u = app.asarray(start_u, np.float32, name="u")
    v = app.asarray(start_v, np.float32, name="v")
    u_next = app.zeros(u.shape, name="u_next")
    v_next = app.zeros(v.shape, name="v_next")
    step = app.kernel("gray_scott.cu", "step")
    paint = app.kernel("gray_scott.cu", "paint")
    constants = {
        "diffusion_u": DIFFUSION_U / CELL_WIDTH**2,
        "diffusion_v": DIFFUSION_V / CELL_WIDTH**2,
        "dt": DT,
    }
    advance = step.over((CELLS, CELLS), (32, 8))
    app.state.pattern = "theta"

    @app.frame
    def frame() -> None:
        pattern = app.param("pattern", "theta", choices=list(PATTERNS))
        if pattern != app.state.pattern:
            app.state.pattern = pattern
            feed, kill = PATTERNS[pattern]
            app.set("feed", feed)
            app.set("kill", kill)
        cell = app.cell_under_mouse
        if cell is not None and app.input.button_down("right"):
            paint.over((CELLS, CELLS))(u, v, CELLS, CELLS, cell[0], cell[1])
        for _ in range(STEPS_PER_FRAME // 2):  # feed and kill come from their sliders
            advance(u, v, u_next, v_next, CELLS, CELLS, **constants)
            advance(u_next, v_next, u, v, CELLS, CELLS, **constants)
        app.image(v, colormap="magma", range=(0.0, 0.38), smooth=True)

    app.run()


if __name__ == "__main__":
    main()
