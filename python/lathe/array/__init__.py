# SPDX-License-Identifier: MIT
"""Arrays on the device: the class, its functions with NumPy's names, and what libraries ask of it.

PyCUDA's names for it are in `lathe.cuda.gpuarray`, the array API's in `lathe.array_api`. This
package imports neither them nor anything else that stands above it: `lathe.array.extensions`.
"""

from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray, from_dlpack
from lathe.array.shapes import ArrayFlags

__all__ = ["ArrayFlags", "GPUArray", "asarray", "from_dlpack"]
