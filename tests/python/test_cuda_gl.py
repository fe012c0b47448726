# SPDX-License-Identifier: MIT
"""lathe.cuda.gl: OpenGL's buffers and textures in kernels, in contexts of Lathe and of others."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import shutil
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import gl_calls
import numpy as np
import pytest
from conftest import script_environment

import lathe
import lathe.cuda.driver as cuda
from lathe.cuda import gl
from lathe.cuda.compiler import SourceModule
from lathe.native import native

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(params=["EGL", "lathe.App"])
def context(request):
    """An OpenGL context current on this thread, which CUDA can share with."""
    if request.param == "EGL":
        made = gl_calls.Context()
        end = made.destroy
    else:
        made = lathe.App("gl", size=(64, 48), headless=True)
        end = made.close
    problem = native.gl_sharing_problem()
    if problem:
        end()
        pytest.skip(problem)
    yield made
    gc.collect()  # what CUDA has registered, while the context is there
    end()


@pytest.fixture(scope="module")
def double():
    return SourceModule(
        "__global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }"
    ).get_function("twice")


def test_a_kernel_writes_a_buffer_and_gl_reads_it(context, double):
    content = np.arange(256, dtype=np.float32)
    vbo = gl_calls.buffer(content)
    registered = gl.RegisteredBuffer(vbo)
    assert registered.gl_handle() == vbo
    mapping = registered.map()
    address, size = mapping.device_ptr_and_size()
    assert size == content.nbytes
    double(address, block=(256, 1, 1))
    mapping.unmap()
    np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), content * 2)
    registered.unregister()


def test_gl_writes_a_buffer_and_a_kernel_reads_it(context, double):
    content = np.zeros(64, np.float32)
    vbo = gl_calls.buffer(content)
    stream = cuda.Stream()
    with contextlib.closing(_Unregistered(gl.RegisteredBuffer(vbo))) as registered:
        for round_ in range(3):
            gl_calls.write_buffer(vbo, np.full(64, round_ + 1, np.float32))
            with registered.object.map(stream) as mapping:
                double(mapping.device_ptr_and_size()[0], block=(64, 1, 1), stream=stream)
                back = np.empty_like(content)
                cuda.memcpy_dtoh_async(back, mapping.device_ptr_and_size()[0], stream)
                stream.synchronize()
            np.testing.assert_array_equal(back, np.full(64, 2 * (round_ + 1)))
            np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), back)


class _Unregistered:
    """Unregisters at the end of a scope."""

    def __init__(self, registered):
        self.object = registered

    def close(self):
        self.object.unregister()


def test_several_objects_in_one_call(context, double):
    contents = [np.full(32, n, np.float32) for n in (1, 2, 3)]
    names = [gl_calls.buffer(content) for content in contents]
    registered = [gl.RegisteredBuffer(name) for name in names]
    with gl.map_objects(registered) as mappings:
        assert len(mappings) == 3
        for mapping in (mappings[0], mappings[2]):
            double(mapping.device_ptr_and_size()[0], block=(32, 1, 1))
        with pytest.raises(IndexError):
            mappings[3]
        with pytest.raises(cuda.LogicError, match=f"GL object {names[1]} is mapped"):
            registered[1].map()
    found = [gl_calls.read_buffer(n, c)[0] for n, c in zip(names, contents, strict=True)]
    assert found == [2, 2, 6]
    with registered[1].map():
        pass


class Surface:
    """A surface object of a mapped array, by the driver's own functions."""

    def __init__(self, array: int) -> None:
        self.library = ctypes.CDLL(native.gpu_status()["driver_path"])
        # CUDA_RESOURCE_DESC: its type (0: an array), then the array, in 144 bytes.
        resource = (ctypes.c_uint64 * 18)(0, array)
        self.handle = ctypes.c_uint64()
        assert self.library.cuSurfObjectCreate(ctypes.byref(self.handle), resource) == 0

    def destroy(self) -> None:
        assert self.library.cuSurfObjectDestroy(self.handle) == 0


def test_a_kernel_paints_a_texture(context):
    paint = SourceModule("""
    __global__ void paint(cudaSurfaceObject_t s) {
        int x = threadIdx.x, y = blockIdx.x;
        float old;
        surf2Dread(&old, s, x * 4, y);
        surf2Dwrite(old + 100 * y + x, s, x * 4, y);
    }""").get_function("paint")
    content = np.full((5, 8), 0.5, np.float32)
    name = gl_calls.texture(content, gl_calls.R32F)
    flags = gl.graphics_map_flags.SURFACE_LDST
    registered = gl.RegisteredImage(name, gl_calls.TEXTURE_2D, flags)
    with registered.map() as mapping:
        array = mapping.array(0, 0)
        assert isinstance(array, cuda.Array)
        descriptor = array.get_descriptor()
        assert (descriptor.height, descriptor.width, descriptor.num_channels) == (5, 8, 1)
        assert descriptor.format is cuda.array_format.FLOAT
        with pytest.raises(cuda.LogicError, match="belongs to what it was taken from"):
            array.free()
        surface = Surface(array.handle)
        paint(np.uint64(surface.handle.value), block=(8, 1, 1), grid=(5, 1))
        cuda.Context.synchronize()
        surface.destroy()
    rows, columns = np.indices(content.shape)
    expected = (0.5 + 100 * rows + columns).astype(np.float32)
    np.testing.assert_array_equal(gl_calls.read_texture(name, gl_calls.R32F, content), expected)
    with pytest.raises(cuda.LogicError, match="it was unmapped"):
        _ = array.handle
    registered.unregister()


def test_a_mapped_texture_is_an_array_for_copies_and_references(context):
    """As PyCUDA's examples use it: `texref.set_array(mapping.array(0, 0))`."""
    module = SourceModule("""
    texture<float, 2> picture;
    __global__ void look(float* to) {
        to[threadIdx.x] = tex2D(picture, threadIdx.x + .5f, blockIdx.x + .5f) * 2;
    }""")
    content = np.arange(40, dtype=np.float32).reshape(5, 8)
    name = gl_calls.texture(content, gl_calls.R32F)
    registered = gl.RegisteredImage(name, gl_calls.TEXTURE_2D)
    back = np.zeros((5, 8), np.float32)
    with registered.map() as mapping:
        array = mapping.array(0, 0)
        copy = cuda.Memcpy2D()
        copy.set_src_array(array)
        copy.set_dst_host(back)
        copy.dst_pitch = copy.width_in_bytes = 32
        copy.height = 5
        copy(aligned=True)
        module.get_texref("picture").set_array(array)
        to = cuda.mem_alloc(32)
        module.get_function("look")(to, block=(8, 1, 1))
        seen = cuda.from_device(to, 8, np.float32)
    np.testing.assert_array_equal(back, content)
    np.testing.assert_array_equal(seen, content[0] * 2)
    with pytest.raises(cuda.LogicError, match="it was unmapped"):
        copy(aligned=True)
    registered.unregister()


def test_what_is_copied_is_not_the_apps(context):
    """An App says what its own arrays copied."""
    before = native.bytes_copied()
    name = gl_calls.texture(np.ones((4, 4), np.float32), gl_calls.R32F)
    vbo = gl_calls.buffer(np.ones(64, np.float32))
    with gl.RegisteredImage(name, gl_calls.TEXTURE_2D).map(), gl.RegisteredBuffer(vbo).map():
        pass
    gl.RegisteredBuffer(vbo).map()  # unmapped when it is collected
    gc.collect()
    assert native.bytes_copied() == before


def test_flags_have_the_drivers_numbers():
    flags = gl.graphics_map_flags
    assert [flags.NONE, flags.READ_ONLY, flags.WRITE_DISCARD] == [0, 1, 2]
    assert [flags.SURFACE_LDST, flags.TEXTURE_GATHER] == [4, 8]
    assert str(flags.SURFACE_LDST) == "SURFACE_LDST"


def test_read_only_and_discard_are_taken(context, double):
    content = np.ones(64, np.float32)
    vbo = gl_calls.buffer(content)
    reading = gl.RegisteredBuffer(vbo, gl.graphics_map_flags.READ_ONLY)
    with reading.map() as mapping:
        got = cuda.from_device(mapping.device_ptr_and_size()[0], 64, np.float32)
    np.testing.assert_array_equal(got, content)
    reading.unregister()
    writing = gl.RegisteredBuffer(vbo, gl.graphics_map_flags.WRITE_DISCARD)
    with writing.map() as mapping:
        cuda.memcpy_htod(mapping.device_ptr_and_size()[0], content * 3)
    np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), content * 3)


def test_objects_end_in_any_order(context, double):
    content = np.ones(64, np.float32)
    vbo = gl_calls.buffer(content)
    mapping = gl.RegisteredBuffer(vbo).map()  # nobody else keeps the buffer
    gc.collect()
    double(mapping.device_ptr_and_size()[0], block=(64, 1, 1))
    del mapping
    gc.collect()
    np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), content * 2)
    with gl.RegisteredBuffer(vbo).map(cuda.Stream()) as mapping:
        gc.collect()  # the mapping keeps its stream
        assert mapping.device_ptr_and_size()[1] == 256


def test_the_mapping_may_end_on_another_stream(context, double):
    content = np.ones(64, np.float32)
    vbo = gl_calls.buffer(content)
    registered, first, second = gl.RegisteredBuffer(vbo), cuda.Stream(1), cuda.Stream(1)
    mapping = registered.map(first)
    first.synchronize()
    double(mapping.device_ptr_and_size()[0], block=(64, 1, 1), stream=second)
    mapping.unmap(second)
    np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), content * 2)


def test_the_older_interface(context, double):
    content = np.arange(64, dtype=np.float32)
    vbo = gl_calls.buffer(content)
    with pytest.deprecated_call():
        old = gl.BufferObject(vbo)
    assert old.handle() == vbo
    mapping = old.map()
    assert mapping.size() == 256
    double(mapping.device_ptr(), block=(64, 1, 1))
    mapping.unmap()
    with old.map() as again:
        assert isinstance(again, gl.BufferObjectMapping) and again.device_ptr()
    old.unregister()
    np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), content * 2)


def test_contexts_beside_gl(context):
    before = cuda.Context.get_current()
    made = gl.make_context(cuda.Device(0))
    assert cuda.Context.get_current() == made != before
    made.detach()
    made = cuda.make_gl_context(cuda.Device(0))
    assert cuda.Context.get_current() == made
    made.detach()
    assert cuda.Context.get_current() == before
    for init in (gl.init, cuda.gl_init):
        with pytest.deprecated_call():
            init()


def test_names_are_in_the_driver_too():
    assert cuda.have_gl_ext()
    for name in ("RegisteredBuffer", "RegisteredImage", "RegisteredMapping", "RegisteredObject"):
        assert getattr(cuda, name) is getattr(gl, name)


def in_thread_without_gl(act):
    """What it raises on a thread that has no OpenGL context."""
    caught: list[BaseException] = []

    def work():
        try:
            act()
        except Exception as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return caught


def test_without_a_context_the_message_says_so():
    def quiet_init():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gl.init()

    for act in (
        lambda: gl.RegisteredBuffer(1),
        lambda: gl.RegisteredImage(1, gl_calls.TEXTURE_2D),
        lambda: gl.make_context(cuda.Device(0)),
        quiet_init,
    ):
        caught = in_thread_without_gl(act)
        assert caught and isinstance(caught[0], cuda.LogicError)
        assert "no OpenGL context is current on this thread" in str(caught[0])


def test_other_threads_are_told(context):
    vbo = gl_calls.buffer(np.ones(64, np.float32))
    registered = gl.RegisteredBuffer(vbo)
    mapping = registered.map()
    for act in (mapping.unmap, lambda: gl.RegisteredBuffer(vbo)):
        caught = in_thread_without_gl(act)
        assert caught and "no OpenGL context" in str(caught[0])
    mapping.unmap()
    assert "no OpenGL context" in str(in_thread_without_gl(registered.map)[0])
    registered.unregister()


MISTAKES = {
    "no buffer": (lambda r, m: gl.RegisteredBuffer(99999), cuda.Error, "GL buffer 99999"),
    "no texture": (
        lambda r, m: gl.RegisteredImage(99999, gl_calls.TEXTURE_2D),
        cuda.Error,
        "GL image 99999 of target 0xde1",
    ),
    "flags": (lambda r, m: gl.RegisteredBuffer(1, 99), ValueError, "graphics_map_flags, got 99"),
    "text": (lambda r, m: gl.RegisteredBuffer("vbo"), TypeError, "vbo"),
    "mapped twice": (lambda r, m: r.map(), cuda.LogicError, "is mapped"),
    "unregistered while mapped": (
        lambda r, m: r.unregister(),
        cuda.LogicError,
        "is mapped: unmap it first",
    ),
    "no object": (lambda r, m: gl.map_objects([r, 3]), TypeError, "incompatible"),
    "stream": (lambda r, m: m.unmap("s"), TypeError, "incompatible"),
    "array of a buffer": (lambda r, m: m.array(0, 0), cuda.Error, "cuGraphicsSubResource"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told(context, mistake):
    act, error, words = MISTAKES[mistake]
    content = np.ones(64, np.float32)
    vbo = gl_calls.buffer(content)
    registered = gl.RegisteredBuffer(vbo)
    with registered.map() as mapping, pytest.raises(error, match=words):
        act(registered, mapping)
    while gl_calls.error():
        pass
    for twice in (mapping.unmap, mapping.device_ptr_and_size):
        with pytest.raises(cuda.LogicError, match="it was unmapped"):
            twice()
    np.testing.assert_array_equal(gl_calls.read_buffer(vbo, content), content)
    registered.unregister()
    with pytest.raises(cuda.LogicError, match="was unregistered before"):
        registered.unregister()
    with pytest.raises(cuda.LogicError, match="was unregistered"):
        registered.map()


def test_autoinit_in_a_program_of_its_own():
    done = subprocess.run(
        [sys.executable, str(PROGRAMS / "gl_autoinit.py")],
        env=script_environment(PYTHONPATH=str(Path(__file__).parent) + ":" + ":".join(sys.path)),
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, 77), done.stdout + done.stderr
    if done.returncode == 77:
        pytest.skip(done.stdout)
    assert done.stdout.strip() == "doubled"
    assert not done.stderr


@pytest.mark.software
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="Xvfb is not installed")
@pytest.mark.parametrize(
    "program", [["gl_glfw.py", "glx"], ["gl_glfw.py", "egl"], ["gl_pyglet.py"]]
)
def test_a_window_of_others(program):
    """The context is GLFW's by GLX or EGL, or pyglet's, and none of Lathe's."""
    if program == ["gl_pyglet.py"]:
        pytest.importorskip("pyglet")
    done = subprocess.run(
        ["xvfb-run", "-a", sys.executable, str(PROGRAMS / program[0]), *program[1:]],
        env=script_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == "doubled"


def test_a_context_of_moderngl(double):
    moderngl = pytest.importorskip("moderngl")
    context = moderngl.create_context(standalone=True, backend="egl", require=450)
    if native.gl_sharing_problem():
        pytest.skip(native.gl_sharing_problem())
    content = np.ones(64, np.float32)
    vbo = context.buffer(content.tobytes())
    registered = gl.RegisteredBuffer(vbo.glo)
    with registered.map() as mapping:
        double(mapping.device_ptr_and_size()[0], block=(64, 1, 1))
    np.testing.assert_array_equal(np.frombuffer(vbo.read(), np.float32), content * 2)
    registered.unregister()
    context.release()
