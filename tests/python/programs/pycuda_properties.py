# SPDX-License-Identifier: MIT
# What each device is, and its memory filled with NaN.
import numpy as np
import pycuda.driver as cuda

cuda.init()
assert cuda.Device.count() >= 1
for number in range(cuda.Device.count()):
    device = cuda.Device(number)
    major, minor = device.compute_capability()
    attributes = device.get_attributes()
    print(f"{device.name()}, {device.pci_bus_id()}: {major}.{minor}, {device.total_memory()} bytes")
    assert attributes[cuda.device_attribute.WARP_SIZE] == 32 == device.warp_size
    assert all(isinstance(str(name), str) for name in attributes) and len(attributes) > 60
    assert device.max_threads_per_block >= 512 and major >= 3 and minor >= 0

import pycuda.autoinit  # noqa: E402, F401

free, total = cuda.mem_get_info()
assert 0 < free <= total
words = min(free // 8, 1 << 20)
memory = cuda.mem_alloc(4 * words)
cuda.memset_d32(memory, 0x7FFFFFFF, words)
assert np.isnan(cuda.from_device(memory, words, np.float32)).all()
print("properties are right")
