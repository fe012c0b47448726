# SPDX-License-Identifier: MIT
"""The fastest variant of a kernel: compiled with each set of values, checked, measured, remembered.

docs/tuning.md has an example from beginning to end. What is kept on disk is in tune_cache.py.

Examples
--------
>>> import numpy as np
>>> import lathe
>>> from lathe.tune import tune
>>> x, y = lathe.asarray(np.ones(4096, np.float32)), lathe.zeros(4096)
>>> found = tune(
...     '''extern "C" __global__ void scale(const float* x, float* y, int n) {
...     for (int k = 0; k < EACH; ++k) {
...         int i = (blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
...         if (i < n) y[i] = 3 * x[i]; } }''',
...     {"BLOCK": [64, 128], "EACH": [1, 4]},
...     lambda kernel, v: kernel(x, y, np.int32(4096), block=(v["BLOCK"], 1, 1),
...                              grid=(4096 // (v["BLOCK"] * v["EACH"]), 1)),
...     output=lambda: y.get(), expected=np.full(4096, 3), cache=False)
>>> sorted(found.values), len(found.trials)
(['BLOCK', 'EACH'], 4)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from lathe import tune_cache
from lathe.cuda import driver
from lathe.tune_run import Check, Launch, Measure, Values, Variant, compile_all, measure_all

__all__ = ["Trial", "TuneError", "Tuned", "tune"]

Source = str | Callable[[Values], str]
_SCALARS = (bool, int, float, str)


class TuneError(Exception):
    """No variant can be used; the message has each one's reason."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One variant: its values, and its time or why it cannot be used."""

    values: Values
    milliseconds: float | None
    problem: str = ""

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        time = self.problem if self.milliseconds is None else f"{self.milliseconds:.4f} ms"
        return f"{values}: {time}"


@dataclass(frozen=True, slots=True)
class Tuned:
    """The best variant.

    Attributes
    ----------
    kernel : Function
        Compiled and loaded in the current context.
    values : dict
        What it was compiled with.
    milliseconds : float
        Device time of one launch.
    trials : list of Trial
        All variants, the fastest first, those that cannot be used last.
    from_cache : bool
        Nothing was measured now.
    """

    kernel: driver.Function
    values: Values
    milliseconds: float
    trials: list[Trial]
    from_cache: bool

    def __str__(self) -> str:
        return "\n".join(str(trial) for trial in self.trials)


def variants(
    space: Mapping[str, Iterable[Any]], where: Callable[[Values], bool] | None = None
) -> list[Values]:
    """Every combination of the values that `where` lets through, in their order.

    Raises
    ------
    ValueError
        For a space without names, a name without values, and where nothing is left.
    TypeError
        For values other than bool, int, float, str and tuples of one to three ints.
    """
    if not space:
        raise ValueError("the space has no names")
    lists = {name: list(values) for name, values in space.items()}
    for name, values in lists.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"names of the space must be those of macros, got {name!r}")
        if not values:
            raise ValueError(f"the space has no values for {name}")
        for value in values:
            shape = isinstance(value, tuple) and 1 <= len(value) <= 3
            if not isinstance(value, _SCALARS) and not (
                shape and all(isinstance(size, int) for size in value)
            ):
                kinds = "bools, numbers, texts or tuples of up to 3 ints"
                raise TypeError(f"{name} must have {kinds}, got {value!r}")
    every = [dict(zip(lists, each, strict=True)) for each in itertools.product(*lists.values())]
    left = [each for each in every if where is None or where(each)]
    if not left:
        raise ValueError(f"`where` leaves none of the {len(every)} variants")
    return left


def _defines(values: Values) -> list[str]:
    """Macros: a bool is 0 or 1, the parts of a tuple end in _X, _Y and _Z."""
    macros = []
    for name, value in values.items():
        if isinstance(value, tuple):
            macros += [f"-D{name}_{axis}={n}" for axis, n in zip("XYZ", value, strict=False)]
        else:
            macros.append(f"-D{name}={int(value) if isinstance(value, bool) else value}")
    return macros


def tune(
    source: Source,
    space: Mapping[str, Iterable[Any]],
    launch: Launch,
    *,
    entry: str = "",
    where: Callable[[Values], bool] | None = None,
    options: Sequence[str] = (),
    prepare: Callable[[], object] | None = None,
    output: Callable[[], Any] | None = None,
    expected: ArrayLike | tuple[ArrayLike, ...] | None = None,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    stream: driver.Stream | None = None,
    rounds: int = 4,
    repeat: int = 3,
    jobs: int | None = None,
    cache: bool = True,
    key: str = "",
    report: Callable[[Trial], object] | None = None,
) -> Tuned:
    """Finds the fastest variant of a kernel, or remembers it.

    Parameters
    ----------
    source : str or callable
        CUDA C++ where each name of the space is a macro; or a function that makes the text of a
        variant from its values, such as a template's ``render``.
    space : dict of str to values
        Bools, numbers or texts for each name, or tuples such as block shapes, whose macros end in
        ``_X``, ``_Y`` and ``_Z``. The variants are all combinations.
    launch : callable
        ``launch(kernel, values)`` launches `kernel`, a `Function`, on `stream` for the data that
        counts. It is called often: the kernel must give the same again, or `prepare` see to it.
    entry : str
        The ``extern "C"`` kernel; the only one of the source unless given.
    where : callable, optional
        ``where(values)`` lets a combination through.
    options : sequence of str
        For NVRTC, such as ``--use_fast_math``.
    prepare : callable, optional
        Called before each launch and not measured, to put inputs back.
    output : callable, optional
        Reads what a launch has made, an array or a tuple of arrays. Without it nothing is checked.
    expected : array or tuple of arrays, optional
        What `output` must give; that of the first variant that runs unless given.
    rtol, atol : float
        How close, as `numpy.isclose` takes them.
    stream : Stream, optional
        What `launch` launches on; the default stream unless given.
    rounds, repeat : int
        Each round measures every variant `repeat` times; the fastest counts. More rounds help where
        other work disturbs.
    jobs : int, optional
        Processes that compile where there is much to compile, one for each processor unless given;
        1: none beside this one.
    cache : bool
        Keeps the best variant on disk, by device, driver, source, options, space and `key`.
    key : str
        What else decides, such as the size of the data.
    report : callable, optional
        Called with each `Trial` at the end, the fastest first.

    Raises
    ------
    TuneError
        Where no variant can be used.
    ValueError, TypeError
        For a space or counts that cannot be.
    Error
        Where a variant's fault has ended the context, which no other one survives.

    Notes
    -----
    Waits for the device. Times are those of CUDA events around the launch; short launches follow
    each other between them, where nothing is to be prepared.
    """
    if rounds < 1 or repeat < 1:
        raise ValueError(f"rounds and repeat must be at least 1, got {rounds} and {repeat}")
    if expected is not None and output is None:
        raise ValueError("expected is compared with what output gives: give output, too")
    made = []
    for values in variants(space, where):
        text = source(dict(values)) if callable(source) else source
        if not isinstance(text, str):
            raise TypeError(f"the source of a variant must be a str, got {text!r}")
        defines = [] if callable(source) else _defines(values)
        made.append(Variant(values, text, [*options, *defines]))
    entry = entry or tune_cache.only_kernel(made[0].text)
    place = tune_cache.place_of([(v.text, v.options, v.values) for v in made], entry, key)
    tuned = _remembered(place, made, entry) if cache else None
    if tuned is None:
        kernels = compile_all(made, entry, jobs)
        check = Check(output, expected, rtol, atol) if output is not None else None
        measure = Measure(launch, prepare, repeat, stream)
        tuned = _best(made, kernels, *measure_all(made, kernels, measure, check, rounds))
        if cache:
            trials = [asdict(trial) for trial in tuned.trials]
            tune_cache.write(place, tune_cache.Kept(tuned.values, tuned.milliseconds, trials))
    if report is not None:
        for trial in tuned.trials:
            report(trial)
    return tuned


def _remembered(place: Path, made: Sequence[Variant], entry: str) -> Tuned | None:
    kept = tune_cache.read(place)
    best = next((v for v in made if kept and v.values == kept.values), None)
    if kept is None or best is None:
        return None
    kernel = compile_all([best], entry, 1)[0]
    if isinstance(kernel, str):
        return None
    trials = [Trial(**trial) for trial in kept.trials]
    return Tuned(kernel, best.values, kept.milliseconds, trials, True)


def _best(
    made: Sequence[Variant],
    kernels: Sequence[driver.Function | str],
    times: dict[int, float],
    problems: dict[int, str],
) -> Tuned:
    failed = [Trial(made[n].values, None, problem) for n, problem in sorted(problems.items())]
    if not times:
        reasons = "".join(f"\n  {trial}" for trial in failed)
        raise TuneError(f"none of {len(made)} variants can be used:{reasons}")
    order = sorted(times, key=lambda number: times[number])
    best = kernels[order[0]]
    assert not isinstance(best, str)
    trials = [Trial(made[n].values, times[n]) for n in order]
    return Tuned(best, made[order[0]].values, times[order[0]], trials + failed, False)
