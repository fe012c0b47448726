# SPDX-License-Identifier: MIT
"""The course ``lathe learn``: lessons with a kernel to finish, graded by the inspector.

A lesson is a folder; docs/lessons.md says how to write one. `Grading` is what its ``check.py``
calls, `Launch` what its picture runs.
"""

from __future__ import annotations

from lathe.learn.grading import Criterion, Grade, Grading, grade
from lathe.learn.launch import Launch
from lathe.learn.lesson import Lesson, find_lesson, lessons

__all__ = ["Criterion", "Grade", "Grading", "Launch", "Lesson", "find_lesson", "grade", "lessons"]
