# SPDX-License-Identifier: MIT
"""Ints with names: the base of the driver's constants."""

from __future__ import annotations

from typing import Any, ClassVar


class Flags(int):
    """The base of all: class attributes that are ints become its instances."""

    names: ClassVar[dict[str, Any]]
    values: ClassVar[dict[int, Any]]
    name: str

    def __init_subclass__(cls) -> None:
        cls.names, cls.values = {}, {}
        for name, number in list(vars(cls).items()):
            if isinstance(number, int) and not name.startswith("_"):
                constant = cls.values.get(number)
                if constant is None:
                    constant = int.__new__(cls, number)
                    constant.name = name
                    cls.values[number] = constant
                cls.names[name] = constant
                setattr(cls, name, constant)

    def __new__(cls, number: int) -> Any:
        """The constant of a number, a plain one where it has no name."""
        return cls.values.get(number, number)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __reduce__(self) -> Any:
        return type(self), (int(self),)
