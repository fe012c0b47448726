# SPDX-License-Identifier: MIT
"""EXR files, read by a decoder of this test that follows the published layout of the files."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

import lathe

ROWS_A_BLOCK = 16
TYPES = {1: np.float16, 2: np.float32}


def text(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode(), end + 1


def attributes(data):
    """By name: their types and bytes; and where they end."""
    assert struct.unpack_from("<ii", data) == (20000630, 2)
    found, at = {}, 8
    while data[at]:
        name, at = text(data, at)
        kind, at = text(data, at)
        (size,) = struct.unpack_from("<i", data, at)
        found[name] = kind, data[at + 4 : at + 4 + size]
        at += 4 + size
    return found, at + 1


def channels(data):
    """Names and types, in the order of the file."""
    found, at = [], 0
    while data[at]:
        name, at = text(data, at)
        kind, _linear, step, step_y = struct.unpack_from("<iiii", data, at)
        assert (step, step_y) == (1, 1)
        found.append((name, TYPES[kind]))
        at += 16
    return found


def unzipped(data, size):
    """Sums of differences; then the halves' bytes take turns."""
    if len(data) == size:
        return data
    differences = np.frombuffer(zlib.decompress(data), np.uint8).astype(np.int64)
    assert len(differences) == size
    differences[1:] -= 128
    apart = np.cumsum(differences).astype(np.uint8)
    half = (size + 1) // 2
    together = np.empty(size, np.uint8)
    together[0::2], together[1::2] = apart[:half], apart[half:]
    return together.tobytes()


def read(file):
    """Arrays by the names of the channels."""
    data = file.read_bytes()
    header, at = attributes(data)
    assert header["compression"] == ("compression", b"\3")
    assert header["lineOrder"] == ("lineOrder", b"\0")
    assert header["dataWindow"] == header["displayWindow"]
    left, top, right, bottom = struct.unpack("<iiii", header["dataWindow"][1])
    assert (left, top) == (0, 0)
    width, height = right + 1, bottom + 1
    assert header["pixelAspectRatio"] == ("float", struct.pack("<f", 1))
    assert header["screenWindowCenter"] == ("v2f", struct.pack("<ff", 0, 0))
    assert header["screenWindowWidth"] == ("float", struct.pack("<f", 1))
    names = channels(header["channels"][1])
    assert [name for name, _ in names] == sorted(name for name, _ in names)
    picture = {name: np.empty((height, width), kind) for name, kind in names}
    blocks = -(-height // ROWS_A_BLOCK)
    end = 0
    for place in struct.unpack_from(f"<{blocks}Q", data, at):
        first, size = struct.unpack_from("<ii", data, place)
        rows = range(first, min(first + ROWS_A_BLOCK, height))
        whole = len(rows) * width * sum(np.dtype(kind).itemsize for _, kind in names)
        block = unzipped(data[place + 8 : place + 8 + size], whole)
        at_row = 0
        for row in rows:
            for name, kind in names:
                picture[name][row] = np.frombuffer(block, kind, width, at_row)
                at_row += width * np.dtype(kind).itemsize
        end = place + 8 + size
    assert end == len(data)
    return picture


NAMES = {1: "Y", 2: "RG", 3: "RGB", 4: "RGBA"}


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_each_number_stays_as_it_is(tmp_path, dtype, count):
    """Of one block and of several, the last one shorter; smooth, noisy, and of no number."""
    random = np.random.default_rng(count)
    for height, width in [(1, 1), (5, 3), (16, 7), (37, 53)]:
        noise = random.normal(size=(height, width, count)).astype(dtype)
        smooth = np.broadcast_to(np.linspace(0, 1, width).astype(dtype)[:, None], noise.shape)
        noise.flat[0] = np.nan
        noise.flat[-1] = np.inf
        for numbers in (noise, smooth):
            lathe.save_exr(tmp_path / "new" / "x.exr", numbers)
            found = read(tmp_path / "new" / "x.exr")
            assert set(found) == set(NAMES[count])
            for channel, name in enumerate(NAMES[count]):
                assert found[name].dtype == dtype
                np.testing.assert_array_equal(found[name], numbers[..., channel])


def test_what_a_kernel_wrote(tmp_path):
    app = lathe.App("exr", size=(64, 48), headless=True)
    ramp = app.kernel("""
    __global__ void ramp(float* u, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) u[i] = 1e-3f * i - 1;
    }""")
    u = app.zeros((40, 50))
    ramp.over(2000)(u, 2000)
    expected = np.float32(1e-3) * np.arange(2000, dtype=np.float32) - 1
    lathe.save_exr(tmp_path / "u.exr", u[::-1])
    np.testing.assert_allclose(
        read(tmp_path / "u.exr")["Y"], expected.reshape(40, 50)[::-1], rtol=1e-6, atol=1e-7
    )


def test_smooth_pictures_are_smaller(tmp_path):
    x = np.broadcast_to(np.linspace(0, 1, 256, dtype=np.float32), (256, 256))
    lathe.save_exr(tmp_path / "x.exr", x)
    assert (tmp_path / "x.exr").stat().st_size < 0.5 * x.size * 4


def test_other_types_become_float32(tmp_path):
    lathe.save_exr(tmp_path / "x.exr", np.arange(6.0).reshape(2, 3))
    assert read(tmp_path / "x.exr")["Y"].dtype == np.float32
    lathe.save_exr(tmp_path / "x.exr", np.array([[True, False]]))
    np.testing.assert_array_equal(read(tmp_path / "x.exr")["Y"], [[1, 0]])


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(TypeError, match="real numbers, got complex64"):
        lathe.save_exr(tmp_path / "x.exr", np.zeros((2, 2), np.complex64))
    for shape in [(3,), (0, 4), (4, 4, 5), (4, 4, 0), (1, 2, 3, 4)]:
        with pytest.raises(ValueError, match="a picture is"):
            lathe.save_exr(tmp_path / "x.exr", np.zeros(shape, np.float32))
    with pytest.raises(lathe.Error, match="cannot write"):
        lathe.save_exr(tmp_path, np.zeros((2, 2)))
    app = lathe.App("exr", size=(64, 48), headless=True)
    with pytest.raises(ValueError, match="save_exr"):
        app.still(tmp_path / "x.exr")
