# SPDX-License-Identifier: MIT
"""Where arrays were pickled from before `lathe.array`: old pickles name this module."""

from lathe.array.gpu_array import GPUArray as GPUArray
from lathe.array.gpu_array import to_device as to_device
from lathe.array.shapes import ArrayFlags as ArrayFlags
