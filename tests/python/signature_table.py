# SPDX-License-Identifier: MIT
"""What parameters a public name of lathe.cuda takes, by Python or by the stub of the extension, and
whether these take all calls that a PyCUDA signature allows."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from pathlib import Path
from typing import Any

import lathe

Parameter = inspect.Parameter
TABLE = Path(__file__).parent / "pycuda_signatures.txt"
GENERATORS = (
    "XORWOW", "MRG32k3a", "Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64",
)  # fmt: skip


def lines() -> list[str]:
    """Those of the table, one a generator where it says `curandom.*`."""
    found: list[str] = []
    for line in TABLE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        each = GENERATORS if ".*." in line else ("",)
        found += [line.replace(".*.", f".{name}RandomNumberGenerator.", 1) for name in each]
    return found


def signature_of(text: str) -> tuple[str, inspect.Signature]:
    """The dotted name, and what stands behind it in parentheses."""
    name, _, rest = text.partition("(")
    tree = ast.parse(f"def f({rest}: pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    return name, _from_tree(tree.args)


def _from_tree(given: ast.arguments) -> inspect.Signature:
    made: list[Parameter] = []
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    for argument, default in zip(plain, defaults, strict=True):
        kind = (
            Parameter.POSITIONAL_ONLY
            if argument in given.posonlyargs
            else Parameter.POSITIONAL_OR_KEYWORD
        )
        made.append(Parameter(argument.arg, kind, default=_value(default)))
    if given.vararg:
        made.append(Parameter(given.vararg.arg, Parameter.VAR_POSITIONAL))
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        made.append(Parameter(argument.arg, Parameter.KEYWORD_ONLY, default=_value(default)))
    if given.kwarg:
        made.append(Parameter(given.kwarg.arg, Parameter.VAR_KEYWORD))
    return inspect.Signature(made)


def _value(tree: ast.expr | None) -> Any:
    if tree is None:
        return Parameter.empty
    try:
        return ast.literal_eval(tree)
    except ValueError:
        return ...


@functools.cache
def _stub() -> ast.Module:
    package = Path(lathe.__file__ or "").parent
    return ast.parse((package / "_lathe.pyi").read_text())


def _of_stub(path: list[str]) -> list[inspect.Signature]:
    """All overloads of a function or method of the extension module."""
    body = _stub().body
    for name in path[:-1]:
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
        if not classes:
            return []
        body = classes[0].body
    found = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == path[-1]]
    if found:
        return [_from_tree(node.args) for node in found]
    if path[-1] == "__init__" and len(path) == 2:
        function: Any = ast.parse("def f(self): pass").body[0]
        return [_from_tree(function.args)]
    return []


def find(name: str) -> Any:
    """The object of a dotted name below lathe.cuda; a method's, its class's function."""
    parts = name.split(".")
    found: Any = importlib.import_module("lathe.cuda")
    for k, part in enumerate(parts):
        try:
            found = importlib.import_module(".".join(["lathe.cuda", *parts[: k + 1]]))
        except ImportError:
            found = inspect.getattr_static(found, part) if inspect.isclass(found) else getattr(
                found, part
            )  # fmt: skip
    return found


def _owner(kind: type, method: str) -> type:
    return next(each for each in kind.__mro__ if method in vars(each))


def ours(name: str) -> list[inspect.Signature]:
    """What may be called; several if the extension has overloads or a parameter two names."""
    found = find(name)
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    function = found.__init__ if inspect.isclass(found) else found
    names = getattr(function, "documented_names", {})
    return [each for own in _taken(name, found) for each in (own, *_renamed(own, names))]


def _renamed(taken: inspect.Signature, names: dict[str, str]) -> list[inspect.Signature]:
    """The same with documented names of parameters (lathe.array.documented_names)."""
    if not names:
        return []
    others = {own: documented for documented, own in names.items()}
    parameters = taken.parameters.values()
    return [
        taken.replace(parameters=[p.replace(name=others.get(p.name, p.name)) for p in parameters])
    ]


def _taken(name: str, found: Any) -> list[inspect.Signature]:
    if inspect.isclass(found):
        if found.__name__ == "GPUArray":
            signatures = _of_stub(["ArrayBase", "__new__"])
            return [s.replace(parameters=list(s.parameters.values())[1:]) for s in signatures]
        if found.__module__ == "lathe._lathe":
            owner = _owner(found, "__init__")
            signatures = _of_stub([owner.__name__, "__init__"])
            return [s.replace(parameters=list(s.parameters.values())[1:]) for s in signatures]
        return [inspect.signature(found)]
    if inspect.isfunction(found) or inspect.ismethod(found) or hasattr(found, "__wrapped__"):
        return [inspect.signature(found)]
    parent = find(name.rpartition(".")[0])
    if inspect.isclass(parent):
        method = name.rpartition(".")[2]
        return _of_stub([_owner(parent, method).__name__, method])
    return _of_stub([getattr(found, "__name__", name.rpartition(".")[2])])


def refused_calls(theirs: inspect.Signature, taken: list[inspect.Signature]) -> list[str]:
    """Calls that PyCUDA's signature allows and none of `taken` takes with the same meaning."""
    positional = [p for p in theirs.parameters.values() if p.kind <= 1]
    named = [p for p in theirs.parameters.values() if p.kind == Parameter.KEYWORD_ONLY]
    required = sum(p.default is Parameter.empty for p in positional)
    problems: list[str] = []

    def attempt(count: int, keywords: list[str]) -> None:
        values = [p.name for p in positional[:count]]
        for each in taken:
            try:
                bound = each.bind(*values, **{name: name for name in keywords})
            except TypeError:
                continue
            if _same_meaning(bound, positional[:count]):
                return
        call = ", ".join([*values, *(f"{name}=" for name in keywords)])
        if call not in problems:
            problems.append(call)

    must = [p.name for p in named if p.default is Parameter.empty]
    for count in range(required, len(positional) + 1):
        attempt(count, must)
    first_named = sum(p.kind == Parameter.POSITIONAL_ONLY or p.name == "self" for p in positional)
    attempt(first_named, [p.name for p in positional[first_named:]] + must)
    for p in [*positional[max(required, first_named) :], *named]:
        attempt(required, [*(n for n in must if n != p.name), p.name])
    return problems


def _same_meaning(bound: inspect.BoundArguments, given: list[Parameter]) -> bool:
    """Values by position are their parameters' names: each must have come to one of that name, to
    `*args`, or to a parameter that has no name for callers."""
    kinds = {name: p.kind for name, p in bound.signature.parameters.items()}
    nameless = {p.name for p in given if p.kind == Parameter.POSITIONAL_ONLY or p.name == "self"}
    for name, value in bound.arguments.items():
        by_name = kinds[name] == Parameter.POSITIONAL_OR_KEYWORD and value not in nameless
        if by_name and value != name:
            return False
    return True


def other_defaults(theirs: inspect.Signature, taken: inspect.Signature) -> list[str]:
    """Parameters of the same name whose defaults differ; `...` is equal to all."""
    found: list[str] = []
    for name, p in theirs.parameters.items():
        own = taken.parameters.get(name)
        if own is None or p.default in (Parameter.empty, ...) or own.default in (...,):
            continue
        if own.default != p.default and not (own.default == () and p.default == []):
            found.append(f"{name}={own.default!r}, PyCUDA's is {p.default!r}")
    return found
