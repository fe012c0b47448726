# SPDX-License-Identifier: MIT
"""Apps that are looked at from elsewhere: a web page, a cell of a notebook."""
