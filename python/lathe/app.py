# SPDX-License-Identifier: MIT
"""App: window or headless picture, arrays that GL draws, kernels edited while they run."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from lathe import ending
from lathe import options as run_options
from lathe._lathe import History, Input, Kernel, OpenZone, RunControl, Texture
from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, is_on_device
from lathe.captured import Captured
from lathe.checkpoints import Checkpoints
from lathe.code_pane import CodeOfKernels
from lathe.draw import View
from lathe.in_notebook import InNotebook
from lathe.inspected import Inspected
from lathe.inspection_sources import remember_source
from lathe.kept_state import KeptState
from lathe.loop import weakly
from lathe.native import native
from lathe.panels import PanelsOfWindow
from lathe.picking import Picked, picked_from
from lathe.plotted import Plotted
from lathe.profile import Profiler
from lathe.script import ScriptWatch
from lathe.side_window import SideWindow
from lathe.sizes import bytes_from
from lathe.sliders import Sliders
from lathe.stats import Stats
from lathe.tiles import Tiled
from lathe.watched import Watched

__all__ = ["App"]


class App(
    InNotebook,
    Captured,
    Tiled,
    Sliders,
    Checkpoints,
    Inspected,
    Watched,
    CodeOfKernels,
    Plotted,
    PanelsOfWindow,
):
    """A window (or a headless picture) around a simulation.

    One call of the frame function is one step of the simulation. The run control decides how many
    steps a shown frame has: none while it is paused, when the last drawing is shown again, and more
    than one at higher speed.

    Parameters
    ----------
    title : str
    size : (int, int)
        Width and height in pixels: of the window if panels stand around the picture, else of the
        picture itself. A window narrower than about 1150 pixels shows some panels as tabs.
    headless : bool, optional
        True opens no window. By default that is so if the environment names no display.
    ui : bool, optional
        Panels around the picture. By default a window has them, and a picture has none.
    background : (float, float, float)
        Colour behind everything, 0 to 1.
    vsync : bool
        Wait for the display.
    samples : int, optional
        Of a pixel in each direction, 1 or 2; their mean is shown, so that edges are smooth. Volumes
        have one ray a pixel. Unless given 2 in a window on a GPU, else 1, since a software OpenGL
        takes four times as long, and pictures without a window are the same everywhere.
    context : {"own", "current"}
        ``"current"``: the OpenGL context that another program (pyglet, moderngl, Qt, GLFW) has made
        current on this thread. There is no window then and no panel: ``app.run(frames=1)`` draws a
        frame into the framebuffer and the viewport that are set, and puts GL's state back. The
        context must be of OpenGL 4.5 or newer, and current whenever the App or its arrays are used.
    guide : str
        Title of a `panel` that stands at the left over the whole height, wide enough for a text
        (`lathe.ui.markdown`); the parameters then stand as a tab below the picture.
    theme : {"dark", "light"}
        Colours of the panels and of the editor. The picture has its own.
    history : int or str
        Bytes on the device, such as ``"512 MiB"``, for states of the run that can be gone back to;
        see `history`. 0 keeps none.

    Raises
    ------
    lathe.Error
        Naming what is missing (GL, EGL, a CUDA driver, NVRTC) and the command that brings it.

    Notes
    -----
    Kernels run on one stream of the App, in order; drawing waits for them. ``get()`` waits, too.

    Examples
    --------
    >>> import lathe
    >>> app = lathe.App("ramp", size=(64, 64), headless=True)
    >>> ramp = app.kernel('''__global__ void ramp(float* x, float t) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = i / 4096.0f + t; }''')
    >>> x = app.zeros((64, 64))
    >>> for _ in range(3):
    ...     if app.frame():
    ...         _ = ramp.over(4096)(x, 0.0)
    ...         app.image(x, colormap="gray")
    >>> app.screenshot().shape
    (64, 64, 3)
    """

    def __new__(cls, title: str = "Lathe", *args: Any, **kwargs: Any) -> App:
        options = run_options.current()
        known = options.take_reloading(title) or cls._known_in_notebook(title)
        return known or super().__new__(cls)

    def __init__(
        self,
        title: str = "Lathe",
        size: tuple[int, int] = (1280, 720),
        *,
        headless: bool | None = None,
        ui: bool | None = None,
        background: tuple[float, float, float] = (0.03, 0.03, 0.04),
        vsync: bool = True,
        samples: int | None = None,
        context: Literal["own", "current"] = "own",
        guide: str = "",
        theme: Literal["dark", "light"] = "dark",
        history: int | str = 0,
    ) -> None:
        if self.__dict__.get("_reloading"):
            self._begin_reload(title, background)
            return
        wanted = run_options.current()
        width, height = wanted.size or size
        display = wanted.take_display() if context == "own" else None
        if display is None and headless is None and wanted.headless is None and context == "own":
            display = self._open_cell(width, height)
            ui = bool(ui) if display is not None else ui
        headless = wanted.headless if wanted.headless is not None else headless
        ui = wanted.ui if wanted.ui is not None else ui
        if context not in ("own", "current"):
            raise ValueError(f"context is 'own' or 'current', got {context!r}")
        if theme not in ("dark", "light"):
            raise ValueError(f"theme is 'dark' or 'light', got {theme!r}")
        if context == "current":
            headless = ui = False
        if display is not None:
            headless = False
        if headless is None:
            headless = not native.display_is_available()
        if ui is None:
            ui = not headless
        script = wanted.script or _calling_script()
        watched = not headless and context == "own"
        studio = native.Studio(
            title=title,
            width=width,
            height=height,
            headless=headless,
            ui=ui,
            vsync=vsync,
            samples=samples,
            context=context,
            session=str(script or title),
            restore=watched and wanted.session and self._cell is None,
            frames=wanted.frames,
            out=wanted.out or "",
            name=wanted.name,
            folder=script.parent if script else Path.cwd(),
            assignments=wanted.assignments,
            inspecting=wanted.inspecting,
            fresh=wanted.fresh,
            guide=guide,
            theme=theme,
            history=bytes_from(history),
            profile=wanted.profile or "",
            display=display,
        )
        reload = wanted.reload or (wanted.script is None and watched)
        super().__init__(studio, wanted, ScriptWatch(script if reload else None))
        self._title = title
        self._profiler = Profiler(studio)
        self._tiles = studio
        self._views = [View(studio, studio.views[0])]
        self._side_windows: dict[str, SideWindow] = {}
        self._launchable: dict[tuple[str, str], Kernel] = {}
        self._declared: set[str] = set()
        self._choices: dict[str, list[str]] = {}
        self.state = types.SimpleNamespace()
        """Whatever the script wants to keep when it is reloaded; its values are part of the
        history."""
        studio.set_history_values(
            weakly(self, lambda app: app._kept_state().copy()),
            weakly(self, lambda app, copies: app._kept_state().put_back(copies)),
            weakly(self, lambda app, copies: app._kept_state().is_same(copies)),
        )
        self._studio.set_background((*background, 1.0))
        wanted.add(self)
        ending.watch(self)
        self._note_in_notebook(title)

    def _kept_state(self) -> KeptState:
        return KeptState(self.state, self._studio.owns)

    def _begin_reload(self, title: str, background: tuple[float, float, float]) -> None:
        self._reloading = False
        self._steps.forget_failure()
        self._functions.clear()
        self._panels.clear()
        self._drawings.clear()
        self._listeners.clear()
        self._declared.clear()
        self._studio.begin_reload()
        self._studio.parameters.withdraw_script()
        self._title = title
        self._studio.set_title(title)
        self._studio.set_background((*background, 1.0))
        if self._studio.has_ui:
            self._studio.console.write("the script was saved and is taken")

    # -- arrays ------------------------------------------------------------------------------------

    def zeros(
        self, shape: int | Sequence[int], dtype: DTypeLike = np.float32, *, name: str | None = None
    ) -> GPUArray:
        """A zeroed array that OpenGL draws from where it lies; otherwise as every other array.

        Parameters
        ----------
        shape : int or sequence of int
        dtype : data type
        name : str, optional
            Under which a reloaded script finds it again; the order of creation, unless given.

        Returns
        -------
        GPUArray
            The one of the run before the reload, contents kept, where name, shape and dtype are the
            same. A reset zeroes it. Its memory is OpenGL's between frames: addresses that were
            read from it (`ptr`, or what other libraries took) are valid until the frame is drawn.
        """
        made: GPUArray = self._studio.array(shape, dtype, name or "")
        return made

    array = zeros

    def empty(self, shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> GPUArray:
        """An array that OpenGL draws from where it lies, and that is no part of the state.

        For what each step makes anew and draws. The history and checkpoints do not keep it, so it
        may depend on the camera or the order of threads. A reset leaves it as it is; a reload
        makes another one. Contents are undefined until something writes them.

        Parameters
        ----------
        shape : int or sequence of int
        dtype : data type

        Returns
        -------
        GPUArray
            See `zeros`.
        """
        made: GPUArray = self._studio.scratch_array(shape, dtype)
        return made

    def asarray(
        self, data: Any, dtype: DTypeLike | None = None, *, name: str | None = None
    ) -> GPUArray:
        """A shared array with the contents of `data`, which a reset brings back. See `zeros`.

        `data` may lie on the device, whoever made it, or on the host.
        """
        if is_on_device(data):
            values: Any = asarray(data, dtype)
        else:
            values = np.ascontiguousarray(data, dtype=dtype)
        made: GPUArray = self._studio.array(values.shape, values.dtype, name or "", values)
        return made

    def texture(
        self,
        shape: tuple[int, int] | tuple[int, int, int],
        dtype: DTypeLike = np.float32,
        *,
        smooth: bool = False,
        name: str | None = None,
    ) -> Texture:
        """A zeroed texture that kernels write and read and GL draws; no copy on a GPU.

        A software GL keeps its textures to itself: what a kernel touched is copied there, and
        counted in `stats`.

        Parameters
        ----------
        shape : (height, width) or (height, width, channels)
        dtype : data type
            uint8 or float32 of one, two or four channels, float16 of one or four, int32 or uint32
            of one.
        smooth : bool
            Kernels that read it (``cudaTextureObject_t``, ``tex2D``) get values between elements,
            those of uint8 as 0 to 1; the elements themselves otherwise.
        name : str, optional
            See `zeros`.

        Returns
        -------
        Texture
            For `image`, and kernels' ``cudaSurfaceObject_t`` and ``cudaTextureObject_t``
            parameters.
        """
        return self._studio.texture(shape, dtype, smooth, name or "")

    def astexture(
        self,
        data: ArrayLike,
        dtype: DTypeLike | None = None,
        *,
        smooth: bool = False,
        name: str | None = None,
    ) -> Texture:
        """A texture with the contents of `data`, which a reset brings back. See `texture`."""
        host = np.ascontiguousarray(data, dtype=dtype)
        return self._studio.texture(host.shape, host.dtype, smooth, name or "", host)

    # -- kernels ---------------------------------------------------------------------------

    def kernel(
        self,
        file_or_source: str | Path,
        entry: str = "",
        *,
        options: Sequence[str] = (),
        name: str | None = None,
    ) -> Kernel:
        """A kernel that is edited while it runs.

        Parameters
        ----------
        file_or_source : str or Path
            A file (beside the script, or below the working directory), watched; or the source.
        entry : str
            The ``__global__`` function; the first one unless given. Kernels of the same file share
            one editor tab and one compile.
        options : sequence of str
            For NVRTC, such as ``-DN=64``.
        name : str, optional
            Title of the tab of a source given as text.

        Raises
        ------
        lathe.CompileError
            Without a window; with one the editor shows the error and launches do nothing until the
            source compiles.
        """
        text = str(file_or_source)
        name = name or self._name_in_notebook(text, entry)
        made = self._studio.kernel(text, entry, list(options), name)
        assert made.slot is not None
        remember_source(made.slot.source, str(made.slot.file))
        return self._launchable.setdefault((made.slot.name, entry), made)

    # -- what is seen ----------------------------------------------------------------------

    def log(self, text: object) -> None:
        """A line in the console panel."""
        self._studio.console.write(str(text))

    def caption(self, text: str) -> None:
        """The line under the picture."""
        self._studio.set_caption(text)

    @property
    def console(self) -> list[tuple[str, str, str]]:
        """Lines of the console: (source, level, text)."""
        return self._studio.console.lines

    @property
    def stats(self) -> Stats:
        """Times of the last frames."""
        return Stats.of(self._studio)

    @property
    def status(self) -> list[str]:
        """The status bar: device, GL, interop, frame rate, compile state."""
        return self._studio.status_lines

    @property
    def headless(self) -> bool:
        """Whether there is no window."""
        return self._studio.headless

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the window in pixels."""
        return self._studio.window_size

    @property
    def input(self) -> Input:
        """Keys and mouse of this frame."""
        return self._studio.input

    @property
    def clipboard(self) -> str:
        """The text on the clipboard; empty where there is none. What is set is copied there.

        Without a window it is the App's own, which no other program sees.
        """
        return self._studio.clipboard

    @clipboard.setter
    def clipboard(self, text: str) -> None:
        self._studio.clipboard = str(text)

    @property
    def cell_under_mouse(self) -> tuple[int, int] | None:
        """(column, row) of the picture of the last frame, or None outside it."""
        return self._steps.element_under_mouse

    @property
    def picked(self) -> Picked | None:
        """The thing under the mouse, as it was drawn last, or None; see `View.pick`."""
        return picked_from(self._studio.picked)

    @property
    def selected(self) -> dict[str, GPUArray]:
        """What lay in the rectangle that was drawn last with the mouse: see `View.select`.

        A drag of the left button with shift and control draws it. Empty before the first one.
        """
        return dict(self._studio.selected)

    def open_window(self, title: str, size: tuple[int, int] = (640, 480)) -> SideWindow:
        """A further window, with views and cameras of its own, for this App's arrays.

        Parameters
        ----------
        title : str
            The open window of that title is found again, so that a script may run anew.
        size : (int, int)
            Width and height in pixels.

        Returns
        -------
        SideWindow
            It draws as the App does (`points`, `image`, `views` and so on), once a frame of the
            App. Arrays that OpenGL reads are read where they lie, in all windows. Without a window
            of the App's it is a picture, too.

        Raises
        ------
        lathe.Error
            For an impossible size, where no window can be opened, and for an App in another
            program's context.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("whole", size=(64, 64), headless=True)
        >>> detail = app.open_window("detail", size=(32, 32))
        >>> x = app.asarray([[0.0, 1.0]])
        >>> if app.frame():
        ...     app.image(x)
        ...     detail.image(x, colormap="gray")
        """
        width, height = size
        window = self._studio.open_window(str(title), int(width), int(height))
        known = self._side_windows.get(window.title)
        if known is None or not known.is_open:
            known = self._side_windows[window.title] = SideWindow(self._studio, window)
        return known

    @property
    def run_control(self) -> RunControl:
        """Pause, single step, speed, reset."""
        return self._studio.run_control

    @property
    def history(self) -> History:
        """States of the run that can be gone back to: ``app.run_control.go_to(10)``.

        Before each step, the arrays and textures of this App and the values in `state` are copied
        on the device, as many as the budget of ``App(history="512 MiB")`` holds; older ones become
        sparse. Going to a step puts the newest state before it back and simulates from there, with
        sliders and kernels as they are now. A step that was made before keeps its `dt`. As soon as
        the state differs from that of before, a branch begins, and the old one stays: its number is
        the second argument of `go_to`. Variables of the script and ``__device__`` variables of
        kernels are not part of it.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("decay", size=(64, 64), headless=True, history="1 MiB")
        >>> x = app.asarray([[1.0, 2.0]])
        >>> @app.frame
        ... def frame(step):
        ...     x[:] *= 0.5
        ...     app.image(x)
        >>> app.run(frames=10)
        >>> app.run_control.go_to(2)
        >>> app.run(frames=1)
        >>> app.step, x.get().tolist()
        (2, [[0.125, 0.25]])
        """
        return self._studio.history

    @property
    def profiler(self) -> Profiler:
        """What frames spend their time on, and who has the device's memory.

        Examples
        --------
        >>> import lathe
        >>> app = lathe.App("profiled", size=(64, 64), headless=True)
        >>> x = app.zeros((64, 64))
        >>> app.profiler.on = True
        >>> @app.frame
        ... def frame():
        ...     with app.zone("brighten"):
        ...         x[:] += 0.01
        ...     app.image(x)
        >>> app.run(frames=3)
        >>> [zone.lane for zone in app.profiler.frames[-1].zones if zone.name == "brighten"]
        ['host', 'CUDA']
        """
        return self._profiler

    def zone(self, name: str) -> OpenZone:
        """A stretch of a frame for the profiler: ``with app.zone("forces"):``.

        It measures the host and, by events in the App's stream, the device. Zones nest. While
        nobody profiles it costs less than a microsecond.
        """
        return native.OpenZone(str(name), self._studio.stream)

    @property
    def stream(self) -> int:
        """The CUstream that kernels run on, for other libraries."""
        return self._studio.stream

    def gl_buffer(self, array: GPUArray) -> tuple[int, int]:
        """Where OpenGL finds an array of this App: the name of its buffer, and the offset in bytes.

        For own drawing (`on_draw`). Raises lathe.Error for an array in other memory, and for one
        that is not in C order.
        """
        return self._studio.gl_buffer(array)

    @property
    def gl(self) -> dict[str, Any]:
        """Vendor, renderer and version of GL."""
        return self._studio.gl


def _calling_script() -> Path | None:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return Path(file).resolve() if file else None
