# SPDX-License-Identifier: MIT
"""Lathe: shape CUDA kernels while they spin.

Importing this package touches neither the CUDA driver nor OpenGL: both are opened by the first
`App`, array or kernel.

Examples
--------
>>> import lathe
>>> double = lathe.kernel("__global__ void twice(float* x, int n) {"
...                       "  int i = threadIdx.x; if (i < n) x[i] *= 2; }")
>>> x = lathe.asarray([1.0, 2.0, 3.0], dtype="float32")
>>> double[1, 32](x, 3)
>>> x.get().tolist()
[2.0, 4.0, 6.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives; the module is imported when the name is first used.
_HOMES = {
    "App": "app",
    "Camera": "camera",
    "CameraPath": "camera_path",
    "ClipPlane": "clip_plane",
    "PlaneCamera": "camera",
    "HeatMap": "plots",
    "Histogram": "plots",
    "PhasePlot": "plots",
    "Plot": "plots",
    "ValueLog": "plots",
    "Probe": "probe",
    "Oscillation": "waves",
    "SideWindow": "side_window",
    "Step": "loop",
    "DropEvent": "events",
    "FocusEvent": "events",
    "KeyEvent": "events",
    "MouseEvent": "events",
    "ResizeEvent": "events",
    "WheelEvent": "events",
    "Stats": "stats",
    "FrameProfile": "profile",
    "Profiler": "profile",
    "Zone": "profile",
    "ZoneSum": "profile",
    "Array": "compute",
    "Texture": "_lathe",
    "Grip": "grip",
    "Picked": "picking",
    "PickedThread": "picking",
    "Thing": "thing",
    "View": "draw",
    "Kernel": "_lathe",
    "Error": "_lathe",
    "CompileError": "_lathe",
    "MemoryError": "_lathe",
    "LogicError": "_lathe",
    "LaunchError": "_lathe",
    "RuntimeError": "_lathe",
    "colormap": "colormaps",
    "colormap_names": "_lathe",
    "save_png": "_lathe",
    "load_image": "_lathe",
    "save_exr": "pictures",
    "load": "loading",
    "Mesh": "mesh",
    "Volume": "volume_files",
    "arange": "compute",
    "asarray": "compute",
    "empty": "compute",
    "fuse": "fusion",
    "inspect": "inspection",
    "oscillation": "waves",
    "roofline": "rooflines",
    "trace_thread": "thread_trace",
    "trace_warp": "warp_trace",
    "values_at": "line_values",
    "zeros": "compute",
    "kernel": "compute",
    "resource": "native",
    # Modules, under their own names.
    "array_api": "array_api",
    "cuda": "cuda",
    "fft": "fft",
    "imgui": "imgui",
    "imguizmo": "imguizmo",
    "implot": "implot",
    "linalg": "linalg",
    "random": "random",
    "sparse": "sparse",
    "tune": "tune",
    "ui": "ui",
}

# What completes the array, which imports nothing that stands above it: array/extensions.py.
_PROVIDERS = {
    "array_api": "lathe.array_api",
    "fft": "lathe.fft",
    "launches": "lathe.cuda.array_functions",
    "linalg": "lathe.linalg",
    "textures": "lathe.cuda.texture_binding",
}

__all__ = [*sorted(_HOMES), "__version__"]

if TYPE_CHECKING:
    from lathe import array_api as array_api
    from lathe import cuda as cuda
    from lathe import fft as fft
    from lathe import imgui as imgui
    from lathe import imguizmo as imguizmo
    from lathe import implot as implot
    from lathe import linalg as linalg
    from lathe import random as random
    from lathe import sparse as sparse
    from lathe import tune as tune
    from lathe import ui as ui
    from lathe._lathe import CompileError as CompileError
    from lathe._lathe import Error as Error
    from lathe._lathe import Kernel as Kernel
    from lathe._lathe import LaunchError as LaunchError
    from lathe._lathe import LogicError as LogicError
    from lathe._lathe import MemoryError as MemoryError
    from lathe._lathe import RuntimeError as RuntimeError
    from lathe._lathe import Texture as Texture
    from lathe._lathe import colormap_names as colormap_names
    from lathe._lathe import load_image as load_image
    from lathe._lathe import save_png as save_png
    from lathe.app import App as App
    from lathe.camera import Camera as Camera
    from lathe.camera import PlaneCamera as PlaneCamera
    from lathe.camera_path import CameraPath as CameraPath
    from lathe.colormaps import colormap as colormap
    from lathe.compute import Array as Array
    from lathe.compute import arange as arange
    from lathe.compute import asarray as asarray
    from lathe.compute import empty as empty
    from lathe.compute import kernel as kernel
    from lathe.compute import zeros as zeros
    from lathe.draw import View as View
    from lathe.events import DropEvent as DropEvent
    from lathe.events import FocusEvent as FocusEvent
    from lathe.events import KeyEvent as KeyEvent
    from lathe.events import MouseEvent as MouseEvent
    from lathe.events import ResizeEvent as ResizeEvent
    from lathe.events import WheelEvent as WheelEvent
    from lathe.fusion import fuse as fuse
    from lathe.grip import Grip as Grip
    from lathe.inspection import inspect as inspect
    from lathe.line_values import values_at as values_at
    from lathe.loading import load as load
    from lathe.loop import Step as Step
    from lathe.mesh import Mesh as Mesh
    from lathe.native import resource as resource
    from lathe.picking import Picked as Picked
    from lathe.picking import PickedThread as PickedThread
    from lathe.pictures import save_exr as save_exr
    from lathe.plots import HeatMap as HeatMap
    from lathe.plots import Histogram as Histogram
    from lathe.plots import PhasePlot as PhasePlot
    from lathe.plots import Plot as Plot
    from lathe.plots import ValueLog as ValueLog
    from lathe.probe import Probe as Probe
    from lathe.profile import FrameProfile as FrameProfile
    from lathe.profile import Profiler as Profiler
    from lathe.profile import Zone as Zone
    from lathe.profile import ZoneSum as ZoneSum
    from lathe.rooflines import roofline as roofline
    from lathe.side_window import SideWindow as SideWindow
    from lathe.stats import Stats as Stats
    from lathe.thing import Thing as Thing
    from lathe.thread_trace import trace_thread as trace_thread
    from lathe.volume_files import Volume as Volume
    from lathe.warp_trace import trace_warp as trace_warp
    from lathe.waves import Oscillation as Oscillation
    from lathe.waves import oscillation as oscillation


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'lathe' has no attribute '{name}'")
    from importlib import import_module

    try:
        if home == "_lathe":
            value: Any = getattr(import_module("lathe.native").native, name)
        elif home == name:
            value = import_module(f"lathe.{home}")
        else:
            value = getattr(import_module(f"lathe.{home}"), name)
    except (ImportError, AttributeError) as error:
        from lathe.hidden_modules import hidden_module

        if (why := hidden_module(error)) is not None:
            error.add_note(why)
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
