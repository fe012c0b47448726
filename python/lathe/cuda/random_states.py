# SPDX-License-Identifier: MIT
"""Generators whose states are in device memory: what `lathe.cuda.curandom`'s have in common."""

from __future__ import annotations

from typing import Any

from numpy.typing import DTypeLike

from lathe.cuda import driver, gpuarray
from lathe.cuda.random_kernels import Kernels, device_attribute
from lathe.native import native

GPUArray = gpuarray.GPUArray


class StateGenerator:
    """What all have in common: states, fills, and skipping ahead.

    Attributes
    ----------
    block_count : int
        Multiprocessors of the device.
    generators_per_block : int
        Threads of a block.
    state : DeviceAllocation
        The generators' states.
    generators : dict
        The kernels by name.
    """

    has_box_muller = False
    generator_bits = 32

    def __init__(self, kernels: Kernels) -> None:
        self.block_count = device_attribute("MULTIPROCESSOR_COUNT")
        self.generators_per_block = kernels.threads
        self.generators = kernels.fills
        self.module = kernels.module
        self._kernels = kernels
        self._table = () if kernels.table is None else (kernels.table,)
        self.state = driver.mem_alloc(self._count * kernels.state_bytes)
        # Kernels copy whole states, and with them bytes between fields that nobody writes.
        driver.memset_d8(self.state, 0, self._count * kernels.state_bytes)

    @property
    def _count(self) -> int:
        return self.block_count * self.generators_per_block

    def _launch(self, function: native.Kernel, stream: Any, *args: Any) -> None:
        grid, block = (self.block_count, 1), (self.generators_per_block, 1, 1)
        function.prepared_async_call(grid, block, stream, self.state, *args)

    def _prepare(self, *args: Any) -> None:
        self._launch(self._kernels.prepare, None, self._count, *args)

    def _fill(self, name: str, data: GPUArray, stream: Any, *args: Any) -> None:
        count = data.size
        if name.startswith("normal") and self.has_box_muller and count % 2 == 0:
            name, count = name + "2", count // 2
        if not data.flags.forc:
            raise ValueError(
                f"random numbers are for contiguous arrays, strides are {data.strides}"
            )
        if count:
            self._launch(self.generators[name], stream, data.gpudata, *args, count)

    def _named(self, what: str, data: GPUArray, names: dict[str, str]) -> str:
        name = names.get(data.dtype.str[1:])
        if name is None or name not in self.generators:
            raise NotImplementedError(f"{type(self).__name__}.{what} is not for {data.dtype}")
        return name

    def fill_uniform(self, data: GPUArray, stream: Any = None) -> None:
        """Numbers in (0, 1]; integers of 32 bits, and of 64 where the generator has them, get all.

        Raises
        ------
        NotImplementedError
            For other types than float32, float64 and those.
        """
        names = {
            "f4": "uniform_float",
            "f8": "uniform_double",
            "i4": "uniform_int",
            "u4": "uniform_int",
            "i8": "uniform_long",
            "u8": "uniform_long",
        }
        self._fill(self._named("fill_uniform", data, names), data, stream)

    def gen_uniform(self, shape: Any, dtype: DTypeLike, stream: Any = None) -> GPUArray:
        """A new array, filled by `fill_uniform`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_uniform(made, stream)
        return made

    def fill_normal(self, data: GPUArray, stream: Any = None) -> None:
        """Numbers with mean 0 and standard deviation 1, float32 or float64."""
        names = {"f4": "normal_float", "f8": "normal_double"}
        self._fill(self._named("fill_normal", data, names), data, stream)

    def gen_normal(self, shape: Any, dtype: DTypeLike, stream: Any = None) -> GPUArray:
        """A new array, filled by `fill_normal`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_normal(made, stream)
        return made

    def fill_log_normal(
        self, data: GPUArray, mean: float, stddev: float, stream: Any = None
    ) -> None:
        """Numbers whose logarithm has that mean and standard deviation, float32 or float64."""
        names = {"f4": "normal_log_float", "f8": "normal_log_double"}
        name = self._named("fill_log_normal", data, names)
        self._fill(name, data, stream, float(mean), float(stddev))

    def gen_log_normal(
        self, shape: Any, dtype: DTypeLike, mean: float, stddev: float, stream: Any = None
    ) -> GPUArray:
        """A new array, filled by `fill_log_normal`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_log_normal(made, mean, stddev, stream)
        return made

    def fill_poisson(
        self, data: GPUArray, lambda_value: float | None = None, stream: Any = None
    ) -> None:
        """Poisson numbers.

        Parameters
        ----------
        data : GPUArray
            uint32; without `lambda_value` also float32 and float64.
        lambda_value : float, optional
            The mean. Without it each element is the mean of the number that replaces it; elements
            that are not above 0 become 0.
        stream : Stream, optional

        Raises
        ------
        ValueError
            For a mean below 0.
        """
        if lambda_value is None:
            names = {
                "f4": "poisson_inplace_float",
                "f8": "poisson_inplace_double",
                "u4": "poisson_inplace_int",
            }
            self._fill(self._named("fill_poisson", data, names), data, stream)
            return
        if not float(lambda_value) >= 0:
            raise ValueError(f"lambda_value must not be below 0, got {lambda_value}")
        name = self._named("fill_poisson", data, {"u4": "poisson_int"})
        self._fill(name, data, stream, float(lambda_value))

    def gen_poisson(
        self, shape: Any, dtype: DTypeLike, lambda_value: float, stream: Any = None
    ) -> GPUArray:
        """A new array of uint32, filled by `fill_poisson`."""
        made = gpuarray.empty(shape, dtype)
        self.fill_poisson(made, lambda_value, stream)
        return made

    def _skip(self, name: str, i: int, stream: Any) -> None:
        if int(i) < 0:
            raise ValueError(f"cannot skip {i} numbers")
        self._launch(self._kernels.skips[name], stream, self._count, int(i), *self._table)

    def _skip_array(self, name: str, i: GPUArray, stream: Any) -> None:
        pseudo = bool(self._table)
        bits = 64 if pseudo else self.generator_bits
        if i.dtype.kind not in "iu" or i.dtype.itemsize * 8 != bits or i.size != self._count:
            raise ValueError(
                f"one integer of {bits} bits is needed for each of {self._count} generators, got "
                f"{i.size} of {i.dtype}"
            )
        if not i.flags.c_contiguous:
            raise ValueError(f"the array must be contiguous, strides are {i.strides}")
        function = self._kernels.skips[name + "_array"]
        self._launch(function, stream, self._count, i.gpudata, *self._table)

    def call_skip_ahead(self, i: int, stream: Any = None) -> None:
        """Makes each generator pass over `i` numbers."""
        self._skip("skip_ahead", i, stream)

    def call_skip_ahead_array(self, i: GPUArray, stream: Any = None) -> None:
        """Makes each generator pass over as many numbers as its element of `i` says.

        Parameters
        ----------
        i : GPUArray
            ``block_count * generators_per_block`` integers of 64 bits; for 32-bit Sobol generators
            of 32.
        stream : Stream, optional
        """
        self._skip_array("skip_ahead", i, stream)
