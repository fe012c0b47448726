# SPDX-License-Identifier: MIT
"""Compiling and linking under PyCUDA's names (B32 and B34 of its defects)."""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import script_environment

import lathe.cuda.driver as cuda
from lathe.cuda import architecture, compiler
from lathe.cuda.compiler import DynamicModule, DynamicSourceModule, SourceModule
from lathe.cuda.fat_binary import fat_binary

MAIN = """
extern __device__ int calls;
extern __device__ int scale(int);
__global__ void run(int* x) {
    x[threadIdx.x] = scale(x[threadIdx.x]);
    if (threadIdx.x == 0) atomicAdd(&calls, 1);
}
"""
SCALE = """
__device__ int calls = 40;
__device__ int scale(int x) { return x * FACTOR; }
"""
PTX = cuda.jit_input_type.PTX


def relocatable(source, *options):
    return compiler.compile(source, options=["-rdc=true", *options], target="ptx")


def run(module):
    x = np.arange(8, dtype=np.int32)
    module.get_function("run")(cuda.InOut(x), block=(8, 1, 1))
    return x.tolist()


def calls(module):
    address, size = module.get_global("calls")
    assert size == 4
    return int(cuda.from_device(address, 1, np.int32)[0])


def test_sources_are_linked():
    module = (
        DynamicModule()
        .add_source(MAIN, name="main.ptx")
        .add_source(SCALE, nvcc_options=["-DFACTOR=3"], name="scale.ptx")
        .link()
    )
    assert run(module) == list(range(0, 24, 3))
    assert calls(module) == 41
    assert run(module) == list(range(0, 24, 3)) and calls(module) == 42


def test_a_linker_takes_data_and_files(tmp_path):
    file = tmp_path / "scale.ptx"
    file.write_bytes(relocatable(SCALE, "-DFACTOR=5"))
    told = []
    linker = cuda.Linker(lambda *args: told.append(args), [(cuda.jit_option.OPTIMIZATION_LEVEL, 2)])
    linker.add_data(relocatable(MAIN), PTX, "main.ptx")
    linker.add_file(file, PTX)
    module = linker.link_module()
    assert run(module) == list(range(0, 40, 5))
    assert told and told[-1][0] is True and all(isinstance(text, str) for text in told[-1][1:])
    with pytest.raises(cuda.LogicError, match="the link is complete already"):
        linker.link_module()
    with pytest.raises(cuda.LogicError, match="the link is complete already"):
        linker.add_data(relocatable(MAIN), PTX)
    del linker
    assert run(module) == list(range(0, 40, 5))


def test_what_does_not_fit_together_is_told():
    told = []
    linker = cuda.Linker(lambda *args: told.append(args))
    linker.add_data(relocatable(MAIN), PTX, "main.ptx")
    with pytest.raises(cuda.LogicError, match=r"(?s)cuLinkComplete failed.*(scale|calls)"):
        linker.link_module()
    assert told[-1][0] is False and ("scale" in told[-1][2] or "calls" in told[-1][2])
    twice = cuda.Linker()
    scale = relocatable(SCALE, "-DFACTOR=5")
    with pytest.raises(cuda.LogicError, match=r"(?s)cuLink\w+ failed"):
        twice.add_data(scale, PTX, "one.ptx")
        twice.add_data(scale, PTX, "two.ptx")
        twice.link_module()
    with pytest.raises(cuda.LogicError, match=r"(?s)cuLink\w+ failed.*bad\.ptx"):
        bad = cuda.Linker()
        bad.add_data(b"nonsense", PTX, "bad.ptx")
        bad.link_module()


def test_what_a_linker_does_not_take_is_told(tmp_path):
    linker = cuda.Linker()
    with pytest.raises(TypeError, match="add_data: bytes are wanted, got str"):
        linker.add_data("text", PTX)
    with pytest.raises(cuda.LogicError, match="cuLinkAddData failed"):
        linker.add_data(b"x", 77)
    with pytest.raises(cuda.Error, match=r"cuLinkAddFile failed.*nowhere\.ptx"):
        linker.add_file(tmp_path / "nowhere.ptx", PTX)
    with pytest.raises(TypeError, match="pairs of a jit_option and its value, got 3"):
        cuda.Linker(options=[3])
    with pytest.raises(cuda.LogicError, match="option 3 is not a number"):
        cuda.Linker(options=[(cuda.jit_option.INFO_LOG_BUFFER, 1)])
    with pytest.raises(FileNotFoundError, match=r"libnothing\.a is not in .*cuda_libdir"):
        DynamicModule(cuda_libdir=tmp_path).add_stdlib("nothing")
    with pytest.raises(cuda.CompileError, match="expected"):
        DynamicModule().add_source("this is no C++")


def test_modules_are_loaded_with_options_and_tell_their_log():
    told = []
    ptx = compiler.compile("__global__ void run(int* x) { x[threadIdx.x] *= 2; }", target="ptx")
    module = cuda.module_from_buffer(
        ptx, [(cuda.jit_option.MAX_REGISTERS, 32)], lambda *args: told.append(args)
    )
    assert run(module) == list(range(0, 16, 2))
    assert told[0][0] is True
    with pytest.raises(cuda.Error, match="cuModuleLoadDataEx failed"):
        cuda.module_from_buffer(b"nonsense", message_handler=lambda *args: told.append(args))
    assert told[1][0] is False
    with pytest.raises(TypeError, match="module_from_buffer: bytes are wanted, got int"):
        cuda.module_from_buffer(3)
    with pytest.raises(ValueError, match="on purpose"):
        cuda.module_from_buffer(ptx, message_handler=_raise)


def _raise(*args):
    raise ValueError("on purpose")


def test_a_source_by_itself_is_linked():
    module = DynamicSourceModule(
        "__device__ __noinline__ int f(int x) { return x + 7; }\n"
        "__global__ void run(int* x) { x[threadIdx.x] = f(x[threadIdx.x]); }"
    )
    assert run(module) == list(range(7, 15))
    assert isinstance(module, compiler.CudaModule)


def test_a_kernel_launches_kernels():
    try:
        module = DynamicSourceModule(
            "__global__ void plus(int* x, int n) { x[threadIdx.x] += n; }\n"
            "__global__ void run(int* x) {\n"
            "    if (threadIdx.x) return;\n"
            "    plus<<<1, 8>>>(x, 10);\n"
            "    for (int i = 0; i < 8; ++i) plus<<<1, 1>>>(x + i, i);\n"
            "}"
        )
    except FileNotFoundError:
        pytest.skip("a GPU needs a toolkit's libcudadevrt.a")
    assert run(module) == list(range(10, 26, 2))


SMOOTH = """
#include <cuda_device_runtime_api.h>
extern "C" __global__ void smooth(float* to, const float* from, int begin, int n) {
    int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = 0.25f * from[max(i - 1, 0)] + 0.5f * from[i] + 0.25f * from[min(i + 1, n - 1)];
}
extern "C" __global__ void smooth_twice(float* c, float* b, const float* a, int n) {
    if (threadIdx.x) return;
    smooth<<<n / 64, 64, 0, cudaStreamTailLaunch>>>(c, b, 0, n);  // behind all those below
    for (int begin = 0; begin < n; begin += 64)
        smooth<<<1, 64, 0, cudaStreamFireAndForget>>>(b, a, begin, n);
}
"""


def test_launches_from_a_kernel_give_what_those_from_the_host_give():
    try:
        module = DynamicSourceModule(SMOOTH, no_extern_c=True)
    except FileNotFoundError:
        pytest.skip("a GPU needs a toolkit's libcudadevrt.a")
    n = 2048
    a = np.random.default_rng(5).random(n, np.float32)
    once, by_host, by_kernel = np.empty_like(a), np.empty_like(a), np.empty_like(a)
    device = cuda.to_device(a)
    b, c = cuda.mem_alloc(a.nbytes), cuda.mem_alloc(a.nbytes)
    module.get_function("smooth_twice")(c, b, device, np.int32(n), block=(32, 1, 1))
    cuda.memcpy_dtoh(by_kernel, c)
    smooth = module.get_function("smooth")
    for to, source in ((once, a), (by_host, once)):
        smooth(
            cuda.Out(to), cuda.In(source), np.int32(0), np.int32(n), block=(64, 1, 1), grid=(32, 1)
        )
    assert by_kernel.tobytes() == by_host.tobytes()
    expected = a.astype(np.float64)
    for _ in range(2):
        expected = np.convolve(np.pad(expected, 1, "edge"), [0.25, 0.5, 0.25], "valid")
    np.testing.assert_allclose(by_kernel, expected, rtol=1e-6)


def test_targets_of_a_compile():
    source = "__global__ void run(int* x) { x[threadIdx.x] += 1; }"
    assert compiler.compile(source, target="ptx").lstrip().startswith(b"//")
    assert compiler.compile(source, target="cubin")[:4] == b"\x7fELF"
    both = compiler.compile(source, target="fatbin")
    assert run(cuda.module_from_buffer(both)) == list(range(1, 9))
    plain = compiler.compile_plain('extern "C" ' + source, [], target="ptx")
    assert run(cuda.module_from_buffer(plain)) == list(range(1, 9))
    with pytest.raises(ValueError, match="'cubin', 'ptx' or 'fatbin', got 'exe'"):
        compiler.compile(source, target="exe")
    major, _, minor = compiler.get_nvcc_version().removeprefix("NVRTC ").partition(".")
    assert int(major) >= 12 and int(minor) >= 0


def test_fat_binaries_are_those_of_the_toolkit(tmp_path):
    tool = shutil.which("fatbinary") or shutil.which("fatbinary", path="/usr/local/cuda/bin")
    if tool is None:
        pytest.skip("no toolkit with its fatbinary")
    source = "__global__ void run(int* x) { x[threadIdx.x] += 1; }"
    parts = {kind: compiler.compile(source, arch="sm_75", target=kind) for kind in ("ptx", "cubin")}
    for kind, image in parts.items():
        (tmp_path / kind).write_bytes(image)
    subprocess.run(
        [tool, "-64", f"--create={tmp_path / 'both'}", "--compress=false",
         f"--image3=kind=ptx,sm=75,file={tmp_path / 'ptx'}",
         f"--image3=kind=elf,sm=75,file={tmp_path / 'cubin'}"],
        check=True,
    )  # fmt: skip
    both = (tmp_path / "both").read_bytes()
    ptx = both[96 : both.index(b"\0", both.index(b".version"))]  # the tool leaves comments out
    assert b".entry run" in ptx
    made = fat_binary(parts["cubin"], ptx, (7, 5))
    assert made == both


def test_sources_with_their_includes(tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\n#define A B\n')
    (tmp_path / "b.h").write_text("#define B 1\n")
    source = '#include "a.h"\n#include <cuda_fp16.h>\n#include <b.h>\nint x = A;\n'
    for options in ([f"-I{tmp_path}"], ["-I", str(tmp_path)], [f"--include-path={tmp_path}"]):
        text = compiler.preprocess_source(source, options)
        assert text.split("\n") == [
            "#define B 1", "", "#define A B", "", "#include <cuda_fp16.h>", "", "int x = A;", "",
        ]  # fmt: skip
    assert compiler.preprocess_source(source, []) == source


@pytest.mark.parametrize("name, capability, kind", [
    ("sm_75", (7, 5), ""), ("sm_90a", (9, 0), "a"), ("sm_100", (10, 0), ""),
    ("sm_100a", (10, 0), "a"), ("sm_103f", (10, 3), "f"), ("compute_121", (12, 1), ""),
    ("86", (8, 6), ""),
])  # fmt: skip
def test_b32_names_of_architectures(name, capability, kind):
    assert architecture.parse(name) == (capability, kind)


def test_b32_architectures_are_compared_by_number():
    runs = lambda name, capability: architecture.parse(name).runs_on(capability)  # noqa: E731
    assert runs("sm_90", (10, 0)) and runs("sm_90", (12, 1)) and not runs("sm_100", (9, 0))
    assert runs("sm_100", (10, 3)) and not runs("sm_103", (10, 0)) and not runs("sm_120", (11, 0))
    assert runs("sm_90a", (9, 0)) and not runs("sm_90a", (10, 0))
    assert runs("sm_100f", (10, 3)) and not runs("sm_100f", (11, 0))
    for wrong in ("sm_", "sm_9", "sm90", "sm_90b", "compute_7.5", ""):
        with pytest.raises(ValueError, match=rf"arch must be like .*got '{wrong}'"):
            architecture.parse(wrong)


def test_b32_code_that_the_device_does_not_run_is_warned_of():
    major, minor = cuda.Device(0).compute_capability()
    module = compiler.CudaModule()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module._check_arch(f"sm_{major}{minor}")
        module._check_arch(f"compute_{major}{minor}")
        module._check_arch(None)
    for newer in (f"sm_{major + 1}0a", f"sm_{major + 10}0"):
        with pytest.warns(UserWarning, match=rf"{newer} does not run on .* {major}.{minor}"):
            module._check_arch(newer)
    with pytest.raises(ValueError, match="'fast'"):
        SourceModule("", arch="fast")


def test_b34_a_missing_compiler_is_a_compile_error(tmp_path):
    script = (
        "import lathe.cuda.driver as cuda\nfrom lathe.cuda.compiler import SourceModule\n"
        "try: SourceModule('__global__ void f() {}')\n"
        "except cuda.CompileError as error: print('told:', error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=script_environment(
            LATHE_NVRTC=str(tmp_path / "libnvrtc.so"), LATHE_CACHE_DIR=str(tmp_path)
        ),
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "told: " in done.stdout and "NVRTC" in done.stdout


SUM = """
#include <cooperative_groups.h>
extern "C" __global__ void sum(int* x, int n) {
    auto grid = cooperative_groups::this_grid();
    for (int step = 1; step < n; step *= 2) {
        int i = grid.thread_rank();
        int other = i + step < n ? x[i + step] : 0;
        grid.sync();
        if (i < n) x[i] += other;
        grid.sync();
    }
}
"""


def test_cooperative_launches():
    if not cuda.Device(0).cooperative_launch:
        pytest.skip("no cooperative launches")
    add = SourceModule(SUM, no_extern_c=True).get_function("sum")
    x = np.arange(128, dtype=np.int32)
    memory = cuda.to_device(x)
    add(memory, np.int32(128), block=(64, 1, 1), grid=(2, 1), cooperative=True)
    assert int(cuda.from_device(memory, 1, np.int32)[0]) == x.sum()
    with pytest.raises((cuda.LogicError, cuda.LaunchError), match="cuLaunchKernelEx failed"):
        add(memory, np.int32(128), block=(64, 1, 1), grid=(1 << 20, 1), cooperative=True)


CLUSTER = """
extern "C" __global__ void who(unsigned* x) {
    unsigned rank, size;
    asm("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %cluster_nctarank;" : "=r"(size));
    x[blockIdx.x] = rank + 100 * size;
}
"""


def test_clusters():
    run_ = SourceModule("__global__ void f(unsigned* x) { x[blockIdx.x] = 1; }").get_function("f")
    memory = cuda.to_device(np.zeros(8, np.uint32))
    if not cuda.Device(0).cluster_launch:
        with pytest.raises(
            cuda.LogicError, match=r"cuLaunchKernelEx failed: .*cluster \(2, 1, 1\)"
        ):
            run_(memory, block=(1, 1, 1), grid=(8, 1), cluster=(2, 1, 1))
    else:
        who = SourceModule(CLUSTER, no_extern_c=True).get_function("who")
        who(memory, block=(1, 1, 1), grid=(8, 1), cluster=(2, 1, 1))
        found = cuda.from_device(memory, 8, np.uint32).tolist()
        assert sorted(found) == [200] * 4 + [201] * 4
        with pytest.raises(cuda.LogicError, match="cuLaunchKernelEx failed"):
            who(memory, block=(1, 1, 1), grid=(7, 1), cluster=(2, 1, 1))
    run_(memory, block=(1, 1, 1), grid=(8, 1), cluster=(1, 1, 1))
    with pytest.raises(ValueError, match="cluster must be"):
        run_(memory, block=(1, 1, 1), grid=(8, 1), cluster=(0, 1, 1))
