# SPDX-License-Identifier: MIT
"""The course in a window: text at the left, what threads do in the middle, the kernel at the right.

The kernel is traced whenever it has compiled, and graded in a process of its own.
"""

from __future__ import annotations

import subprocess
import time
from typing import Any

from lathe import options as run_options
from lathe import ui
from lathe.app import App
from lathe.learn.apart import SECONDS, start, wait_for
from lathe.learn.grading import Grade
from lathe.learn.lesson import Lesson, lessons
from lathe.learn.picture import Picture
from lathe.learn.progress import Progress
from lathe.learn.trace import trace
from lathe.loop import Step
from lathe.native import native

__all__ = ["Course", "open_course"]

STEP_SECONDS = 1.2
"""How long the picture shows a step."""


def open_course(lesson: Lesson | None = None) -> None:
    """Opens the course at a lesson, or where it was left, until the window is closed."""
    Course(lesson).app.run()


class Course:
    """The window and what it shows; `app.run()` runs it."""

    def __init__(self, lesson: Lesson | None = None, **options: Any) -> None:
        self.progress = Progress()
        self.lessons = lessons()
        if lesson is not None and lesson not in self.lessons:
            self.lessons.append(lesson)  # a teacher's, by its folder
        if not self.lessons:
            raise ValueError("there are no lessons; LATHE_LESSONS names their folder")
        known = [each for each in self.lessons if each.name == self.progress.last]
        run_options.use(run_options.RunOptions(name="learn"))
        try:
            self.app = App("Lathe: learn", guide="Lesson", **options)
        finally:
            run_options.use(run_options.RunOptions())
        self.app._watch.path = None  # no script is to be run again
        self.picture: Picture | None = None
        self.checking: subprocess.Popen[str] | None = None
        self.open(lesson or (known or self.lessons)[0])
        self.app._has_news = self.has_grade
        self.app.panel("Lesson")(self.panel)
        self.app.frame(self.frame)

    def open(self, lesson: Lesson) -> None:
        """Goes to a lesson; its kernel is the one in the editor."""
        self.stop_check()
        self.lesson = lesson
        self.check = lesson.check()
        self.text, self.hints, self.shown_hints = lesson.text, lesson.hints, 0
        self.grade: Grade | None = None
        self.to_top = True
        self.progress.open(lesson)
        file = self.progress.kernel_of(lesson)
        slot = self.app.kernel(str(file), self.check.KERNEL).slot
        assert slot is not None
        self.slot = slot
        self.app._studio.show_kernel_alone(slot)
        self.file, self.kept, self.traced = file, file.read_text(), ""
        self.picture = None
        self.began = 0.0

    # -- the picture -------------------------------------------------------------------------------

    def frame(self, step: Step) -> None:
        """Keeps the text, traces a new kernel, and draws the step whose turn it is."""
        source = self.slot.source
        if source != self.kept:
            self.kept = source
            self.slot.save()
            if self.grade is not None:
                self.grade = None  # it was of another text
        if source != self.traced and self.slot.state == "good":
            self.take(source)
        self.began += step.dt
        if self.picture is not None and self.picture.steps:
            number = int(self.began / STEP_SECONDS) % len(self.picture.steps)
            width, height = self.app.size
            high = 0.74 * (height - 60)  # of the layout with a guide
            self.picture.draw(self.app.view, number, 0.345 * width / high, high)
        elif self.picture is not None:
            self.app.text("No thread touches memory that is watched.", (0, 0))

    def take(self, source: str) -> None:
        """Traces a source that has compiled."""
        self.traced, self.began = source, 0.0
        try:
            found = trace(source, self.check.KERNEL, self.check.picture())
        except native.Error as error:
            self.app.log(f"the picture cannot follow this kernel: {error}")
            self.picture = None
            return
        if found.fault:
            self.app.log(found.fault)
        self.picture = Picture(found, source.split("\n"))

    # -- the text ----------------------------------------------------------------------------------

    def panel(self) -> None:
        """The lesson's text, its buttons and its grade."""
        index = self.lessons.index(self.lesson)
        if self.to_top:
            ui.scroll_to_top()
            self.to_top = False
        chosen = ui.combo("##lesson", index, [self._named(each) for each in self.lessons])
        if ui.button("Back") and index > 0:
            chosen = index - 1
        ui.same_line()
        if ui.button("Next") and index + 1 < len(self.lessons):
            chosen = index + 1
        ui.same_line()
        if ui.button("Hint"):
            self.shown_hints = min(self.shown_hints + 1, len(self.hints))
        ui.same_line()
        if ui.button("Reset"):
            self.slot.source = self.lesson.starter.read_text()
            self.slot.compile_now()
        ui.same_line()
        if ui.button("Check") and self.checking is None:
            self.begin_check()
        done = len(self.progress.passed & {each.name for each in self.lessons})
        ui.progress(done / len(self.lessons), f"{done} of {len(self.lessons)} lessons done")
        self.follow_check()
        ui.markdown(self.page())
        if chosen != index:
            self.open(self.lessons[chosen])

    def page(self) -> str:
        """Grade, hints and text as one page of Markdown; what is new stands above."""
        parts = []
        if self.checking is not None:
            parts.append("Checking …\n")
        if self.grade is not None:
            verdict = "Passed. Well done!" if self.grade.passed else "Not yet"
            parts.append(f"## {verdict}")
            if self.grade.passed and self.lesson is not self.lessons[-1]:
                parts.append("**Next** goes on to the next lesson.")
            for each in self.grade.criteria:
                reason = f": {each.reason}" if each.reason else ""
                parts.append(f"- [{'x' if each.passed else '!'}] **{each.title}**{reason}")
            parts.append("")
        if self.shown_hints:
            parts.append("## Hints" if self.shown_hints > 1 else "## Hint")
            parts += [f"{i + 1}. {h}" for i, h in enumerate(self.hints[: self.shown_hints])]
            parts.append("")
        return "\n".join([*parts, self.text])

    def _named(self, lesson: Lesson) -> str:
        done = " (done)" if lesson.name in self.progress.passed else ""
        return f"{lesson.name[:2]}  {lesson.title}{done}"

    # -- the grade ---------------------------------------------------------------------------------

    def begin_check(self) -> None:
        """Grades the text as it is in the editor."""
        self.slot.save()
        self.grade, self.to_top = None, True
        self.checking = start(self.lesson, self.file)
        self.check_began = time.monotonic()

    def has_grade(self) -> bool:
        """The grading has ended, or it has taken too long."""
        return self.checking is not None and (self.checking.poll() is not None or self._is_late())

    def _is_late(self) -> bool:
        return time.monotonic() - self.check_began > SECONDS

    def follow_check(self) -> None:
        """Takes the grade once there is one."""
        if self.checking is None or not self.has_grade():
            return
        seconds = 0.0 if self.checking.poll() is None else 5.0
        self.grade = wait_for(self.lesson, self.checking, seconds=seconds)
        self.checking = None
        self.app.log(self.grade)
        if self.grade.passed:
            self.progress.add(self.lesson)

    def stop_check(self) -> None:
        """Ends a grading whose lesson was left."""
        if self.checking is not None:
            self.checking.kill()
            self.checking.communicate()
            self.checking = None
