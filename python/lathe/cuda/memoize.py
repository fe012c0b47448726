# SPDX-License-Identifier: MIT
"""Results kept for each context, and tests that have a context of their own, as in PyCUDA."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from lathe.array.documented_names import documented_as
from lathe.cuda import driver

P = ParamSpec("P")
T = TypeVar("T")

context_dependent_memoized_functions: list[Callable[..., Any]] = []
_caches: list[dict[driver.Context, dict[Any, Any]]] = []


def _context() -> driver.Context:
    """The thread's, or the one that a call of the driver would give it."""
    return driver.Context.get_current() or driver.Device(0).retain_primary_context()


def context_dependent_memoize(func: Callable[P, T]) -> Callable[P, T]:
    """Calls `func` once for each context and each set of arguments, which must be hashable.

    The results live until `clear_context_caches`. Two threads that ask for the same at the same
    time may both call it; one result is kept.
    """
    cache: dict[driver.Context, dict[Any, Any]] = {}
    _caches.append(cache)

    @functools.wraps(func)
    def memoized(*args: P.args, **kwargs: P.kwargs) -> T:
        results = cache.setdefault(_context(), {})
        key = (args, frozenset(kwargs.items())) if kwargs else args
        try:
            found: T = results[key]
        except KeyError:
            found = results.setdefault(key, func(*args, **kwargs))
        return found

    context_dependent_memoized_functions.append(memoized)
    return memoized


def clear_context_caches() -> None:
    """Forgets what `context_dependent_memoize` keeps, of all contexts."""
    for cache in _caches:
        cache.clear()


def _begin() -> driver.Context:
    from lathe.cuda.tools import make_default_context

    driver.init()
    context = make_default_context()
    device = driver.Context.get_device()
    assert device.name() and device.compute_capability() >= (1, 0)
    return context


def _end(context: driver.Context) -> None:
    clear_context_caches()
    gc.collect()
    context.detach()


@documented_as(func="inner_f")
def mark_cuda_test(inner_f: Callable[P, T]) -> Callable[P, T]:
    """A test that runs in a context of its own, made before it and ended after it."""

    @functools.wraps(inner_f)
    def with_context(*args: P.args, **kwargs: P.kwargs) -> T:
        context = _begin()
        try:
            return inner_f(*args, **kwargs)
        finally:
            _end(context)

    return with_context


def init_cuda_context_fixture() -> Iterator[None]:
    """For a pytest fixture: ``yield from init_cuda_context_fixture()`` gives a test a context."""
    context = _begin()
    try:
        yield
    finally:
        _end(context)
