# SPDX-License-Identifier: MIT
"""How many blocks of a kernel run on a multiprocessor at once, under PyCUDA's names."""

from __future__ import annotations

from typing import NamedTuple

from lathe.cuda import driver
from lathe.cuda.compute_capabilities import multiprocessor


def _int_ceiling(value: int, multiple_of: int = 1) -> int:
    """`value` rounded up to a multiple."""
    return -(-value // multiple_of) * multiple_of


def _int_floor(value: int, multiple_of: int = 1) -> int:
    """`value` rounded down to a multiple."""
    return value // multiple_of * multiple_of


def _exact_div(dividend: int, divisor: int) -> int:
    """The quotient of what can be divided without rest."""
    quotient, rest = divmod(dividend, divisor)
    if rest:
        raise ValueError(f"{dividend} is no multiple of {divisor}")
    return quotient


# The transaction that an access of each word size is served by.
_TRANSACTION = {4: 64, 8: 128, 16: 128}


class DeviceData:
    """What decides how kernels are laid out on a device.

    Parameters
    ----------
    dev : Device or (int, int), optional
        The current context's device unless given; a compute capability such as (9, 0) for a device
        that is elsewhere.

    Attributes
    ----------
    max_threads : int
        of a block
    warp_size : int
    warps_per_mp, thread_blocks_per_mp : int
        resident on a multiprocessor
    registers, registers_per_mp : int
        32-bit registers of a block and of a multiprocessor
    shared_memory, shared_memory_optin, shared_memory_per_mp : int
        bytes that every block may have, that one may have that asks (``function_attribute.
        MAX_DYNAMIC_SHARED_SIZE_BYTES``), and those of a multiprocessor
    shared_memory_reserved : int
        bytes of each block that the system takes
    smem_granularity : int
        threads whose accesses to shared memory are one transaction
    smem_alloc_granularity, register_allocation_unit : int, str
        what shared memory is rounded up to, bytes, and what registers are given to
    """

    def __init__(self, dev: driver.Device | tuple[int, int] | None = None) -> None:
        if dev is None:
            dev = driver.Context.get_device() if driver.Context.get_current() else driver.Device(0)
        if isinstance(dev, tuple):
            capability = dev
        elif isinstance(dev, driver.Device):
            capability = dev.compute_capability()
        else:
            raise TypeError(f"dev must be a Device or a compute capability, got {dev!r}")
        known = multiprocessor(capability)
        self.max_threads = 1024
        self.warp_size = 32
        self.warps_per_mp = known.warps
        self.thread_blocks_per_mp = known.blocks
        self.registers = known.registers_per_block
        self.registers_per_mp = known.registers
        self.shared_memory = 48 * 1024
        self.shared_memory_optin = known.shared_memory_per_block
        self.shared_memory_per_mp = known.shared_memory
        self.shared_memory_reserved = known.shared_memory_reserved
        self.smem_granularity = 32
        self.smem_alloc_granularity = known.shared_memory_unit
        self.register_allocation_unit = "warp"
        self._register_granularity = 256
        self._partitions = known.partitions
        if isinstance(dev, driver.Device):
            self._ask(dev)

    def _ask(self, dev: driver.Device) -> None:
        """What the driver knows better than a table."""
        ask = driver.device_attribute
        get = dev.get_attribute
        self.max_threads = get(ask.MAX_THREADS_PER_BLOCK)
        self.warp_size = get(ask.WARP_SIZE)
        self.warps_per_mp = get(ask.MAX_THREADS_PER_MULTIPROCESSOR) // self.warp_size
        self.thread_blocks_per_mp = (
            get(ask.MAX_BLOCKS_PER_MULTIPROCESSOR) or self.thread_blocks_per_mp
        )
        self.registers = get(ask.MAX_REGISTERS_PER_BLOCK)
        self.registers_per_mp = get(ask.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.shared_memory = get(ask.MAX_SHARED_MEMORY_PER_BLOCK)
        self.shared_memory_optin = get(ask.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) or self.shared_memory
        self.shared_memory_per_mp = get(ask.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.shared_memory_reserved = get(ask.RESERVED_SHARED_MEMORY_PER_BLOCK)

    def align_bytes(self, word_size: int = 4) -> int:
        """What rows of words of 4, 8 or 16 bytes should begin at a multiple of, in bytes.

        Raises
        ------
        ValueError
            For other sizes.
        """
        try:
            return _TRANSACTION[word_size]
        except KeyError:
            raise ValueError(f"word_size must be 4, 8 or 16, got {word_size}") from None

    def align(self, bytes: int, word_size: int = 4) -> int:
        """`bytes` rounded up to a multiple of `align_bytes`."""
        return _int_ceiling(bytes, self.align_bytes(word_size))

    def align_words(self, word_size: int) -> int:
        """`align_bytes` in words."""
        return _exact_div(self.align_bytes(word_size), word_size)

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        """A number of elements rounded up to whole transactions."""
        return _int_ceiling(elements, self.align_words(dtype_size))

    def coalesce(self, thread_count: int) -> int:
        """A number of threads rounded up to those that access memory together."""
        return _int_ceiling(thread_count, self.smem_granularity)

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """The least number of channels that textures have and that is not below `size`.

        Raises
        ------
        ValueError
            For less than 1 and more than 4.
        """
        if not 1 <= size <= 4:
            raise ValueError(f"textures have 1 to 4 channels, got {size}")
        return 4 if size == 3 else size


class _Limit(NamedTuple):
    blocks: int
    by: str


class OccupancyRecord:
    """How many blocks of a kernel a multiprocessor runs at once, and what keeps it from more.

    Parameters
    ----------
    devdata : DeviceData
    threads : int
        of a block
    shared_mem : int
        bytes of a block, static and dynamic
    registers : int
        of a thread; 0 leaves them out

    Attributes
    ----------
    tb_per_mp : int
        blocks
    limited_by : str
        ``"device"`` (resident blocks), ``"warps"``, ``"regs"`` or ``"smem"``
    warps_per_mp : int
    occupancy : float
        of the warps that could be resident, 0 to 1
    tb_per_mp_limits : list of (int, str)
        blocks by each limit

    Raises
    ------
    ValueError
        For a block that the device cannot run: ``too many threads``, ``too many registers``, ``too
        much smem``, with the numbers.
    """

    def __init__(
        self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0
    ) -> None:
        if threads < 1 or shared_mem < 0 or registers < 0:
            raise ValueError(
                f"a block of {threads} threads, {shared_mem} bytes and {registers} registers"
            )
        if not isinstance(devdata, DeviceData):
            raise TypeError(f"devdata must be a DeviceData, got {devdata!r}")
        if threads > devdata.max_threads:
            raise ValueError(f"too many threads: {threads}, at most {devdata.max_threads}")
        warps = -(-threads // devdata.warp_size)
        limits = [
            _Limit(devdata.thread_blocks_per_mp, "device"),
            _Limit(devdata.warps_per_mp // warps, "warps"),
        ]
        if registers:
            limits.append(_Limit(_by_registers(devdata, warps, registers), "regs"))
        if shared_mem > devdata.shared_memory_optin:
            raise ValueError(f"too much smem: {shared_mem}, at most {devdata.shared_memory_optin}")
        taken = _int_ceiling(
            shared_mem + devdata.shared_memory_reserved, devdata.smem_alloc_granularity
        )
        if taken:
            limits.append(_Limit(devdata.shared_memory_per_mp // taken, "smem"))
        self.tb_per_mp_limits = limits
        self.tb_per_mp, self.limited_by = min(limits, key=lambda limit: limit.blocks)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp

    def __repr__(self) -> str:
        return (
            f"<OccupancyRecord: {self.tb_per_mp} blocks, {self.occupancy:.0%}, limited by "
            f"{self.limited_by}>"
        )


def _by_registers(devdata: DeviceData, warps: int, registers: int) -> int:
    """Registers are handed out by the warp, within one of the multiprocessor's parts."""
    of_warp = _int_ceiling(registers * devdata.warp_size, devdata._register_granularity)
    assumed = of_warp * _int_ceiling(warps, devdata._partitions)
    if assumed > devdata.registers or registers > 255:
        raise ValueError(
            f"too many registers: {registers} a thread, the block has {devdata.registers}"
        )
    of_partition = devdata.registers_per_mp // devdata._partitions // of_warp
    return of_partition * devdata._partitions // warps
