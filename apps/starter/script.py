"""Heat that spreads over a plate.

The right mouse button warms the plate. Edit starter.cu while it runs.
"""

import numpy as np

import lathe

CELLS = 256
STEPS_PER_FRAME = 8  # even: the two arrays end where they began


def first_state(cells: int, spots: int = 12, seed: int = 1) -> np.ndarray:
    """Temperatures, (cells, cells): warm discs on a cold plate."""
    random = np.random.default_rng(seed)
    row, column = np.mgrid[:cells, :cells]
    plate = np.zeros((cells, cells))
    for y, x in random.integers(0, cells, (spots, 2)):
        plate[(row - y) ** 2 + (column - x) ** 2 < (cells / 16) ** 2] = 1
    return plate


def main() -> None:
    app = lathe.App("starter", size=(960, 720), background=(0, 0, 0))
    now = app.asarray(first_state(CELLS), np.float32, name="now")
    then = app.zeros(now.shape, name="then")
    step = app.kernel("starter.cu", "step").over(now.shape, (32, 8))
    warm = app.kernel("starter.cu", "warm").over(now.shape, (32, 8))

    @app.frame
    def frame() -> None:
        cell = app.cell_under_mouse
        if cell is not None and app.input.button_down("right"):
            warm(now, CELLS, CELLS, *cell)  # `radius` comes from its slider
        for _ in range(STEPS_PER_FRAME // 2):
            step(now, then, CELLS, CELLS)  # and so does `rate`
            step(then, now, CELLS, CELLS)
        app.image(now, colormap="inferno", range=(0.0, 1.0), smooth=True)

    app.run()


if __name__ == "__main__":
    main()
