# SPDX-License-Identifier: MIT
"""Parameters that PyCUDA's documentation calls otherwise than its code: both names are taken."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

_F = TypeVar("_F", bound=Callable[..., Any])


def documented_as(**names: str) -> Callable[[_F], _F]:
    """Lets a function take keywords under their documented names, too.

    Parameters
    ----------
    **names
        Documented name = the parameter's own name.
    """

    def decorate(function: _F) -> _F:
        @functools.wraps(function)
        def taking_both(*args: Any, **keywords: Any) -> Any:
            for documented, own in names.items():
                if documented in keywords and own not in keywords:
                    keywords[own] = keywords.pop(documented)
            return function(*args, **keywords)

        taking_both.__dict__["documented_names"] = names
        return cast(_F, taking_both)

    return decorate
