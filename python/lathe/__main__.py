# SPDX-License-Identifier: MIT
"""``python -m lathe``: the command ``lathe``."""

import sys

from lathe.cli import main

sys.exit(main())
