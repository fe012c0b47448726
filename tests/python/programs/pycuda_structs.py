# SPDX-License-Identifier: MIT
# Structures in device memory: each has a length and a pointer to an array of its own.
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
    struct Row { int length, padding; float *values; };

    __global__ void double_rows(Row *rows)
    {
        Row row = rows[blockIdx.x];
        for (int i = threadIdx.x; i < row.length; i += blockDim.x)
            row.values[i] *= 2;
    }

    struct Line { float slope, offset; double scale; };

    __global__ void along(float *y, Line line)
    {
        y[threadIdx.x] = (line.slope * threadIdx.x + line.offset) * (float) line.scale;
    }
    """
)
double_rows = module.get_function("double_rows")
row_type = np.dtype([("length", np.int32), ("padding", np.int32), ("values", np.uintp)])


class Row:
    """An array on the device, and the structure at `place` that describes it."""

    def __init__(self, values, place):
        self.shape, self.dtype = values.shape, values.dtype
        self.memory = cuda.to_device(values)
        described = np.array([(values.size, 0, int(self.memory))], row_type)
        cuda.memcpy_htod(place, described)

    def get(self):
        return cuda.from_device(self.memory, self.shape, self.dtype)


hosts = [np.arange(8, dtype=np.float32), np.linspace(-1, 1, 300, dtype=np.float32)]
structs = cuda.mem_alloc(len(hosts) * row_type.itemsize)
rows = [Row(host, int(structs) + k * row_type.itemsize) for k, host in enumerate(hosts)]

double_rows(structs, block=(32, 1, 1), grid=(2, 1))
assert all(np.array_equal(row.get(), 2 * host) for row, host in zip(rows, hosts, strict=True))
second = np.uintp(int(structs) + row_type.itemsize)  # the address of the second structure
double_rows(second, block=(32, 1, 1), grid=(1, 1))
assert np.array_equal(rows[0].get(), 2 * hosts[0])
assert np.array_equal(rows[1].get(), 4 * hosts[1])

# A structure by value.
line_type = np.dtype([("slope", "f4"), ("offset", "f4"), ("scale", "f8")], align=True)
line = np.array([(0.5, 3, 10)], line_type)
y = np.empty(16, np.float32)
module.get_function("along")(cuda.Out(y), line[0], block=(16, 1, 1))
assert np.array_equal(y, (0.5 * np.arange(16) + 3) * 10)
print("structures are right")
