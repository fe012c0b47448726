# SPDX-License-Identifier: MIT
"""Where a camera of space shows things, from what its documentation says; NumPy, in double."""

from __future__ import annotations

import numpy as np


def axes_of(camera):
    """Right, above and the way from the target to the eye."""
    sy, cy = np.sin(camera.yaw), np.cos(camera.yaw)
    sp, cp = np.sin(camera.pitch), np.cos(camera.pitch)
    if camera.up == "y":
        right, out = np.array([cy, 0, -sy]), np.array([cp * sy, sp, cp * cy])
    else:
        right, out = np.array([-sy, cy, 0]), np.array([cp * cy, cp * sy, sp])
    above = np.cross(out, right)
    right = np.cos(camera.roll) * right + np.sin(camera.roll) * above
    return right, np.cross(out, right), out


def to_pixels(camera, size, places):
    """(n, 2): pixels from the top left of a view of (width, height), and (n,): depths from it."""
    width, height = size
    right, above, out = axes_of(camera)
    way = np.asarray(places, float) - np.array(camera.target)
    depth = camera.distance - way @ out
    slope = np.tan(camera.field_of_view / 2)
    half = slope * (camera.distance if camera.orthographic else depth)
    x, y = way @ right / half, way @ above / half
    return np.stack([width / 2 + height / 2 * x, height / 2 - height / 2 * y], axis=-1), depth


def rays(camera, size, x, y):
    """Origins (n, 3) and directions (n, 3) of length 1 through pixels."""
    width, height = size
    right, above, out = axes_of(camera)
    slope = np.tan(camera.field_of_view / 2)
    across = slope * (2 * np.asarray(x, float) - width) / height
    up = slope * (1 - 2 * np.asarray(y, float) / height)
    beside = across[:, None] * right + up[:, None] * above
    middle = np.array(camera.target) + camera.distance * out
    if camera.orthographic:
        return middle + camera.distance * beside, np.broadcast_to(-out, beside.shape)
    along = beside - out
    return np.broadcast_to(middle, along.shape), along / np.linalg.norm(along, axis=1)[:, None]
