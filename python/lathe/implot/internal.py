# SPDX-License-Identifier: MIT
"""What implot_internal.h has; it may change with each version of ImPlot."""

from lathe.imgui_module import names_of

globals().update(names_of("implot_internal"))
