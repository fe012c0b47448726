# SPDX-License-Identifier: MIT
"""Members of structures among the sliders: a launch packs the structure from them."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import numpy as np
import pytest

import lathe

DECLARATIONS = """
enum Kind { spot = 3, area = 7 };
struct Lamp { bool on; //@ =true
              double watts; };
struct Light {
    float x;             //@ -1..1 =0.5
    float3 color;        //@ color =(1,0.5,0)
    unsigned char level; //@ =9
    short count;
    float weights[3];    //@ 0..1 =0.25
    Lamp lamps[2];
    int2 cell;
    Kind kind;
};
"""
SOURCE = (
    DECLARATIONS
    + """
__global__ void dump(unsigned char* out, Light light, float gain) { //@ 0..1 =1
    *reinterpret_cast<Light*>(out) = light;
}
"""
)


class Lamp(ctypes.Structure):
    _fields_ = (("on", ctypes.c_bool), ("watts", ctypes.c_double))


class Light(ctypes.Structure):
    """As the C ABI lays it out, independently of the compiler's words."""

    _fields_ = (
        ("x", ctypes.c_float),
        ("color", ctypes.c_float * 3),
        ("level", ctypes.c_uint8),
        ("count", ctypes.c_int16),
        ("weights", ctypes.c_float * 3),
        ("lamps", Lamp * 2),
        ("cell", ctypes.c_int32 * 2),
        ("kind", ctypes.c_int32),
    )


def dumped(app, source=SOURCE):
    dump = app.kernel(source, name="dump.cu")
    out = app.zeros(ctypes.sizeof(Light), np.uint8)
    assert app.frame()
    dump[1, 1](out)
    return Light.from_buffer_copy(out.get().tobytes())


def test_a_launch_packs_the_structure_from_its_members(app):
    light = dumped(app)
    assert (light.x, tuple(light.color), light.level, light.count) == (0.5, (1, 0.5, 0), 9, 0)
    assert tuple(light.weights) == (0.25,) * 3
    assert (light.lamps[0].on, light.kind) == (True, 3)
    app.set("light.x", -0.25)
    app.set("light.color", (0.125, 0.25, 0.5))
    app.set("light.level", 300)
    app.set("light.count", -2)
    app.set("light.weights[1]", 0.75)
    app.set("light.lamps[1].watts", 60.5)
    app.set("light.lamps[0].on", False)
    app.set("light.cell", (3, -4))
    app.set("light.kind", "area")
    light = dumped(app)
    assert (light.x, tuple(light.color)) == (-0.25, (0.125, 0.25, 0.5))
    assert (light.level, light.count) == (255, -2)
    assert tuple(light.weights) == (0.25, 0.75, 0.25)
    assert (light.lamps[1].watts, light.lamps[0].on, light.lamps[1].on) == (60.5, False, True)
    assert (tuple(light.cell), light.kind) == ((3, -4), 7)
    assert app.parameters["light.weights[1]"] == 0.75
    assert app.preset_code().startswith('gain=1, **{"light.cell": (3, -4), "light.color": ')


def test_an_edit_keeps_the_other_members_values(app):
    dumped(app)
    app.set("light.x", 0.75)
    app.set("light.kind", 7)
    edited = SOURCE.replace("int2 cell;", "float far; //@ 1..9\n int2 cell;")
    app.kernel(edited, name="dump.cu").slot.source = edited
    app._studio.kernels[0].wait()
    assert app.frame()
    assert app.parameters["light.far"] == 5
    assert (app.parameters["light.x"], app.parameters["light.kind"]) == (0.75, 7)


def test_a_script_may_pass_it_and_members_follow(app):
    light = dumped(app)
    app.bind("light.weights[2]", "saw 1s phase=0.5")
    app.bind("light.color.y", "triangle 1s phase=0.5")
    light = dumped(app)
    assert light.weights[2] == pytest.approx(0.5 + 1 / 60, rel=1e-6)
    assert light.color[1] == pytest.approx(1 - 2 / 60, rel=1e-6)
    light.x = 42
    out = app.zeros(ctypes.sizeof(Light), np.uint8)
    assert app.frame()
    app.kernel(SOURCE, name="dump.cu")[1, 1](out, light)
    assert Light.from_buffer_copy(out.get().tobytes()).x == 42


def test_what_cannot_be_made_of_sliders_is_still_missing(app):
    kernel = app.kernel("struct H { float x; const float* p; };"
                        "__global__ void k(float* out, H h) { out[0] = h.x; }")  # fmt: skip
    assert app.frame()
    with pytest.raises(TypeError, match=r"k\(\): h \(H\) is missing"):
        kernel[1, 1](app.zeros(1))
    assert app.parameters == {}


def test_a_sketch_has_them_and_set_reaches_them(tmp_path):
    sketch = tmp_path / "spot.cu"
    sketch.write_text(
        "//@ buffer picture float[8,8]\n//@ launch fill grid=8x8\n//@ image picture\n"
        "struct Light { float level; //@ 0..1 =0.5\n float2 at; };\n"
        "__global__ void fill(float* picture, int width, Light light) {\n"
        "    int i = threadIdx.y * width + threadIdx.x;\n"
        "    if (threadIdx.x >= width || threadIdx.y >= width) return;\n"
        '    if (i == 0) printf("level %g at %g\\n", light.level, light.at.y);\n'
        "    picture[i] = light.level;\n}\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "lathe", "run", str(sketch), "--headless", "--frames", "1",
         "--out", str(tmp_path / "out"),
         "--set", "light.level=0.75", "--set", "light.at=(1, 2.5)"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "level 0.75 at 2.5" in run.stdout + run.stderr


def test_unknown_members_are_named(app):
    dumped(app)
    with pytest.raises(lathe.Error, match=r"light\.kind is 'lamp', expected one of spot, area"):
        app.set("light.kind", "lamp")
    with pytest.raises(lathe.Error, match=r"no parameter is named 'light.z'; known are light.x"):
        app.set("light.z", 1)
