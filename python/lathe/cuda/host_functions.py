# SPDX-License-Identifier: MIT
"""The thread that calls Python functions for streams and graphs, one after another.

What a function raises goes to `sys.unraisablehook`. The thread ends with the program, before the
interpreter does: functions that have not begun by then are left out.
"""

from __future__ import annotations

import atexit
import sys
import threading
import traceback
from types import SimpleNamespace
from typing import Any

from lathe.native import native

_lock = threading.Lock()
_thread: threading.Thread | None = None


def _call(function: Any, arguments: tuple[Any, ...]) -> None:
    try:
        function(*arguments)
    except BaseException as error:
        try:
            _tell(error, function)
        except BaseException:  # a hook's own mistake must not end this thread
            traceback.print_exc()


def _tell(error: BaseException, function: Any) -> None:
    words = "Exception ignored in the host function of a stream"
    if sys.unraisablehook is sys.__unraisablehook__:  # it takes the interpreter's own type alone
        print(f"{words}: {function!r}", file=sys.stderr)
        traceback.print_exception(error)
        return
    told = SimpleNamespace(
        exc_type=type(error),
        exc_value=error,
        exc_traceback=error.__traceback__,
        err_msg=words,
        object=function,
    )
    sys.unraisablehook(told)


def _work() -> None:
    worker = native.HostFunctionWorker()
    while (job := worker.next()) is not None:
        _call(*job)
        del job


def _finish() -> None:
    native.close_host_functions()
    if _thread is not None:
        _thread.join(2)  # a function that never ends must not keep the program


def start() -> None:
    """Starts the thread; the second time does nothing."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_work, name="lathe host functions", daemon=True)
            _thread.start()
            atexit.register(_finish)
