# SPDX-License-Identifier: MIT
"""pycuda-complex.hpp against NumPy's complex numbers, and pycuda-helpers.hpp."""

from __future__ import annotations

import numpy as np
import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

FUNCTIONS = {
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "log10": np.log10, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "conj": np.conj,
}  # fmt: skip
REALS = {
    "abs": np.abs, "arg": np.angle, "real": np.real, "imag": np.imag,
    "norm": lambda z: z.real**2 + z.imag**2,
}  # fmt: skip
OPERATIONS = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "-a + +b": lambda a, b: -a + b,
    "a + x": lambda a, b: a + b.real,
    "x - a": lambda a, b: b.real - a,
    "a - x": lambda a, b: a - b.real,
    "x * a": lambda a, b: a * b.real,
    "a * 2": lambda a, b: 2 * a,
    "a / x": lambda a, b: a / b.real,
    "x / a": lambda a, b: b.real / a,
    "pow(a, b)": lambda a, b: a**b,
    "pow(a, x)": lambda a, b: a**b.real,
    "pow(a, 2)": lambda a, b: a**2,
    "pow(x, a)": lambda a, b: b.real.astype(a.dtype) ** a,
    "pycuda::polar(x, y)": lambda a, b: b.real * np.exp(1j * b.imag),
    "pycuda::polar(x)": lambda a, b: b.real + 0j,
    "(c = a, c += b, c -= x, c *= b, c /= a, c)": lambda a, b: (a + b - b.real) * b / a,
    "(c = a, c *= x, c /= y, c += x, c)": lambda a, b: a * b.real / b.imag + b.real,
    "(c = x, c)": lambda a, b: b.real + 0j,
    "(v = a, w = b, v + w)": lambda a, b: a + b,
    "(v = a, w = v, w * v)": lambda a, b: a * a,
    "(c.real(y), c.imag(x), c)": lambda a, b: b.imag + 1j * b.real,
    "C(a.real(), b._M_im)": lambda a, b: a.real + 1j * b.imag,
    "C((a == a) + 2 * (a == b) + 4 * (a != b) + 8 * (C(x) == x) + 16 * (x != a))": (
        lambda a, b: np.full_like(a, 1 + 4 + 8 + 16)
    ),
}

KINDS = {"float": (np.complex64, 2e-6), "double": (np.complex128, 4e-15)}


def numbers(dtype):
    """Of all quadrants and sizes, some on the axes and near the unit circle."""
    rng = np.random.default_rng(12)
    z = rng.normal(size=400) + 1j * rng.normal(size=400)
    z *= 10.0 ** rng.uniform(-3, 0.7, 400)
    z[:40] /= np.abs(z[:40]) * rng.normal(1, 1e-4, 40)
    z[40:48] = [1, -1, 1j, -1j, 2, -2, 0.5j, -3j]
    return z.astype(dtype)


def assert_close(got, expected, tolerance):
    error = np.abs(got - expected) / np.maximum(np.abs(expected), 1e-3)
    k = int(np.argmax(error))
    assert error[k] < tolerance, f"{got[k]} at {k}, not {expected[k]}"


@pytest.fixture(scope="module", params=KINDS)
def module(request):
    bodies = [f"pycuda::{name}(a)" for name in FUNCTIONS] + list(OPERATIONS)
    reals = [f"pycuda::{name}(a)" for name in REALS]
    cases = "".join(f"case {k}: r = {body}; break;\n" for k, body in enumerate(bodies))
    real_cases = "".join(f"case {k}: r = {body}; break;\n" for k, body in enumerate(reals))
    source = f"""
    #include <pycuda-complex.hpp>
    typedef {request.param} T;
    typedef pycuda::complex<T> C;
    __global__ void evaluate(C* to, const C* as, const C* bs, int which, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        C a = as[i], b = bs[i], c, r;
        volatile C v, w;
        C::value_type x = b.real(), y = b.imag();
        switch (which) {{ {cases} }}
        to[i] = r;
    }}
    __global__ void measure(T* to, const C* as, int which, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        C a = as[i];
        T r = 0;
        switch (which) {{ {real_cases} }}
        to[i] = r;
    }}
    """
    return request.param, SourceModule(source)


def test_functions_and_operators(module):
    kind, compiled = module
    dtype, tolerance = KINDS[kind]
    a, b = numbers(dtype), numbers(dtype)[::-1].copy()
    b.real[b.real == 0] = 0.75  # divisors
    b.imag[b.imag == 0] = 0.75
    evaluate = compiled.get_function("evaluate")
    wide_a, wide_b = a.astype(np.clongdouble), b.astype(np.clongdouble)
    for k, (name, expected) in enumerate([*FUNCTIONS.items(), *OPERATIONS.items()]):
        to = np.zeros_like(a)
        evaluate(
            cuda.Out(to), cuda.In(a), cuda.In(b), np.int32(k), np.int32(len(a)),
            block=(64, 1, 1), grid=(7, 1),
        )  # fmt: skip
        with np.errstate(divide="ignore"):
            right = expected(wide_a) if name in FUNCTIONS else expected(wide_a, wide_b)
        # A power's error grows with its exponent times the logarithm; cosines near their zeros.
        room = {"pow(a, b)": 40, "pow(x, a)": 40, "pow(a, x)": 20, "tan": 60, "tanh": 60}.get(
            name, 4
        )
        assert_close(to, right, room * tolerance)


def test_reals(module):
    kind, compiled = module
    dtype, tolerance = KINDS[kind]
    a = numbers(dtype)
    measure = compiled.get_function("measure")
    for k, expected in enumerate(REALS.values()):
        to = np.zeros_like(a.real)
        measure(
            cuda.Out(to), cuda.In(a), np.int32(k), np.int32(len(a)), block=(64, 1, 1), grid=(7, 1)
        )
        assert_close(to, expected(a.astype(np.clongdouble)), 2 * tolerance)


def test_kinds_mix_and_cross_as_data():
    module = SourceModule("""
    #include <pycuda-complex.hpp>
    typedef pycuda::complex<float> F;
    typedef pycuda::complex<double> D;
    __global__ void mix(D* to, F f, D d) {
        to[0] = f * d;
        to[1] = f;
        F narrow(d);
        to[2] = narrow;
        narrow = d + 1.0;
        to[3] = narrow;
        to[4] = D() + pycuda::pow(D(0), 2.0) + pycuda::pow(D(0), 0.0);
        to[5] = pycuda::sqrt(D(0)) + pycuda::pow(-2.0, D(3));
        to[6] = float_limit < double_limit && FLT_MAX < DBL_MAX;
        to[7] = pycuda::tanh(D(400, 1)) + D(1e300, 1e300) / D(2e300, 2e300);
    }""")
    f, d = np.complex64(1 + 2j), np.complex128(0.1 - 0.7j)
    to = np.zeros(8, np.complex128)
    module.get_function("mix")(cuda.Out(to), f, d, block=(1, 1, 1))
    n = np.complex64
    expected = [f * d, f, n(d), n(d + 1), 1, -8, 1, 1.5]
    np.testing.assert_allclose(to, expected, rtol=1e-14, atol=1e-14)


def test_helpers_can_be_included():
    """What includes them failed to compile on CUDA 12 and newer."""
    module = SourceModule(
        "#include <pycuda-helpers.hpp>\n__global__ void f(fp_tex_double* p) { p->x = 1; }"
    )
    memory = cuda.to_device(np.zeros(2, np.int32))
    module.get_function("f")(memory, block=(1, 1, 1))
    assert cuda.from_device(memory, 2, np.int32).tolist() == [1, 0]


TYPES = {
    "float": ("fp_tex_float", np.float32),
    "double": ("fp_tex_double", np.float64),
    "pycuda::complex<float>": ("fp_tex_cfloat", np.complex64),
    "pycuda::complex<double>": ("fp_tex_cdouble", np.complex128),
    "int": ("int", np.int32),
    "unsigned int": ("unsigned int", np.uint32),
    "short int": ("short int", np.int16),
    "unsigned short int": ("unsigned short int", np.uint16),
    "char": ("char", np.int8),
    "unsigned char": ("unsigned char", np.uint8),
}


@pytest.mark.parametrize("type_", TYPES)
def test_textures_and_surfaces_of_any_number(type_):
    element, dtype = TYPES[type_]
    module = SourceModule(f"""
    #include <pycuda-helpers.hpp>
    texture<{element}, 1, cudaReadModeElementType> line;
    texture<{element}, 2, cudaReadModeElementType> plane;
    texture<{element}, cudaTextureType2DLayered, cudaReadModeElementType> planes;
    texture<{element}, 3, cudaReadModeElementType> volume;
    surface<void, cudaSurfaceType2DLayered> sheets;
    surface<void, 3> block;
    typedef {type_} T;
    __global__ void read(T* to) {{
        int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
        int n = blockDim.x * blockDim.y * blockDim.z;
        int i = (z * blockDim.y + y) * blockDim.x + x;
        to[i] = fp_tex1Dfetch(line, i);
        to[n + i] = fp_tex2D(plane, x, y);
        to[2 * n + i] = fp_tex2DLayered(planes, x, y, z);
        to[3 * n + i] = fp_tex3D(volume, x, y, z);
    }}
    __global__ void write(const T* from, T* to) {{
        int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
        int i = (z * blockDim.y + y) * blockDim.x + x;
        T v = from[i], a, b;
        fp_surf2DLayeredwrite(v, sheets, x, y, z, cudaBoundaryModeClamp);
        fp_surf3Dwrite(v, block, x, y, z, cudaBoundaryModeTrap);
        fp_surf2DLayeredread(&a, sheets, x, y, z, cudaBoundaryModeClamp);
        fp_surf3Dread(&b, block, x, y, z, cudaBoundaryModeTrap);
        to[2 * i] = a;
        to[2 * i + 1] = b;
    }}""")
    a = np.random.default_rng(6).integers(0, 100, (2, 3, 4)).astype(dtype)
    if a.dtype.kind == "c":
        a += (0.25j * np.arange(24).reshape(a.shape)).astype(dtype)
    format_ = cuda.np_to_array(a, "C").get_descriptor_3d()
    assert module.get_texref("line").get_format()[1] == format_.num_channels
    module.get_texref("line").set_address(cuda.to_device(a), a.nbytes)
    module.get_texref("plane").set_array(cuda.np_to_array(a[0], "C"))
    module.get_texref("volume").set_array(cuda.np_to_array(a, "C"))
    format_.flags = cuda.array3d_flags.LAYERED
    layers = cuda.Array(format_)
    copy = cuda.Memcpy3D()
    copy.set_src_host(a)
    copy.set_dst_array(layers)
    copy.width_in_bytes, copy.height, copy.depth = 4 * a.itemsize, 3, 2
    copy()
    if dtype is np.complex64:  # np_to_array's ints are signed, fp_tex_cfloat's are not: bits alike
        assert format_.format is cuda.array_format.SIGNED_INT32
    module.get_texref("planes").set_array(layers)
    to = np.zeros((4, *a.shape), dtype)
    module.get_function("read")(cuda.Out(to), block=(4, 3, 2))
    np.testing.assert_array_equal(to, [a, np.broadcast_to(a[0], a.shape), a, a])

    flags = cuda.array3d_flags
    format_.flags = flags.LAYERED | flags.SURFACE_LDST
    module.get_surfref("sheets").set_array(cuda.Array(format_))
    module.get_surfref("block").set_array(cuda.np_to_array(np.zeros_like(a), "C", True))
    both = np.zeros((*a.shape, 2), dtype)
    module.get_function("write")(cuda.In(a), cuda.Out(both), block=(4, 3, 2))
    np.testing.assert_array_equal(both, np.stack([a, a], -1))
