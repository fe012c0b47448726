# SPDX-License-Identifier: MIT
"""The CUDA stack under PyCUDA's names: `lathe.cuda.driver`, `.compiler`, `.autoinit`.

Importing it opens no driver. It runs on a GPU or on the software device, as `LATHE_DEVICE` says.
A script written for PyCUDA runs by ``python -m lathe.as_pycuda script.py``.
"""

# The PyCUDA whose names and arguments these modules have.
VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS
