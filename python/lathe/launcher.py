# SPDX-License-Identifier: MIT
"""What the studio's menu starts beside a program: other programs, a new sketch, the course."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["NEW_SKETCH", "new_sketch", "start"]

NEW_SKETCH = """//@ title New sketch
//@ buffer level float[360,640]
//@ launch shade grid=640x360 block=32x8
//@ image level colormap=viridis range=0..1

__global__ void shade(float* level, int width, int height, float time,
                      float waves) //@ 1..40 =12
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = float(x) / width - 0.5f, v = float(y) / height - 0.5f;
    level[y * width + x] = 0.5f + 0.5f * sinf(waves * hypotf(u, v) * 4 - 3 * time);
}
"""


def start(say: Callable[[str], object], *arguments: str) -> None:
    """Starts the command ``lathe`` with these arguments, as a process of its own."""
    say(shlex.join(["lathe", *arguments]))
    subprocess.Popen([sys.executable, "-P", "-m", "lathe", *arguments], start_new_session=True)


def new_sketch(folder: Path) -> Path:
    """Writes a sketch that runs into the folder, under a name that is free there."""
    names = ("sketch.cu", *(f"sketch-{number}.cu" for number in range(2, 1000)))
    file = next(folder / name for name in names if not (folder / name).exists())
    file.write_text(NEW_SKETCH)
    return file
