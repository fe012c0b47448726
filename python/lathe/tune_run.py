# SPDX-License-Identifier: MIT
"""Variants of a kernel compiled, run, compared and measured; `lathe.tune` chooses among them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lathe.cuda import driver
from lathe.cuda.compiler import SourceModule

Values = dict[str, Any]
Launch = Callable[[driver.Function, Values], object]

# Launches that are shorter, in milliseconds, follow each other between two events, at most so many:
# else the host's part of a launch would be measured with them.
SHORT, MOST_LAUNCHES = 0.3, 30

# Seconds of compiling that are worth the start of processes.
SOONER_IN_PROCESSES = 4.0


@dataclass(frozen=True, slots=True)
class Variant:
    values: Values
    text: str
    options: list[str]


def fill_cache(made: Sequence[Variant], jobs: int) -> None:
    """Compiles for the cache on disk, in `jobs` processes: NVRTC compiles one source at a time."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    workers = []
    try:
        for share in (made[k::jobs] for k in range(min(jobs, len(made)))):
            worker = subprocess.Popen(
                [sys.executable, "-m", "lathe.tune_worker"],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=environment,
            )  # fmt: skip
            workers.append(worker)
            assert worker.stdin is not None
            with contextlib.suppress(BrokenPipeError), worker.stdin:
                worker.stdin.write(json.dumps([[v.text, v.options] for v in share]).encode())
        for worker in workers:
            worker.wait()
    except OSError:
        pass  # no processes here: what they would have done is done by who asked
    finally:
        for worker in workers:
            if worker.poll() is None:
                worker.kill()
                worker.wait()


def _compile(variant: Variant, entry: str) -> driver.Function | str:
    """The kernel, or why there is none."""
    try:
        module = SourceModule(variant.text, options=variant.options, no_extern_c=True)
        return module.get_function(entry)
    except driver.CompileError as error:
        return error.diagnostics[0] if error.diagnostics else error.msg
    except driver.Error as error:
        return str(error)


def compile_all(
    made: Sequence[Variant], entry: str, jobs: int | None
) -> list[driver.Function | str]:
    """The kernel of each, or why there is none; by `jobs` processes where that is sooner."""
    begin = time.perf_counter()
    kernels = [_compile(made[0], entry)]
    left = (time.perf_counter() - begin) * (len(made) - 1)
    jobs = jobs or len(os.sched_getaffinity(0))
    if jobs > 1 and left > SOONER_IN_PROCESSES and sys.executable:
        fill_cache(made[1:], jobs)
    return kernels + [_compile(variant, entry) for variant in made[1:]]


def outputs(read: Callable[[], Any]) -> list[np.ndarray[Any, Any]]:
    got = read()
    return [np.asarray(each) for each in (got if isinstance(got, tuple) else (got,))]


def difference(got: Any, wanted: Any, rtol: float, atol: float) -> str:
    if len(got) != len(wanted):
        return f"{len(got)} outputs, {len(wanted)} expected"
    for number, (a, b) in enumerate(zip(got, wanted, strict=True)):
        if a.shape != b.shape:
            return f"output {number} has shape {a.shape}, {b.shape} expected"
        close = np.isclose(a, b, rtol, atol, equal_nan=True)
        if not close.all():
            at = tuple(int(k) for k in np.argwhere(~close)[0])
            return (
                f"output {number} is wrong in {np.count_nonzero(~close)} of {a.size} places: "
                f"{a[at]} at {at}, {b[at]} expected"
            )
    return ""


class Measure:
    """Runs variants: one run to compare the output, and rounds to measure."""

    def __init__(
        self,
        launch: Launch,
        prepare: Callable[[], object] | None,
        repeat: int,
        stream: driver.Stream | None,
    ) -> None:
        self._launch, self._prepare, self._repeat = launch, prepare, repeat
        self._stream = stream
        self._begin, self._end = driver.Event(), driver.Event()

    def run(self, kernel: driver.Function, values: Values) -> float:
        """Milliseconds of one launch, the fastest of some."""
        first = self._timed(kernel, values, 1)
        launches = 1
        if self._prepare is None:
            launches = max(1, min(MOST_LAUNCHES, int(SHORT / max(first, 1e-6))))
        return min(first, *(self._timed(kernel, values, launches) for _ in range(self._repeat)))

    def _timed(self, kernel: driver.Function, values: Values, launches: int) -> float:
        if self._prepare is not None:
            self._prepare()
        self._begin.record(self._stream)
        for _ in range(launches):
            self._launch(kernel, dict(values))
        self._end.record(self._stream).synchronize()
        return self._end.time_since(self._begin) / launches

    def once(self, kernel: driver.Function, values: Values) -> None:
        if self._prepare is not None:
            self._prepare()
        self._launch(kernel, dict(values))
        driver.Context.synchronize()


@dataclass(frozen=True, slots=True)
class Check:
    """What the output of every variant is compared with: `expected`, or that of the first one."""

    output: Callable[[], Any]
    expected: Any
    rtol: float
    atol: float


def measure_all(
    made: Sequence[Variant],
    kernels: Sequence[driver.Function | str],
    measure: Measure,
    check: Check | None,
    rounds: int,
) -> tuple[dict[int, float], dict[int, str]]:
    """Milliseconds of those variants that can be used, and the problems of the others."""
    problems = {n: kernel for n, kernel in enumerate(kernels) if isinstance(kernel, str)}
    usable = {n: kernel for n, kernel in enumerate(kernels) if not isinstance(kernel, str)}
    wanted = None
    if check is not None and check.expected is not None:
        wanted = outputs(lambda: check.expected)
    for number, kernel in usable.items():
        try:
            measure.once(kernel, made[number].values)
            if check is not None:
                got = outputs(check.output)
                wanted = wanted or got
                problem = difference(got, wanted, check.rtol, check.atol)
                if problem:
                    problems[number] = problem
        except (driver.Error, ValueError, TypeError) as error:
            problems[number] = str(error)
            driver.Context.synchronize()  # raises where the context is lost
    times = {n: float("inf") for n in usable if n not in problems}
    for _ in range(rounds):
        for number in times:
            run = measure.run(usable[number], made[number].values)
            times[number] = min(times[number], run)
    return times, problems
