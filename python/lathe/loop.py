# SPDX-License-Identifier: MIT
"""The functions of a script, called by the engine's loop, and what errors and saves do to it."""

from __future__ import annotations

import contextlib
import inspect
import traceback
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from lathe import launcher
from lathe import options as run_options
from lathe._lathe import Studio
from lathe.draw import Drawing
from lathe.events import Events, refuse_coroutine, taking
from lathe.native import native
from lathe.panel import Panel
from lathe.prompt import Prompt
from lathe.script import Reload, ScriptWatch, run_again
from lathe.tracebacks import format_error

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["Loop", "Step", "weakly"]

_REST = 1 / 60  # seconds from one look at a window that rests to the next
Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the simulation."""

    index: int
    """Number since the start or the last reset, from 0."""
    time: float
    """Simulated seconds: the sum of `dt` over the steps before."""
    dt: float
    """Seconds of this step: 1/60 without a window, at most 0.1."""


class Loop(Drawing, Events):
    """Frames and steps: a frame is shown, a step is simulated; see `App`."""

    def __init__(self, studio: Studio, options: run_options.RunOptions, watch: ScriptWatch) -> None:
        super().__init__(studio, studio.views[0])
        self._studio = studio
        self._steps = studio.steps
        self._options = options
        self._watch = watch
        self._has_news: Callable[[], bool] | None = None  # for a panel, while the window rests
        self._reloading = self._saved = False
        self._functions: dict[str, Callable[..., Any]] = {}
        self._panels: dict[str, Callable[[], Any]] = {}
        self._shown_panels: set[str] = set()
        self._drawings: list[Callable[[Studio.DrawView], Any]] = []
        self._listeners = []
        self._tasks = set()
        self._task_error = None
        self._draws = False
        self._prompt = Prompt()
        if studio.has_ui:
            complete = weakly(self, lambda loop, text: loop._prompt.complete(text, loop))
            wants_more = weakly(self, lambda loop: loop._prompt.wants_more())
            studio.set_prompt(
                weakly(self, lambda loop, line: loop._prompt.take(line)),
                lambda text: complete(text) or [],
                lambda: bool(wants_more()),
            )
            studio.set_programs(
                weakly(self, lambda loop, file: launcher.start(loop._say, "run", str(file))),
                weakly(self, lambda loop, folder: loop._make_sketch(folder)),
                weakly(self, lambda loop: launcher.start(loop._say, "learn")),
            )
        self._steps.set_hooks(
            weakly(self, lambda loop: loop._before_frame()),
            weakly(self, Loop._is_wanted),
            None if options.progress is None else weakly(self, Loop._tell_progress),
            weakly(self, Loop._call_init),
        )

    def _say(self, text: str) -> None:
        self._studio.console.write(text)

    def _make_sketch(self, folder: Path) -> None:
        launcher.start(self._say, "run", str(launcher.new_sketch(folder)))

    @property
    def time(self) -> float:
        """Simulated seconds: the sum of `dt` over the steps before."""
        return self._steps.time

    @property
    def dt(self) -> float:
        """Seconds of this step: 1/60 without a window, at most 0.1."""
        return self._steps.dt

    @property
    def step(self) -> int:
        """Number of this step since the start or the last reset, from 0; -1 before the first."""
        return self._steps.index

    @property
    def frames(self) -> int:
        """Frames shown so far."""
        return self._steps.frames

    @property
    def frame_limit(self) -> int | None:
        """Frames after which the loop ends; None: when the window is closed."""
        return self._steps.frame_limit

    @frame_limit.setter
    def frame_limit(self, frames: int | None) -> None:
        self._steps.frame_limit = frames

    @property
    def frame_times(self) -> list[float]:
        """Milliseconds of the newest frames of this run, without their recording."""
        return self._steps.frame_milliseconds

    @overload
    def frame(self) -> bool: ...
    @overload
    def frame(self, function: Function) -> Function: ...
    def frame(self, function: Function | None = None) -> Function | bool:
        """Two in one: ``@app.frame`` above the function of a frame, or ``while app.frame():``.

        Parameters
        ----------
        function : callable, optional
            Takes a `Step` (``step.index``, ``step.time``, ``step.dt``), or nothing.

        Returns
        -------
        callable or bool
            The function; without one, whether there is another step to do. After a False, the next
            call begins another run, unless the window is closed.
        """
        if function is None:
            return self._advance()
        self._functions["frame"] = taking(function)
        return function

    def init(self, function: Function) -> Function:
        """``@app.init``: called before the first step and after each reset."""
        self._functions["init"] = function
        return function

    def panel(self, title: str) -> Panel:
        """A panel of the program's own, for calls of `lathe.ui`, `lathe.imgui`, `lathe.implot`.

        ``with app.panel("Title"):`` in the frame function puts what is within it there. ``with``
        gives whether the panel is visible: not behind a tab, nor absent. While the run is paused
        the panel stays as the last step drew it.

        ``@app.panel("Title")`` above a function without arguments draws the panel by it in each
        frame, also in those without a step.

        Examples
        --------
        >>> import lathe
        >>> from lathe import imgui
        >>> app = lathe.App("pendulum", size=(64, 64), headless=True)
        >>> @app.frame
        ... def frame(step):
        ...     with app.panel("state"):
        ...         imgui.text(f"step {step.index}")
        """
        return Panel(title, self._register_panel)

    def _register_panel(self, title: str, function: Callable[[], Any]) -> None:
        self._panels[title] = function
        if title not in self._shown_panels:
            self._shown_panels.add(title)
            self._studio.add_panel(title, weakly(self, lambda loop: loop._draw_panel(title)))

    def on_draw(self, function: Function) -> Function:
        """``@app.on_draw``: OpenGL drawing of the script's own, in each frame.

        Parameters
        ----------
        function : callable
            Takes the view: `view.view` and `view.projection`, (4, 4) float32 matrices for column
            vectors, and `view.size`, width and height in pixels. It is called above what `image`,
            `points` and `lines` draw, with the picture bound and arrays in OpenGL's hands;
            `gl_buffer` finds them. GL state that it changes is put back. If it raises, the console
            says so, and steps rest until a kernel is edited or the simulation is reset.

        Notes
        -----
        Any library that draws in the current context will do: moderngl, pyglet, PyOpenGL.
        """
        self._drawings.append(function)
        if not self._draws:
            self._draws = True
            self._studio.on_draw(weakly(self, Loop._draw_own))
        return function

    def run(self, frames: int | None = None) -> None:
        """Runs the frame function until the window is closed or `frame_limit` is reached.

        An exception in the frame function goes to the console panel with its traceback and the
        window stays, showing what was drawn last; the function is tried again after a save of the
        script, an edit of a kernel, or a reset. Without a window it is raised.

        Parameters
        ----------
        frames : int, optional
            Return after so many. `run` may be called again, and goes on where it was: a program
            with a loop of its own shows a frame with ``app.run(frames=1)``.
        """
        self._steps.start(frames)
        while self._advance():
            with self._errors_shown():
                refuse_coroutine(self._call_frame())

    async def run_async(self, frames: int | None = None) -> None:
        """`run` within an asyncio loop: other tasks run between steps and frames.

        The frame function may be a coroutine function, and so may those of events: an event's is a
        task of its own. Several Apps run in one loop, as in
        ``await asyncio.gather(first.run_async(), second.run_async())``. If the task is cancelled,
        the frame is shown, and pictures and movies are written, as after Ctrl+C.

        Parameters
        ----------
        frames : int, optional
            As of `run`.

        Examples
        --------
        >>> import asyncio, lathe
        >>> app = lathe.App("async", size=(32, 32), headless=True)
        >>> @app.frame
        ... async def frame(step):
        ...     app.image([[0.0, step.index / 2]])
        ...     await asyncio.sleep(0.001)
        >>> asyncio.run(app.run_async(frames=3))
        >>> app.step
        2
        """
        import asyncio

        self._steps.start(frames)
        try:
            while (turn := self._turn()) != "over":
                if turn == "step":
                    with self._errors_shown():
                        result = self._call_frame()
                        if inspect.isawaitable(result):
                            await result
                self._raise_task_error()
                await (asyncio.sleep(_REST) if turn == "rest" else self._let_others_run())
        except asyncio.CancelledError:
            self.interrupt()
            raise

    async def _let_others_run(self) -> None:
        """Between two frames, in an event loop."""
        import asyncio

        await asyncio.sleep(0)

    def _call_frame(self) -> Any:
        function = self._functions.get("frame")
        if function is None:
            return None
        return function(Step(self._steps.index, self._steps.time, self._steps.dt))

    @contextlib.contextmanager
    def _errors_shown(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if self._studio.headless:
                raise
            self.show_error(error)

    def steps(self) -> Iterator[int]:
        """``for i in app.steps():`` is ``while app.frame():`` with the number of the step."""
        while self._advance():
            yield self.step

    def close(self) -> None:
        """Ends the loop after this frame, and closes the window."""
        self._steps.close()

    def _advance(self) -> bool:
        self._restore_at_start()
        if self._steps.next():
            return True
        self._end_progress()
        return False

    def _turn(self) -> str:
        self._restore_at_start()
        turn = self._steps.turn()
        if turn == "over":
            self._end_progress()
        return turn

    def _end_progress(self) -> None:
        if self._options.progress is not None:
            self._options.progress.end()

    def _restore_at_start(self) -> None:
        """Before the first step, or after it if the program makes its arrays there."""
        checkpoint = self._options.restore
        if checkpoint is None:
            return
        try:
            cast("App", self).restore(checkpoint)
        except native.Error:
            if self.step >= 0 or not checkpoint.exists():
                raise
            return
        self._options.restore = None

    def _before_frame(self) -> None:
        if self._is_saved():
            self._saved = False
            self._reload()
        self._prompt.run(self)

    def _is_wanted(self) -> bool:
        """A frame is: there is something to do before it."""
        return (
            self._is_saved()
            or self._prompt.is_waiting()
            or (self._has_news is not None and self._has_news())
        )

    def _is_saved(self) -> bool:
        self._saved = self._saved or self._watch.changed()
        return self._saved

    def _tell_progress(self) -> None:
        assert self._options.progress is not None
        self._options.progress.update(self.frames, self.frame_limit)

    def _call_init(self) -> None:
        if (function := self._functions.get("init")) is not None:
            function()

    def _draw_panel(self, title: str) -> None:
        if (function := self._panels.get(title)) is not None:
            function()

    def _draw_own(self, view: Studio.DrawView) -> None:
        for function in self._drawings:
            function(view)

    def interrupt(self) -> None:
        """Ends the run in good order after Ctrl+C: the picture and the movie so far are written."""
        self._end_progress()
        self._steps.interrupt()

    # -- errors and reload -------------------------------------------------------------------------

    def show_error(self, error: BaseException) -> None:
        """Writes the traceback to the console; the frame function rests until something changes.

        What the failed step drew is dropped, and the drawing before it stays.
        """
        self._steps.fail(format_error(error))

    def _reload(self) -> None:
        source = self._watch.path
        assert source is not None
        try:
            compile(source.read_text(), str(source), "exec")
        except (SyntaxError, ValueError, OSError) as error:
            text = "".join(traceback.format_exception_only(error))
            self._studio.console.write(
                f"{source.name} was saved and not taken:\n{text}", error=True
            )
            return
        self._options.begin_reload()
        native.return_freed_memory()  # edits of kernels have left much of it in pieces
        if self._options.script is not None:
            raise Reload  # up to the runner, which executes the script again
        run_again(source, self._options, cast("App", self))

    def idle(self) -> bool:
        """Shows frames without a script until there is reason to execute it again: it was saved,
        a kernel was mended, or Reset was pressed. False once the window is closed."""
        self._functions.clear()
        if not self._steps.wait_for_change(self._watch.changed):
            return False
        self._options.begin_reload()
        return True


def weakly(loop: Loop, method: Callable[..., Result]) -> Callable[..., Result | None]:
    """The engine keeps this as long as its window; it must not keep the App."""
    reference = weakref.ref(loop)

    def call(*arguments: Any) -> Result | None:
        living = reference()
        return None if living is None else method(living, *arguments)

    return call
