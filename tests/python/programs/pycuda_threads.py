# SPDX-License-Identifier: MIT
# A thread for each device, with a context of its own; and one context that threads hand around.
import threading

import numpy as np
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = "__global__ void double_it(float *x) { x[threadIdx.x] *= 2; }"


class Worker(threading.Thread):
    def __init__(self, number, values):
        super().__init__()
        self.number, self.values, self.result = number, values, None

    def run(self):
        self.context = cuda.Device(self.number).make_context()
        try:
            memory = cuda.to_device(self.values)
            double_it = SourceModule(SOURCE).get_function("double_it")
            double_it(memory, block=(self.values.size, 1, 1))
            self.result = cuda.from_device_like(memory, self.values)
            assert cuda.Context.get_device() == cuda.Device(self.number)
        finally:
            self.context.pop()
            self.context.detach()


cuda.init()
count = max(cuda.Device.count(), 2)  # with one device, two contexts of it
workers = [
    Worker(k % cuda.Device.count(), np.arange(64, dtype=np.float32) + k) for k in range(count)
]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert all(np.array_equal(worker.result, 2 * worker.values) for worker in workers)

context = cuda.Device(0).make_context()
kernel = SourceModule(SOURCE).get_function("double_it")
memory = cuda.to_device(np.ones(64, np.float32))
context.pop()


def use(memory):
    context.push()
    kernel(memory, block=(64, 1, 1))
    cuda.Context.synchronize()
    context.pop()


for _ in range(3):
    thread = threading.Thread(target=use, args=(memory,))
    thread.start()
    thread.join()
context.push()
assert (cuda.from_device(memory, 64, np.float32) == 8).all()
del memory, thread
context.pop()
context.detach()
print("threads are right")
