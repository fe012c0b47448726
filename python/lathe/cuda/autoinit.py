# SPDX-License-Identifier: MIT
"""Importing it makes a context on the default device; it ends with the program.

`device` is the one that the environment's CUDA_DEVICE or the file ~/.cuda_device names, else the
first that works.
"""

import atexit

from lathe.cuda import driver
from lathe.cuda.tools import make_default_context

driver.init()
context = make_default_context()
device = context.get_device()


def _finish() -> None:
    if driver.Context.get_current() == context:
        driver.Context.pop()
    context.detach()


atexit.register(_finish)
