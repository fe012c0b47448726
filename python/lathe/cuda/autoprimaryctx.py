# SPDX-License-Identifier: MIT
"""Importing it makes the primary context current, which PyTorch, CuPy and `lathe.App` use, too."""

from lathe.cuda import driver

driver.init()
device = driver.Device(0)
context = device.retain_primary_context()
context.push()
