# SPDX-License-Identifier: MIT
"""Functions of a script that are called when a key, the mouse or the window tells something."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, overload

from lathe.tracebacks import format_error

if TYPE_CHECKING:
    from asyncio import Future

    from lathe._lathe import Studio
    from lathe.draw import View

__all__ = [
    "DropEvent",
    "Events",
    "FocusEvent",
    "KeyEvent",
    "MouseEvent",
    "ResizeEvent",
    "WheelEvent",
    "refuse_coroutine",
    "taking",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Button = Literal["left", "right", "middle"]
MouseKind = Literal["press", "double_click", "release", "move", "drag"]


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """A key went down, or up."""

    key: str
    """``"s"``, ``"space"``, ``"f5"``, ``"keypad_0"``: by its place on a US keyboard."""
    repeat: bool
    """It is held, and the keyboard repeats it."""
    modifiers: tuple[str, ...]
    """Of ``"shift"``, ``"control"``, ``"alt"``, ``"super"``, those that are held."""


@dataclass(frozen=True, slots=True)
class MouseEvent:
    """A button or a way of the mouse over the picture."""

    kind: MouseKind
    """``"double_click"`` comes after the second press; ``"drag"`` is a move with a button held."""
    button: Button
    """Of a drag, the one that went down last; of a move it means nothing."""
    position: tuple[float, float]
    """Pixels from the window's top left corner, as `Input.mouse` has them."""
    delta: tuple[float, float]
    """Pixels since the event before; of a button (0, 0)."""
    modifiers: tuple[str, ...]
    cell: tuple[int, int] | None = None
    """Column and row of the picture's element there; None beside a picture."""
    view: View | None = None
    """The uppermost one there."""
    place: tuple[float, float] = (0.0, 0.0)
    """Pixels from the view's top left corner: for `View.pick` and `View.sight_line`."""


@dataclass(frozen=True, slots=True)
class WheelEvent:
    """The wheel was turned over the picture."""

    delta: tuple[float, float]
    """Notches to the right, and away from the user."""
    position: tuple[float, float]
    """Pixels from the window's top left corner."""
    modifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropEvent:
    """Files were dropped on the window."""

    files: list[Path]
    """Those with the endings that the function takes."""
    position: tuple[float, float]
    """Pixels from the window's top left corner."""


@dataclass(frozen=True, slots=True)
class ResizeEvent:
    """The window has another size."""

    size: tuple[int, int]
    """Width and height in pixels."""


@dataclass(frozen=True, slots=True)
class FocusEvent:
    """The window got the keyboard, or lost it."""

    focused: bool


class Events:
    """What an App does on events.

    Its functions are called at the beginning of a frame, of one without a step, too, and in the
    order of the events; each takes the event, or nothing. They may launch kernels and change
    arrays; drawing calls belong into the frame function. What a panel takes (a click on a slider,
    keys typed into the editor) is not told. If a function raises, the console says so and the run
    goes on; without a window the error is raised.
    """

    _studio: Studio
    _views: list[View]
    _listeners: list[Callable[..., Any]]
    _tasks: set[Future[Any]]
    _task_error: BaseException | None

    @overload
    def on_key(self, key: Function, /) -> Function: ...
    @overload
    def on_key(self, *keys: str, repeats: bool = False) -> Callable[[Function], Function]: ...
    def on_key(self, *keys: Any, repeats: bool = False) -> Any:
        """``@app.on_key("s")``: the function is called when the key goes down.

        Parameters
        ----------
        *keys : str
            Characters and names such as ``"space"``, ``"left"``, ``"f5"``, with modifiers as in
            ``"control+shift+z"``; none: any key with any modifiers. What Lathe itself does with a
            key that is named rests, as long as no text field has the keyboard.
        repeats : bool
            Called again and again while it is held.

        Raises
        ------
        lathe.Error
            For an unknown key or modifier.
        """

        def add(key: str, call: Callable[..., None]) -> None:
            self._studio.events.on_key(key, call, repeats)

        return self._register_keys(add, keys)

    @overload
    def on_key_up(self, key: Function, /) -> Function: ...
    @overload
    def on_key_up(self, *keys: str) -> Callable[[Function], Function]: ...
    def on_key_up(self, *keys: Any) -> Any:
        """``@app.on_key_up("s")``: the function is called when the key goes up. See `on_key`."""
        return self._register_keys(self._studio.events.on_key_up, keys)

    @overload
    def on_mouse(self, kind: Function, /) -> Function: ...
    @overload
    def on_mouse(
        self, *kinds: MouseKind, button: Button | None = None
    ) -> Callable[[Function], Function]: ...
    def on_mouse(self, *kinds: Any, button: Button | None = None) -> Any:
        """``@app.on_mouse("press", "drag")``: the function gets a `MouseEvent`.

        Parameters
        ----------
        *kinds : {"press", "double_click", "release", "move", "drag"}
            None: all of them.
        button : {"left", "right", "middle"}, optional
            Only what this button does. Moves have none.

        Notes
        -----
        A function that returns True for a press keeps it: neither the press nor the drag that it
        begins moves a camera.

        Raises
        ------
        ValueError
            For an unknown kind or button.
        """
        if len(kinds) == 1 and callable(kinds[0]):
            return self.on_mouse()(kinds[0])
        for kind in kinds:
            _require(kind, MouseKind, "kind of a mouse event")
        if button is not None:
            _require(button, Button, "button")

        self_of = weakref.ref(self)

        def places(position: tuple[float, float]) -> tuple[Any, Any, Any]:
            app = self_of()
            return (None, None, (0.0, 0.0)) if app is None else app._places_of(position)

        def register(function: Function) -> Function:
            listen = self._listener(function)

            def call(kind: Any, which: Any, position: Any, delta: Any, modifiers: list[str]) -> Any:
                if (kinds and kind not in kinds) or (
                    button and (which != button or kind == "move")
                ):
                    return False
                return listen(
                    MouseEvent(kind, which, position, delta, tuple(modifiers), *places(position))
                )

            self._studio.events.on_mouse(call)
            return function

        return register

    def on_wheel(self, function: Function) -> Function:
        """``@app.on_wheel``: the function gets a `WheelEvent`; True from it keeps cameras still."""
        listen = self._listener(function)
        self._studio.events.on_wheel(
            lambda delta, position, modifiers: listen(WheelEvent(delta, position, tuple(modifiers)))
        )
        return function

    @overload
    def on_drop(self, ending: Function, /) -> Function: ...
    @overload
    def on_drop(self, *endings: str) -> Callable[[Function], Function]: ...
    def on_drop(self, *endings: Any) -> Any:
        """``@app.on_drop(".npy", ".png")``: the function gets a `DropEvent`.

        Parameters
        ----------
        *endings : str
            Of the files that it takes; none: all files. `lathe.load` reads those of many formats.
        """
        if len(endings) == 1 and callable(endings[0]):
            return self.on_drop()(endings[0])
        wanted = tuple(str(ending).lower() for ending in endings) or ("",)

        def register(function: Function) -> Function:
            listen = self._listener(function)

            def call(files: list[Path], position: tuple[float, float]) -> bool:
                taken = [file for file in files if file.name.lower().endswith(wanted)]
                if taken:
                    listen(DropEvent(taken, position))
                return bool(taken)

            self._studio.events.on_drop(call)
            return function

        return register

    def on_resize(self, function: Function) -> Function:
        """``@app.on_resize``: the function gets a `ResizeEvent`."""
        listen = self._listener(function)
        self._studio.events.on_resize(lambda width, height: listen(ResizeEvent((width, height))))
        return function

    def on_focus(self, function: Function) -> Function:
        """``@app.on_focus``: the function gets a `FocusEvent`."""
        listen = self._listener(function)
        self._studio.events.on_focus(lambda focused: listen(FocusEvent(focused)))
        return function

    def on_close(self, function: Function) -> Function:
        """``@app.on_close``: the user closes the window; if the function returns True, it stays."""
        listen = self._listener(function)
        self._studio.events.on_close(lambda: listen(None))
        return function

    def _register_keys(
        self, add: Callable[[str, Callable[..., None]], None], keys: tuple[Any, ...]
    ) -> Any:
        if len(keys) == 1 and callable(keys[0]):
            return self._register_keys(add, ())(keys[0])

        def register(function: Function) -> Function:
            listen = self._listener(function)
            for key in keys or ("",):
                add(
                    str(key),
                    lambda name, repeat, modifiers: listen(
                        KeyEvent(name, repeat, tuple(modifiers))
                    ),
                )
            return function

        return register

    def _places_of(self, position: tuple[float, float]) -> tuple[Any, Any, Any]:
        """Cell, view and place in it, at pixels of the window."""
        found = self._studio.view_at(*position)
        if found is None:
            return None, None, (0.0, 0.0)
        view = next((each for each in self._views if each._view is found[0]), None)
        return self._studio.element_at(*position), view, found[1]

    def _listener(self, function: Callable[..., Any]) -> Callable[[Any], Any]:
        """What the engine keeps, which must not keep the App: the function lies here."""
        number = len(self._listeners)
        self._listeners.append(taking(function))
        reference = weakref.ref(self)

        def call(event: Any) -> Any:
            app = reference()
            if app is None:
                return None
            result = app._listeners[number](event)
            return app._begin_task(result) if inspect.isawaitable(result) else result

        return call

    def _begin_task(self, work: Any) -> None:
        """Of a coroutine function, in the loop that `run_async` runs in."""
        import asyncio

        try:
            task = asyncio.ensure_future(work, loop=asyncio.get_running_loop())
        except RuntimeError:
            return refuse_coroutine(work)
        self._tasks.add(task)
        task.add_done_callback(self._end_task)

    def _end_task(self, task: Future[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is None:
            return
        if self._studio.headless:
            self._task_error = self._task_error or error
        else:
            self._studio.console.write(format_error(error), error=True)

    def _raise_task_error(self) -> None:
        error, self._task_error = self._task_error, None
        if error is not None:
            raise error


def taking(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """The function, or one that leaves the argument out where it takes none."""
    if inspect.signature(function).parameters:
        return function
    return lambda argument: function()


def refuse_coroutine(result: Any) -> None:
    """Where nobody could await it."""
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError("a coroutine function needs an asyncio loop: await app.run_async()")


def _require(word: str, known: Any, what: str) -> None:
    if word not in get_args(known):
        raise ValueError(f"unknown {what} {word!r}: one of {', '.join(get_args(known))}")
