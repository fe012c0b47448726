# SPDX-License-Identifier: MIT
"""What scripts import of PyCUDA's `pycuda.compyte`: names of types, and layouts of arrays."""
