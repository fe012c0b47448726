# SPDX-License-Identifier: MIT
"""``lathe learn``: the course in a window, its list, and grades without a window."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lathe.cli.messages import UserError, choose_device, load_engine

__all__ = ["learn"]


def learn(arguments: argparse.Namespace) -> int:
    """Opens the course at a lesson, or lists, or grades."""
    if arguments.list:
        return _list(arguments.json)
    if arguments.grade:
        return _grade(arguments.grade[0], arguments.grade[1], arguments.json)
    if arguments.json:
        raise UserError("--json is for --list and for --grade LESSON FILE")
    choose_device(arguments.device)
    load_engine()
    from lathe.learn.lesson import find_lesson
    from lathe.learn.window import open_course
    from lathe.native import native

    if not native.display_is_available():
        raise UserError(
            "the course needs a display; without one, lathe learn --grade LESSON FILE grades"
        )
    try:
        open_course(find_lesson(arguments.lesson) if arguments.lesson else None)
    except ValueError as error:
        raise UserError(str(error)) from None
    except native.Error as error:
        raise UserError(str(error)) from None
    return 0


def _list(as_json: bool) -> int:
    from lathe.learn.lesson import lessons
    from lathe.learn.progress import Progress

    passed = Progress().passed
    if as_json:
        rows = [{"name": x.name, "title": x.title, "done": x.name in passed} for x in lessons()]
        print(json.dumps(rows, indent=2))
        return 0
    for lesson in lessons():
        print(f"{'done' if lesson.name in passed else '    '}  {lesson.name:20}  {lesson.title}")
    return 0


def _grade(name: str, file: str, as_json: bool) -> int:
    load_engine()
    from lathe.learn.apart import grade_apart
    from lathe.learn.lesson import find_lesson

    path = Path(file)
    if not path.is_file():
        raise UserError(f"there is no file {file}")
    try:
        lesson = find_lesson(name)
    except ValueError as error:
        raise UserError(str(error)) from None
    found = grade_apart(lesson, path.resolve())
    print(json.dumps(found.to_dict(), indent=2) if as_json else found)
    return 0 if found.passed else 1
