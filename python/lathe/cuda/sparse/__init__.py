# SPDX-License-Identifier: MIT
"""Sparse matrices and conjugate gradients under the names of ``pycuda.sparse``.

New programs take `lathe.sparse`, which has more formats, all four types, and no packets to build.
"""
