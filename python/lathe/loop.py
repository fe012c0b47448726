# SPDX-License-Identifier: MIT
"""The frame loop of an App, owned by it or by the script, and what errors and saves do to it."""

from __future__ import annotations

import inspect
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from lathe import options as run_options
from lathe._lathe import Studio
from lathe.arrays import KeptArrays
from lathe.draw import Drawing
from lathe.live import LiveKernels
from lathe.movie import Movie
from lathe.native import native
from lathe.script import Reload, ScriptWatch, run_again
from lathe.tracebacks import format_error

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["Loop"]

Function = TypeVar("Function", bound=Callable[..., Any])

HEADLESS_DT = 1.0 / 60.0
LONGEST_DT = 0.1


class Loop(Drawing):
    """Frames and steps: a frame is shown, a step is simulated; see `App`."""

    def __init__(
        self,
        studio: Studio,
        options: run_options.RunOptions,
        watch: ScriptWatch,
        arrays: KeptArrays,
        kernels: LiveKernels,
    ) -> None:
        super().__init__(studio)
        self._studio = studio
        self._options = options
        self._watch = watch
        self._arrays = arrays
        self._kernels = kernels
        self._reloading = False
        self._functions: dict[str, Callable[..., Any]] = {}
        self._panels: dict[str, Callable[[], Any]] = {}
        self._shown_panels: set[str] = set()
        self._open = False
        self._started = False
        self._finished = False
        self._broken_at: list[int] | None = None
        self._steps_left = 0
        self._cell: tuple[int, int] | None = None
        self._frame_began = 0.0
        self.time = 0.0
        """Simulated seconds: the sum of `dt` over the steps."""
        self.dt = HEADLESS_DT
        """Seconds of this step."""
        self.step = -1
        """Number of this step since the start or the last reset, from 0."""
        self.frame_limit = options.frames
        """Frames after which the loop ends; None: when the window is closed."""
        if self.frame_limit is None and studio.headless:
            self.frame_limit = run_options.DEFAULT_FRAMES
        self.frame_times: list[float] = []
        """Milliseconds of each frame shown so far, without its recording."""
        self.movie = Movie(studio)
        """Of this run, where it is recorded."""

    @overload
    def frame(self) -> bool: ...
    @overload
    def frame(self, function: Function) -> Function: ...
    def frame(self, function: Function | None = None) -> Function | bool:
        """Two in one: ``@app.frame`` above the function of a frame, or ``while app.frame():``.

        Parameters
        ----------
        function : callable, optional
            Takes `dt` in seconds, or nothing.

        Returns
        -------
        callable or bool
            The function; without one, whether there is another step to do.
        """
        if function is None:
            return self._advance()
        self._functions["frame"] = function
        return function

    def init(self, function: Function) -> Function:
        """``@app.init``: called before the first step and after each reset."""
        self._functions["init"] = function
        return function

    def panel(self, title: str) -> Callable[[Function], Function]:
        """``@app.panel("Title")``: a panel drawn by a function of `lathe.ui` calls."""

        def register(function: Function) -> Function:
            self._panels[title] = function
            if title not in self._shown_panels:
                self._shown_panels.add(title)
                self._studio.add_panel(title, _panel_caller(weakref.ref(self), title))
            return function

        return register

    def run(self) -> None:
        """Runs the frame function until the window is closed or `frame_limit` is reached.

        An exception in the frame function goes to the console panel with its traceback and the
        window stays, showing what was drawn last; the function is tried again after a save of the
        script, an edit of a kernel, or a reset. Without a window it is raised.
        """
        while self._advance():
            function = self._functions.get("frame")
            if function is None:
                self._steps_left = 0
                continue
            try:
                _call_with_dt(function, self.dt)
            except Exception as error:
                if self._studio.headless:
                    raise
                self.show_error(error)

    def steps(self) -> Iterator[int]:
        """``for i in app.steps():`` is ``while app.frame():`` with the number of the step."""
        while self._advance():
            yield self.step

    def close(self) -> None:
        """Ends the loop after this frame."""
        self._studio.close()
        self.frame_limit = 0

    def _advance(self) -> bool:
        while not self._finished:
            if self._open:
                if self._steps_left > 0:
                    self._begin_step()
                    return True
                self._end_frame()
            limit = self.frame_limit
            if (limit is not None and len(self.frame_times) >= limit) or not self._begin_frame():
                self._finish()
        return False

    def _begin_frame(self) -> bool:
        if self._watch.changed():
            self._reload()
        self._frame_began = time.perf_counter()
        if not self._studio.begin_frame():
            return False
        self._open = True
        control = self._studio.run_control
        if control.is_reset and (self._started or self._broken_at is not None):
            self._rewind()
        if not self._started and not self._is_broken():
            self._call_init()
        self._steps_left = 0 if self._is_broken() else control.steps
        seconds = (
            HEADLESS_DT if self._studio.headless else min(self._studio.delta_seconds, LONGEST_DT)
        )
        self.dt = seconds
        return True

    def _begin_step(self) -> None:
        self._steps_left -= 1
        self._studio.begin_step()
        self.step += 1
        if self.step > 0:
            self.time += self.dt

    def _end_frame(self) -> None:
        try:
            self._studio.draw()
        except Exception as error:
            if self._studio.headless:
                self._open = False
                raise
            self.show_error(error)
        self._cell = self._studio.element_under_mouse
        self._studio.set_time(self.time)
        self._open = False
        try:
            self._studio.end_frame()
        except native.Error as error:  # of a kernel that is nobody's slot
            if self._studio.headless:
                raise
            self.show_error(error)
        if self._studio.headless:  # else the window waits for the kernel to be mended
            self._kernels.require_running()
        if not self.frame_times:  # by now script and kernels have declared their sliders
            self._studio.parameters.check_assignments()
        self.frame_times.append((time.perf_counter() - self._frame_began) * 1e3)
        self.movie.add_frame(len(self.frame_times), self.frame_limit)
        if self._options.progress is not None:
            self._options.progress.update(len(self.frame_times), self.frame_limit)

    def _rewind(self) -> None:
        self._arrays.restore()
        self.time = 0.0
        self.step = -1
        self._broken_at = None
        self._started = False

    def _call_init(self) -> None:
        self._started = True
        function = self._functions.get("init")
        if function is None:
            return
        try:
            function()
        except Exception as error:
            if self._studio.headless:
                raise
            self._started = False  # the next frame calls the function again
            self.show_error(error)

    def interrupt(self) -> None:
        """Ends the run in good order after Ctrl+C: the picture and the movie so far are written."""
        if self._finished:
            return
        if self._open:
            self._steps_left = 0
            self._end_frame()
        self._finish()

    def _finish(self) -> None:
        self._finished = True
        if self._options.progress is not None:
            self._options.progress.end()
        out = self._options.out
        if out is not None and self.frame_times:
            picture = out / f"{self._options.name}.png"
            native.save_png(picture, self._studio.screenshot(self._studio.has_ui))
            self._options.written.append(picture)
        if (written := self.movie.finish()) is not None:
            self._options.written.append(written)

    # -- errors and reload -------------------------------------------------------------------------

    def show_error(self, error: BaseException) -> None:
        """Writes the traceback to the console; the frame function rests until something changes.

        What the failed step drew is dropped, and the drawing before it stays.
        """
        text = format_error(error)
        self._studio.drop_step()
        self._steps_left = 0
        self._studio.console.write(text, error=True)
        if self._studio.has_ui:  # else the console goes to the terminal
            print(text, file=sys.stderr)
        self._broken_at = self._kernels.generations()

    def _is_broken(self) -> bool:
        if self._broken_at is not None and self._broken_at != self._kernels.generations():
            self._broken_at = None
        return self._broken_at is not None

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
        self._reloading = True
        if self._options.script is not None:
            raise Reload  # up to the runner, which executes the script again
        run_again(source, self._options, cast("App", self))

    def idle(self) -> bool:
        """Shows frames without a script until there is reason to execute it again: it was saved,
        a kernel was mended, or Reset was pressed. False once the window is closed."""
        self._functions.clear()
        if self._open:
            self._end_frame()
        self._broken_at = self._kernels.generations()  # a fault of the last frame is no repair
        while not self._finished:
            reset = self._open and self._studio.run_control.is_reset
            if self._open:
                self._end_frame()
            if reset:
                self._rewind()
            if reset or self._watch.changed() or not self._is_broken():
                self._reloading = True
                return True
            if not self._studio.begin_frame():
                self._finish()
                break
            self._open = True
        return False


def _call_with_dt(function: Callable[..., Any], dt: float) -> None:
    if inspect.signature(function).parameters:
        function(dt)
    else:
        function()


def _panel_caller(reference: weakref.ref[Loop], title: str) -> Callable[[], None]:
    """The Studio keeps this for ever; it must not keep the App."""

    def draw() -> None:
        app = reference()
        function = app._panels.get(title) if app is not None else None
        if function is not None:
            function()

    return draw
