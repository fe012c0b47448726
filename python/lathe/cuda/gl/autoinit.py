# SPDX-License-Identifier: MIT
"""Importing it makes a context that shares with the current OpenGL context.

It ends with the program.
"""

import atexit

from lathe.cuda import driver, gl
from lathe.cuda.tools import make_default_context

driver.init()
context = make_default_context(gl.make_context)
device = context.get_device()


def _finish() -> None:
    if driver.Context.get_current() == context:
        driver.Context.pop()
    context.detach()


atexit.register(_finish)
