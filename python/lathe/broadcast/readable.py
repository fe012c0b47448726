# SPDX-License-Identifier: MIT
"""Waiting for packets of a `Viewer` within asyncio."""

from __future__ import annotations

import asyncio

__all__ = ["readable"]


async def readable(descriptor: int) -> None:
    """Until it is. Between two calls nobody watches it: a slow line must not spin the loop."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def tell() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(descriptor, tell)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
