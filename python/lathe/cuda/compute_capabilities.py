# SPDX-License-Identifier: MIT
"""What a multiprocessor of each compute capability has.

From the tables of technical specifications in the CUDA programming guide (13.0; older editions for
5.x to 7.2); how registers and shared memory are handed out is what the toolkit's occupancy
calculator (cuda_occupancy.h) says.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True)
class Multiprocessor:
    """Limits of one multiprocessor."""

    blocks: int
    """resident at a time"""
    warps: int
    """resident at a time"""
    shared_memory: int
    """bytes"""
    shared_memory_per_block: int
    """bytes that a block may have when it asks for more than 48 KiB"""
    registers_per_block: int = 64 * KIB
    registers: int = 64 * KIB
    shared_memory_unit: int = 128
    """bytes that allocations are rounded up to"""
    shared_memory_reserved: int = 1 * KIB
    """bytes of each block that the system takes"""
    partitions: int = 4
    """parts that warps and registers are divided into"""


def _older(
    blocks: int, warps: int, shared: int, block: int = 48, registers: int = 64, partitions: int = 4
) -> Multiprocessor:
    return Multiprocessor(
        blocks,
        warps,
        shared * KIB,
        block * KIB,
        registers * KIB,
        shared_memory_unit=256,
        shared_memory_reserved=0,
        partitions=partitions,
    )


def _newer(blocks: int, warps: int, shared: int) -> Multiprocessor:
    return Multiprocessor(blocks, warps, shared * KIB, (shared - 1) * KIB)


MULTIPROCESSORS: dict[tuple[int, int], Multiprocessor] = {
    (5, 0): _older(32, 64, 64),
    (5, 2): _older(32, 64, 96),
    (5, 3): _older(32, 64, 64, registers=32),
    (6, 0): _older(32, 64, 64, partitions=2),
    (6, 1): _older(32, 64, 96),
    (6, 2): _older(32, 64, 64, registers=32),
    (7, 0): _older(32, 64, 96, block=96),
    (7, 2): _older(32, 64, 96, block=96),
    (7, 5): _older(16, 32, 64, block=64),
    (8, 0): _newer(32, 64, 164),
    (8, 6): _newer(16, 48, 100),
    (8, 7): _newer(16, 48, 164),
    (8, 9): _newer(24, 48, 100),
    (9, 0): _newer(32, 64, 228),
    (10, 0): _newer(32, 64, 228),
    (10, 3): _newer(32, 64, 228),
    (11, 0): _newer(24, 48, 228),
    (12, 0): _newer(24, 48, 100),
    (12, 1): _newer(24, 48, 100),
}


def multiprocessor(capability: tuple[int, int]) -> Multiprocessor:
    """Of this compute capability, or of the newest that is older.

    Raises
    ------
    ValueError
        For one below 5.0.
    """
    known = [each for each in MULTIPROCESSORS if each <= capability]
    if not known:
        raise ValueError(f"compute capability must be at least 5.0, got {capability}")
    return MULTIPROCESSORS[max(known)]
