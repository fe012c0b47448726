# SPDX-License-Identifier: MIT
"""An App's sliders: values, presets, and what they follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from lathe.slider_values import SliderValues
from lathe.waves import Oscillation

if TYPE_CHECKING:
    from lathe._lathe import Studio

__all__ = ["Sliders"]

Value = TypeVar("Value", bool, int, float, str, tuple[float, ...])


class Sliders:
    """What an App has of sliders."""

    _studio: Studio
    _declared: set[str]
    _choices: dict[str, list[str]]

    def param(
        self,
        name: str,
        value: Value,
        min: float | None = None,
        max: float | None = None,
        *,
        step: float | None = None,
        log: bool = False,
        choices: Sequence[str] = (),
        color: bool = False,
    ) -> Value:
        """A slider of the script's own; returns its present value. Call it in every frame.

        Parameters
        ----------
        name : str
            Also the name for ``--set name=value``.
        value : bool, int, float, str or tuple of float
            At the start; its type decides the widget. A str is one of `choices`.
        min, max : float, optional
            Range of the slider.
        step : float, optional
            Least change.
        log : bool
            Logarithmic slider.
        choices : sequence of str
            A list to choose from.
        color : bool
            A colour picker for three or four numbers.

        Raises
        ------
        ValueError
            For a `value` outside its own range, or that is none of its choices.
        """
        parameters = self._studio.parameters
        if name not in self._declared:
            self._choices[name] = list(choices)
            parameters.declare(
                name, value, min, max, step=step, log=log, choices=list(choices), color=color
            )
            self._declared.add(name)
        got: Any = parameters.get(name)
        value = self._choices[name][got] if choices else got
        return value

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and values of all sliders, the kernels' and the script's.

        A script that looks one up reads it, so the slider stays though the script passes the value.
        """
        return SliderValues(self._studio.parameters)

    def set(self, name: str, value: Any) -> None:
        """Sets a slider, within its range; a choice by its name or index.

        Raises lathe.Error for unknown names, and for a value of another type.
        """
        self._studio.parameters.set(name, value)

    def save_preset(self, number: int) -> None:
        """Saves the values of all sliders as preset 1 to 9, as Shift and the digit do in a window.

        With a window they are kept between runs.
        """
        self._studio.save_preset(number)

    def recall_preset(self, number: int, fade: float = 0.0) -> bool:
        """Sliders get the values of a preset.

        Parameters
        ----------
        number : int
            1 to 9.
        fade : float
            Seconds in which they get there; 0 is at once. A fade moves on with each frame.

        Returns
        -------
        bool
            False where nothing was saved.
        """
        return self._studio.recall_preset(number, fade)

    def preset_code(self, number: int = 0) -> str:
        """A preset as arguments of a call, ``F=0.037, k=0.06``; of the present values for 0."""
        return self._studio.preset_code(number)

    def bind(
        self,
        name: str,
        source: Oscillation | str | None = None,
        *,
        key: str | None = None,
        hold: bool = False,
        keys: tuple[str, str] | None = None,
        step: float | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        """A slider follows a wave, the mouse or keys, until somebody sets it.

        Parameters
        ----------
        name : str
            A parameter, or a component of a vector: ``"tint.x"``.
        source : Oscillation or str, optional
            ``lathe.oscillation("sine", period=4)``, ``"mouse.x"``, ``"mouse.y"``, or words as in a
            kernel's comment: ``"sine(0.2..0.4) 4s"``.
        key : str, optional
            It turns a boolean over. A letter, or left, right, up, down, home, end, page_up,
            page_down; R resets, so it is none.
        hold : bool
            The boolean is true while `key` is held, instead.
        keys : (str, str), optional
            Two keys that move a number or a choice down and up, by `step`.
        step : float, optional
            Unless given the slider's own, else a fiftieth of its range.
        low, high : float, optional
            Where the mouse leads from and to; the slider's range unless given.

        Raises
        ------
        lathe.Error
            For an unknown name, for what such a slider cannot follow, for a period that is not
            above 0, and where `low` is not below `high` or they are not within the slider's range.
        TypeError
            Unless there is exactly one of `source`, `key` and `keys`.
        """
        self._studio.bind_slider(name, _words_of(source, key, hold, keys, step, low, high))

    def unbind(self, name: str) -> bool:
        """The slider stays where it is. False where it followed nothing."""
        return self._studio.unbind_slider(name)

    @property
    def bindings(self) -> dict[str, str]:
        """What sliders follow at present, in words that `bind` takes: ``{"F": "sine 4s"}``."""
        return self._studio.slider_bindings


def _words_of(
    source: Oscillation | str | None,
    key: str | None,
    hold: bool,
    keys: tuple[str, str] | None,
    step: float | None,
    low: float | None,
    high: float | None,
) -> str:
    """The words of a directive that say the same."""
    if sum(x is not None for x in (source, key, keys)) != 1:
        raise TypeError("bind() takes one of source, key= and keys=")
    if (hold and key is None) or (step is not None and keys is None):
        raise TypeError(f"bind() takes {'hold= with key=' if hold else 'step= with keys='} only")
    if key is not None:
        return f"{'hold' if hold else 'key'}({key})"
    if keys is not None:
        down, up = keys
        return f"keys({down},{up}{'' if step is None else f',{float(step)!r}'})"
    if low is None and high is None:
        return str(source)
    if low is None or high is None or isinstance(source, Oscillation):
        raise TypeError("bind() takes low= and high= together; an oscillation has its own")
    return f"{source}({float(low)!r}..{float(high)!r})"
