# SPDX-License-Identifier: MIT
"""ImPlot, all of it: ``from lathe import implot``.

Plots of NumPy arrays between the calls of `lathe.imgui`: ``implot.plot_line("angle", values)``
between ``implot.begin_plot("pendulum")`` and ``implot.end_plot()``.
"""

from lathe.imgui_module import names_of

globals().update(names_of("implot"))
__all__ = [*names_of("implot")]

from lathe.implot import internal as internal  # noqa: E402
