# SPDX-License-Identifier: MIT
"""Checks of an experiment against numbers from elsewhere: what ``lathe run NAME --check`` prints.

An experiment's ``check.py`` has ``def check(report: Report) -> None``, which measures and calls
`Report.within` with the limit and the reason for it.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

__all__ = ["Report", "Result", "run_check"]

Setting = TypeVar("Setting", bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Result:
    """One measured number and its limit."""

    what: str
    measured: float
    limit: float
    unit: str
    passed: bool


class Report:
    """Collects results and prints each as it comes; settings are asked for before the first.

    Parameters
    ----------
    settings : dict of str to str
        From ``--set name=value``.
    quiet : bool
        Prints nothing.
    """

    def __init__(self, settings: dict[str, str] | None = None, quiet: bool = False) -> None:
        self._settings = dict(settings or {})
        self._asked: set[str] = set()
        self._quiet = quiet
        self._begun = False
        self.results: list[Result] = []

    def setting(self, name: str, value: Setting) -> Setting:
        """A number that ``--set`` may change; of the type of its usual `value`."""
        self._asked.add(name)
        text = self._settings.get(name)
        if text is None:
            return value
        kind = type(value)
        try:
            if kind is bool:
                return kind({"true": 1, "1": 1, "false": 0, "0": 0}[text.lower()])
            return kind(text)
        except (KeyError, ValueError):
            raise ValueError(
                f"--set {name}={text}: a value of type {kind.__name__} is wanted"
            ) from None

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self.check_settings()

    def within(self, what: str, measured: float, limit: float, unit: str = "") -> bool:
        """Passes where `measured` is a number and not above `limit`."""
        self._begin()
        measured = float(measured)
        passed = math.isfinite(measured) and measured <= limit
        self.results.append(Result(what, measured, limit, unit, passed))
        tail = f" {unit}" if unit else ""
        verdict = "PASS" if passed else "FAIL"
        self.say(f"  {verdict}  {what}: {measured:.3g}{tail} (at most {limit:.3g}{tail})")
        return passed

    def say(self, text: str) -> None:
        """A line of context."""
        self._begin()
        if not self._quiet:
            print(text, flush=True)

    @property
    def passed(self) -> bool:
        """Something was measured and all of it passed."""
        return bool(self.results) and all(result.passed for result in self.results)

    def check_settings(self) -> None:
        """Raises ValueError for a ``--set`` that nothing asked for."""
        unknown = sorted(set(self._settings) - self._asked)
        if unknown:
            known = ", ".join(sorted(self._asked)) or "none"
            raise ValueError(f"--set {unknown[0]}: this check has no such setting; it has {known}")


def run_check(file: Path, report: Report) -> bool:
    """Runs the ``check`` of a ``check.py``; whether all of it passed."""
    spec = importlib.util.spec_from_file_location(f"lathe_check_{file.parent.name}", file)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{file} cannot be read")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
        module.check(report)
    finally:
        sys.path.remove(str(file.parent))
    report.say(f"{file.parent.name}: {'PASS' if report.passed else 'FAIL'}")
    return report.passed
