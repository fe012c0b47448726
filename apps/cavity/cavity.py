# SPDX-License-Identifier: MIT
"""A box of fluid under a moving lid: eddies, and dye that is drawn out to filaments.

Edit cavity.cu while it runs. The right mouse button stirs and drops dye; `show` chooses what is
seen. A GPU takes cells=1024.
"""

import numpy as np

import lathe

LID = 0.2  # its speed, cells a step: a third of the speed of sound
FLUX, BULK = 1.2, 1.2  # rates: both damp what is no flow, BULK sound; stable to Re 5000
FINE = 2  # cells of the dye for one of the fluid, in each direction
BLOCK = (32, 8)

# From the floor to the lid, red, green and blue.
BANDS = [
    (0.02, 0.03, 0.10), (0.03, 0.13, 0.30), (0.05, 0.35, 0.50), (0.35, 0.65, 0.60),
    (0.95, 0.88, 0.65), (0.96, 0.62, 0.20), (0.85, 0.25, 0.15), (0.45, 0.06, 0.18),
]  # fmt: skip
# Where dye flows in, in box lengths; how long each colour does, and the first one of the bands.
NOZZLES = [((0.02, 0.88), 0.9, 4), ((0.98, 0.45), 1.3, 2)]


def viscosity(reynolds, cells):
    """In cells^2 a step."""
    return LID * cells / reynolds


def rates(nu):
    """How fast collisions relax the moments: `shear`, `flux` and `bulk` of the kernel."""
    return {"shear": 1 / (3 * nu + 0.5), "flux": FLUX, "bulk": BULK}


class Flow:
    """Fluid on the device, (height, width) cells, and the launches that move it.

    `zeros(shape)` makes an array, `kernel(name)` a kernel: an App's, or others.
    """

    def __init__(self, width, height, zeros, kernel):
        self.size = (width, height)
        self.f, self.f_next = zeros((9, height, width)), zeros((9, height, width))
        self.u = zeros((height, width, 2))
        self._step = kernel("step").over((height, width), BLOCK)
        self._velocity = kernel("velocity").over(width * height, 256)

    def step(self, steps, lid, nu):
        """So many steps."""
        for _ in range(steps):
            self._step(self.f, self.f_next, *self.size, lid, **rates(nu))
            self.f, self.f_next = self.f_next, self.f

    def velocity(self):
        """(height, width, 2) on the device: x, y, cells a step."""
        self._velocity(self.f, self.u, *self.size)
        return self.u


class Dye:
    """Red, green, blue and 1, (rows, columns, 4) on the device: dye that a flow carries."""

    def __init__(self, first, fine, asarray, kernel):
        self.rows, self.columns = first.shape[:2]
        self.fine = fine
        self.now, self.then = asarray(first), asarray(first)
        self._carry = kernel("carry").over(first.shape[:2], BLOCK)
        self._drop = kernel("drop").over(first.shape[:2], BLOCK)

    def carry(self, flow, steps):
        """Moves it by so many steps with the flow's present velocity."""
        self._carry(self.now, self.then, flow.u, *flow.size, self.fine, steps)
        self.now, self.then = self.then, self.now

    def drop(self, place, radius, color):
        """A drop around (x, y), in box lengths."""
        x, y = place
        self._drop(
            self.now, self.columns, self.rows, x * self.columns, y * self.rows,
            radius * self.rows, *color,
        )  # fmt: skip


def first_dye(cells):
    """The bands, (cells, cells, 4) float32."""
    which = np.arange(cells) * len(BANDS) // cells
    rows = np.column_stack([np.array(BANDS)[which], np.ones(cells)])
    return np.repeat(rows[:, None], cells, axis=1).astype(np.float32)


def main() -> None:
    app = lathe.App("Cavity", size=(1280, 720), background=(0.02, 0.02, 0.03))
    names = ("step", "velocity", "stir", "carry", "drop", "measure")
    kernels = {name: app.kernel("cavity.cu", name) for name in names}
    state = app.state
    state.flow = state.dye = state.shown = None
    mouse = None

    def make(cells):
        state.flow = Flow(cells, cells, app.zeros, kernels.__getitem__)
        state.dye = Dye(first_dye(FINE * cells), FINE, app.asarray, kernels.__getitem__)
        state.shown = app.zeros((cells, cells))
        state.time = 0.0

    def stir(cells, steps):
        """The right mouse button takes fluid along, and leaves dye."""
        nonlocal mouse
        under = app.picked if app.input.button_down("right") else None
        if under is None:
            mouse = None
            return
        wide = state.dye.columns if under.item == "dye" else cells
        place = np.array(under.position[:2]) / wide
        if mouse is not None:
            speed = (place - mouse) * cells / steps
            speed *= LID / max(np.hypot(*speed), LID)
            kernels["stir"].over((cells, cells), BLOCK)(
                state.flow.f, state.flow.u, cells, cells, *(place * cells), 0.04 * cells, *speed
            )
        state.dye.drop(place, 0.015, BANDS[int(state.time) % len(BANDS)])
        mouse = place

    def draw_measured(view, kind, cells):
        """Speed or vorticity."""
        number = ["speed", "vorticity"].index(kind)
        style = [
            {"range": (0, 1), "colormap": "magma"},
            {"range": (-6, 6), "colormap": "RdBu_r"},
        ][number]
        kernels["measure"].over((cells, cells), BLOCK)(
            state.flow.u, state.shown, cells, cells, LID, number
        )
        view.image(state.shown, smooth=True, y_up=True, name=kind, **style)
        view.colorbar(kind, label=kind)
        view.title(kind)

    @app.init
    def begin() -> None:
        state.time = 0.0

    @app.frame
    def frame() -> None:
        cells = app.param("cells", 192, 96, 2048, log=True)
        reynolds = app.param("reynolds", 2000.0, 100.0, 5000.0, log=True)
        steps = app.param("steps", 16, 1, 64)
        show = app.param("show", "both", choices=["both", "dye", "speed", "vorticity"])
        if state.flow is None or state.flow.size[0] != cells:
            make(cells)
        flow, dye = state.flow, state.dye
        stir(cells, steps)
        flow.step(steps, LID, viscosity(reynolds, cells))
        flow.velocity()
        dye.carry(flow, steps)
        state.time += steps * LID / cells
        if app.param("nozzles", True):
            for place, pace, first in NOZZLES:
                color = int(state.time / pace + first) % len(BANDS)
                dye.drop(place, 0.015, BANDS[color])

        views = app.views(1, 2 if show == "both" else 1)
        if show in ("both", "dye"):
            views[0].image(dye.now, smooth=True, y_up=True, name="dye")
            views[0].title("the lid moves \u2192")
        if show != "dye":
            draw_measured(views[-1], "vorticity" if show == "both" else show, cells)
        app.caption(f"Re {reynolds:.0f}, the lid has gone {state.time:.1f} boxes")

    app.run()


if __name__ == "__main__":
    main()
