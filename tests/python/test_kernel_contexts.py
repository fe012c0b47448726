# SPDX-License-Identifier: MIT
"""lathe.kernel under contexts of one's own: a kernel is loaded wherever it is launched."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import lathe
import lathe.cuda.driver as cuda

SOURCE = """
__global__ void add(float* x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += a;
}
__global__ void times(float* x, float a) { x[threadIdx.x] *= a; }
"""


@pytest.fixture
def contexts():
    """Two, neither of them current."""
    made = []
    for _ in range(2):
        made.append(cuda.Device(0).make_context())
        cuda.Context.pop()
    yield made
    for context in made:
        with contextlib.suppress(cuda.LogicError):  # a test ended it
            context.detach()


def used(kernel):
    memory = cuda.to_device(np.zeros(8, np.float32))
    for _ in range(3):
        kernel.over(8)(memory, 2.0, 8)
    kernel.sibling("times")[1, 8](memory, 0.5)
    return cuda.from_device(memory, 8, np.float32).tolist()


def test_a_kernel_is_launched_in_each_context(contexts):
    kernel = lathe.kernel(SOURCE, "add")
    for _ in range(2):
        assert used(kernel) == [3.0] * 8
        for context in contexts:
            context.push()
            assert used(kernel) == [3.0] * 8
            assert kernel.num_regs >= 0 and kernel.parameters[1] == ("a", "float")
            cuda.Context.pop()


def test_a_kernel_outlives_the_context_it_was_made_in(contexts):
    first, second = contexts
    first.push()
    kernel = lathe.kernel(SOURCE)
    assert used(kernel) == [3.0] * 8
    cuda.Context.pop()
    first.detach()
    assert used(kernel) == [3.0] * 8
    second.push()
    assert used(kernel) == [3.0] * 8
    cuda.Context.pop()


def test_an_apps_array_goes_to_the_apps_context(app, contexts):
    kernel = lathe.kernel(SOURCE, "times")
    array = app.array(8)
    array.set(np.full(8, 4, np.float32))
    contexts[0].push()
    try:
        kernel[1, 8](array, 0.25)
    finally:
        cuda.Context.pop()
    np.testing.assert_array_equal(array.get(), np.ones(8, np.float32))
