# SPDX-License-Identifier: MIT
# What errors are like, from the compiler and from calls.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

try:
    SourceModule("__global__ void f(float *x) { x[0] = missing; }")
except cuda.CompileError as error:
    assert isinstance(error, cuda.Error)
    assert isinstance(error.msg, str) and error.command_line
    text = "".join(str(part) for part in (error.msg, error.stdout, error.stderr))
    assert "missing" in text and "missing" in str(error)
else:
    raise AssertionError("no error")

module = SourceModule("__global__ void f(float *x) { x[threadIdx.x] += 1; }", options=["-O3"])
for call, kind in (
    (lambda: module.get_function("g"), cuda.LogicError),
    (lambda: cuda.mem_alloc(1 << 60), cuda.MemoryError),
    (lambda: module.get_function("f")(cuda.InOut(np.ones(1, np.float32))), ValueError),
    (lambda: module.get_function("f")(1, 2, 3, block=(1, 1, 1)), TypeError),
):
    try:
        call()
    except kind as error:
        assert not isinstance(error, cuda.Error) or " failed: " in str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")

x = np.zeros(8, np.float32)  # all goes on
module.get_function("f")(cuda.InOut(x), block=(8, 1, 1))
assert (x == 1).all()
print("errors are right")
