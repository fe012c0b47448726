# SPDX-License-Identifier: MIT
"""Kernels of a user's own text in several forms, beside fixed operations, PyTorch and CuPy.

    python tests/benchmarks/bench_user_kernels.py [--size N] [--only elementwise,reduction,scan]

Each line is one text; each column is one form of the loop around it, in gigabytes a second (each
array that is read or written counts once). ``now`` is what the library does. Every form's result is
compared with that of ``now``. Forms:

    each        a thread for each element
    apart K     K elements a thread, a block's width apart, unrolled, pointers do not overlap
    beside K    K neighbours a thread, unrolled, pointers do not overlap and begin at whole groups
    loop K      the same by as many blocks as run at once, in a loop over the grid
    lanes K     the same, and what is only read is read before the text runs
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from peers import Calls, library, on_gpu, seconds

import lathe
from lathe.cuda import gpuarray
from lathe.cuda.c_arguments import Argument, VectorArg, dtype_to_ctype
from lathe.cuda.compiler import SourceModule
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.kernel_operands import headers_for, parse_arguments, processors
from lathe.cuda.reduction import ReductionKernel
from lathe.cuda.reduction_source import Loads, memoized_reduction
from lathe.cuda.scan import GenericScanKernel, InclusiveScanKernel
from lathe.cuda.scan_source import source_of
from lathe.cuda.scan_text import Text
from lathe.cuda.tools import get_or_register_dtype
from lathe.native import native

BLOCK = 256


@dataclass
class Case:
    """A text with its arrays; `peers` do about the same with the same traffic."""

    title: str
    arguments: str
    operation: str
    values: list[Any]
    output: Any
    peers: Calls = field(default_factory=dict)
    preamble: str = ""

    def parsed(self) -> tuple[Argument, ...]:
        return parse_arguments(self.arguments)[0]

    def vectors(self) -> list[VectorArg]:
        return [each for each in self.parsed() if isinstance(each, VectorArg)]

    def written(self) -> set[str]:
        return set(re.findall(r"(\w+)\[i\]\s*(?:=(?!=)|[-+*^]=)", self.operation))

    def bytes(self) -> int:
        arrays = [each for each in self.values if isinstance(each, gpuarray.GPUArray)]
        once = sum(each.nbytes for each in arrays)
        both = self.output.nbytes if re.search(r"x\[i\] = .*x\[i\]", self.operation) else 0
        return once + both


def report(title: str, calls: Calls, bytes_: int) -> None:
    rates = {who: bytes_ / took / 1e9 for who, took in seconds(calls, 3).items()}
    best = max((rate for who, rate in rates.items() if who.startswith("torch")), default=0.0)
    print(f"\n{title}  ({bytes_ / 1e9:.3g} GB)")
    for who, rate in rates.items():
        beside = f"  {rate / best:6.3f} of torch" if best else ""
        print(f"    {who:24}{rate:8.0f} GB/s{beside}", flush=True)


# ---- elementwise ----


def parameters(case: Case, restrict: bool, suffix: str = "_") -> tuple[str, str]:
    """The kernel's parameters, and the statements that make its names of them."""
    if not restrict:
        return ", ".join(each.declarator() for each in case.parsed()), ""
    declared, made = [], ""
    for each in case.parsed():
        if not isinstance(each, VectorArg):
            declared.append(each.declarator())
            continue
        const = "" if each.name in case.written() else "const "
        ctype = f"{const}{dtype_to_ctype(each.dtype)}"
        declared.append(f"{ctype}* __restrict__ {each.name}{suffix}")
        if suffix:
            made += (
                f"    {ctype}* const {each.name} = "
                f"({ctype}*)__builtin_assume_aligned({each.name}_, {16});\n"
            )
    return ", ".join(declared), made


def each_text(case: Case) -> str:
    declared, _ = parameters(case, False)
    return f"""extern "C" __global__ void __launch_bounds__({BLOCK}) form({declared}, size_t n) {{
    const size_t i = (size_t)blockIdx.x * {BLOCK} + threadIdx.x;
    if (i < n) {{ {case.operation}; }}
}}"""


def apart_text(case: Case, many: int) -> str:
    declared, _ = parameters(case, True, "")
    return f"""extern "C" __global__ void __launch_bounds__({BLOCK}) form({declared}, size_t n) {{
    const size_t first = (size_t)blockIdx.x * {BLOCK * many} + threadIdx.x;
    if ((size_t)(blockIdx.x + 1) * {BLOCK * many} <= n) {{
        #pragma unroll
        for (int k = 0; k < {many}; ++k) {{
            const size_t i = first + k * {BLOCK};
            {case.operation};
        }}
    }} else {{
        for (size_t i = first; i < n; i += {BLOCK}) {{ {case.operation}; }}
    }}
}}"""


def beside_text(case: Case, many: int, loop: bool, lanes: bool) -> str:
    declared, made = parameters(case, True)
    before = ""
    if lanes:
        for each in case.vectors():
            if each.name in case.written() or f"{each.name}[i]" not in case.operation:
                continue
            ctype = dtype_to_ctype(each.dtype)
            before += (
                f"const Group<{ctype}> {each.name}_group = ((const Group<{ctype}>*){each.name})"
                f"[begin / {many}]; const Lanes<{ctype}> {each.name}{{{each.name}_group, begin}};\n"
            )
    again = f"begin += (size_t)gridDim.x * {BLOCK * many}"
    head = f"for (; begin + {many} <= n; {again})" if loop else f"if (begin + {many} <= n)"
    return f"""
template <class T> struct __align__(sizeof(T) * {many} < 16 ? sizeof(T) * {many} : 16) Group {{
    T of[{many}];
}};
template <class T> struct Lanes {{
    const Group<T>& group;
    size_t begin;
    __device__ __forceinline__ const T& operator[](size_t at) const {{
        return group.of[at - begin];
    }}
}};
extern "C" __global__ void __launch_bounds__({BLOCK}) form({declared}, size_t n) {{
{made}
    size_t begin = ((size_t)blockIdx.x * {BLOCK} + threadIdx.x) * {many};
    {head} {{
        {before}
        #pragma unroll
        for (int k = 0; k < {many}; ++k) {{
            const size_t i = begin + k;
            {case.operation};
        }}
        {"" if loop else "return;"}
    }}
    for (size_t i = begin; i < n && i < begin + {many}; ++i) {{ {case.operation}; }}
}}"""


def launcher(
    case: Case, text: str, count: int, elements: int, blocks: int = 0
) -> Callable[[], object]:
    """A launch of a form's kernel, `elements` to a block."""
    source = headers_for(case.preamble, case.operation, text) + case.preamble + text
    kernel = SourceModule(source, no_extern_c=True).get_function("form")
    kernel.prepare("".join(each.struct_char for each in case.parsed()) + "Q")
    grid = (min(-(-count // elements), blocks or 1 << 31), 1)
    given = [each.gpudata if hasattr(each, "gpudata") else each for each in case.values]
    return lambda: kernel.prepared_call(grid, (BLOCK, 1, 1), *given, count)


def forms(case: Case, count: int, few: bool) -> Iterator[tuple[str, Callable[[], object]]]:
    largest = max(each.dtype.itemsize for each in case.vectors())
    group = max(16 // largest, 1)
    yield "each", launcher(case, each_text(case), count, BLOCK)
    for many in (2, 4) if few else (2, 4, 8):
        yield f"apart {many}", launcher(case, apart_text(case, many), count, BLOCK * many)
    beside = {group, max(group // 2, 1), min(2 * group, 16)} - {1}
    for many in sorted({group} if few and group > 1 else beside):
        text = beside_text(case, many, False, False)
        yield f"beside {many}", launcher(case, text, count, BLOCK * many)
    if group > 1:
        text = beside_text(case, group, True, False)
        most = processors() * 8
        yield f"loop {group}", launcher(case, text, count, BLOCK * group, most)
        if re.search(r"\w\[(?!i\])", case.operation):
            return  # only what is read at the index itself can be read before
        text = beside_text(case, group, False, True)
        yield f"lanes {group}", launcher(case, text, count, BLOCK * group)


def run_case(case: Case, few: bool = True) -> None:
    own = ElementwiseKernel(case.arguments, case.operation, preamble=case.preamble)
    count = case.output.size
    in_place = "x[i] = " in case.operation
    if not in_place:
        case.output.fill(0)
    own(*case.values)
    calls: Calls = {"now": lambda: own(*case.values)}
    expected = None if in_place else case.output.copy()
    for name, call in forms(case, count, few):
        if expected is not None:
            case.output.fill(0)
            call()
            if not (case.output.get()[-5000:] == expected.get()[-5000:]).all():
                print(f"{case.title}: {name} computes something else")
        calls[name] = call
    calls.update(case.peers)
    report(f"{case.title}: {case.operation}", calls, case.bytes())


def elementwise(size: int) -> None:
    rng = np.random.default_rng(0)
    hosts = [rng.random(size, dtype=np.float32) for _ in range(3)]
    x, y, w = map(gpuarray.to_gpu, hosts)
    z = gpuarray.empty_like(x)
    a, b = np.float32(2), np.float32(3)
    torch, cupy = (library(each) if on_gpu() else None for each in ("torch", "cupy"))
    fused = lathe.fuse(lambda a, b: 2 * a + 3 * b)
    peers: dict[str, Calls] = {name: {} for name in ("axpby", "max", "scale", "sin", "copy")}
    peers["axpby"] = {"mul_add": lambda: x.mul_add(2, y, 3, out=z), "fused": lambda: fused(x, y)}
    if torch:
        t, u, r = (torch.as_tensor(each, device="cuda") for each in hosts)
        peers["axpby"]["torch"] = lambda: torch.add(t, u, alpha=3, out=r)
        peers["max"]["torch maximum"] = lambda: torch.maximum(t, u, out=r)
        peers["scale"]["torch mul_"] = lambda: t.mul_(1.0)
        peers["sin"]["torch"] = lambda: torch.sin(t, out=r)
        peers["copy"]["torch"] = lambda: r.copy_(t)
    if cupy:
        c, d = cupy.asarray(hosts[0]), cupy.asarray(hosts[1])
        e = cupy.empty_like(c)
        theirs = cupy.ElementwiseKernel(
            "float32 a, float32 x, float32 b, float32 y", "float32 z", "z = a * x + b * y"
        )
        peers["axpby"]["cupy kernel"] = lambda: theirs(a, c, b, d, e)
    one = "float *z, const float *x, const float *y"
    run_case(
        Case("axpby", "float *z, float a, const float *x, float b, const float *y",
             "z[i] = a * x[i] + b * y[i]", [z, a, x, b, y], z, peers["axpby"]), few=False,
    )  # fmt: skip
    run_case(Case("copy", "float *z, const float *x", "z[i] = x[i]", [z, x], z, peers["copy"]))
    run_case(
        Case("in place", "float *x, float a", "x[i] = a * x[i]", [x, np.float32(1)], x,
             peers["scale"])
    )  # fmt: skip
    run_case(
        Case("two ways", one, "if (x[i] > y[i]) z[i] = x[i]; else z[i] = 2 * y[i]", [z, x, y], z,
             peers["max"])
    )  # fmt: skip
    run_case(Case("some only", one, "if (x[i] > 0.9f) z[i] = y[i]", [z, x, y], z))
    run_case(Case("neighbours", one, "z[i] = x[i] + x[i ? i - 1 : 0] + y[i]", [z, x, y], z))
    run_case(
        Case("three inputs", one + ", const float *w", "z[i] = x[i] + y[i] * w[i]", [z, x, y, w], z)
    )
    run_case(Case("sine", "float *z, const float *x", "z[i] = sinf(x[i])", [z, x], z, peers["sin"]))
    run_case(
        Case("loop of 30", "float *z, const float *x",
             "float v = x[i]; for (int k = 0; k < 30; ++k) v = v * v + 0.1f; z[i] = v", [z, x], z)
    )  # fmt: skip
    for dtype in (np.float64, np.complex64, np.float16, np.uint8):
        other(dtype, size * 4 // np.dtype(dtype).itemsize, torch)


def other(dtype: Any, size: int, torch: Any) -> None:
    """The same of another type."""
    kind = np.dtype(dtype)
    host = np.resize(np.arange(100, dtype=np.uint8).astype(kind), size)
    x, y = gpuarray.to_gpu(host), gpuarray.to_gpu(host)
    z = gpuarray.empty_like(x)
    ctype = dtype_to_ctype(kind)
    peers: Calls = {"a + b": lambda: native.apply("add", x, y, out=z)}
    if torch:
        t, u = torch.as_tensor(host, device="cuda"), torch.as_tensor(host, device="cuda")
        r = torch.empty_like(t)
        peers["torch a + b"] = lambda: torch.add(t, u, out=r)
    run_case(
        Case(kind.name, f"{ctype} *z, const {ctype} *x, const {ctype} *y", "z[i] = x[i] + y[i]",
             [z, x, y], z, peers), few=kind.itemsize >= 4,
    )  # fmt: skip


# ---- reductions ----


@dataclass
class Reduce:
    title: str
    ctype: str
    dtype: Any
    neutral: str
    reduce_expr: str
    map_expr: str
    arguments: str
    values: list[Any]
    peers: Calls
    preamble: str = ""


def reduction_call(
    case: Reduce, block: int, group: int, groups: int, most: int
) -> Callable[[], Any]:
    parsed = parse_arguments(case.arguments)[0]
    values = tuple(k for k, each in enumerate(parsed) if isinstance(each, VectorArg))
    loads = Loads(values if group > 1 else (), group, groups)
    kernel = memoized_reduction(
        case.ctype, block, case.neutral, case.reduce_expr, case.map_expr, parsed, "form", None,
        case.preamble, loads, group > 1,
    )  # fmt: skip
    count = next(each for each in case.values if hasattr(each, "size")).size
    run = block * group * groups
    rounds = max(-(-count // run), 1)
    part = -(-rounds // most) * run
    parts = max(-(-count // part), 1)
    given = [each.gpudata if hasattr(each, "gpudata") else each for each in case.values]

    def call() -> Any:
        out = gpuarray.GPUArray((), case.dtype)
        tickets, states = native.reduction_scratch(parts * out.dtype.itemsize, None)
        kernel.prepared_async_call(
            (parts, 1), (block, 1, 1), None, out.gpudata, *given, 0, count, part, tickets, states
        )
        return out

    return call


def reduction(size: int) -> None:
    rng = np.random.default_rng(1)
    hosts = [rng.random(size, dtype=np.float32) for _ in "xy"]
    x, y = map(gpuarray.to_gpu, hosts)
    torch = library("torch") if on_gpu() else None
    cupy = library("cupy") if on_gpu() else None
    sums: Calls = {"sum()": lambda: x.sum()}
    dots: Calls = {"dot()": lambda: gpuarray.dot(x, y)}
    fused = lathe.fuse(lambda a, b: ((a - b) * (a - b)).sum())
    squares: Calls = {"fused": lambda: fused(x, y)}
    if torch:
        t, u = (torch.as_tensor(each, device="cuda") for each in hosts)
        sums["torch"] = lambda: t.sum()
        dots["torch"] = lambda: torch.dot(t, u)
    if cupy:
        c, d = map(cupy.asarray, hosts)
        theirs = cupy.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
        dots["cupy kernel"] = lambda: theirs(c, d)
    two = "const float *x, const float *y"
    extremes = (
        "struct MinMax { float least, most; __device__ MinMax() {} "
        "__device__ MinMax(float l, float m) : least(l), most(m) {} };\n"
        "__device__ MinMax joined(MinMax a, MinMax b) "
        "{ return MinMax(fminf(a.least, b.least), fmaxf(a.most, b.most)); }\n"
    )
    kind = np.dtype([("least", np.float32), ("most", np.float32)])
    get_or_register_dtype("MinMax", kind)
    cases = [
        Reduce("sum", "float", np.float32, "0", "a + b", "x[i]", "const float *x", [x], sums),
        Reduce("dot", "float", np.float32, "0", "a + b", "x[i] * y[i]", two, [x, y], dots),
        Reduce("squares", "float", np.float32, "0", "a + b", "(x[i] - y[i]) * (x[i] - y[i])", two,
               [x, y], squares),
        Reduce("extremes", "MinMax", kind, "MinMax(1e30f, -1e30f)", "joined(a, b)",
               "MinMax(x[i], x[i])", "const float *x", [x], {}, extremes),
    ]  # fmt: skip
    for case in cases:
        own = ReductionKernel(
            case.dtype, case.neutral, case.reduce_expr, case.map_expr, case.arguments,
            preamble=case.preamble,
        )  # fmt: skip
        expected = own(*case.values).get()
        calls: Calls = {"now": lambda own=own, case=case: own(*case.values)}  # type: ignore[misc]
        eight = processors() * 8
        for group, groups, most in [
            (1, 8, 1024), (1, 16, 1024), (1, 32, 1024), (4, 2, 1024), (4, 4, 1024), (4, 8, 1024),
            (4, 4, eight), (4, 4, 2 * eight),
        ]:  # fmt: skip
            call = reduction_call(case, BLOCK, group, groups, most)
            got = call().get()
            close = np.allclose(got.tolist(), expected.tolist(), rtol=1e-3)
            if not close:
                print(f"{case.title} {group} {groups}: {got}, not {expected}")
            calls[f"{group} x {groups}, {most} blocks"] = call
        calls.update(case.peers)
        arrays = [each for each in case.values if isinstance(each, gpuarray.GPUArray)]
        report(f"reduction {case.title}", calls, sum(each.nbytes for each in arrays))


# ---- scans ----


def vector_scan_source(text: Text, vector: int, restrict: bool) -> str:
    """The general scan's source with `vector` neighbours a thread."""
    _, rows = native.scan_shape(text.dtype.itemsize, vector)
    source = source_of(text)
    source = re.sub(r"kVector = 1, kRows = \d+", f"kVector = {vector}, kRows = {rows}", source)
    source = source.replace(
        "v[0] = read_one(at);",
        'const index_type from = (index_type)(at & -(long long)kVector); _Pragma("unroll") '
        "for (int j = 0; j < kVector; ++j) v[j] = input_of(from + j); "
        'asm volatile("");',  # else these loads become one with those of the last tile, by selects
    )
    source = source.replace(
        "write_one(at, v[0], before, first);",
        'const index_type from = (index_type)(at & -(long long)kVector); _Pragma("unroll") '
        "for (int j = 0; j < kVector; ++j) put(from + j, v[j], j ? v[j ? j - 1 : 0] : "
        "first ? (scan_type)(0) : before, v[j]);",
    )
    begin, kernel = source.split('extern "C" __global__', 1)
    for each in text.arguments:
        if isinstance(each, VectorArg):
            own = f"{each.declarator()}, "
            word = "__restrict__ " if restrict else ""
            kernel = kernel.replace(own, own.replace("*", "* " + word), 1)
            kernel = kernel.replace(
                f"lathe_form.{each.name} = {each.name};",
                f"lathe_form.{each.name} = ({dtype_to_ctype(each.dtype)}*)"
                f"__builtin_assume_aligned({each.name}, 16);",
            )
    return begin + 'extern "C" __global__' + kernel


def scan_call(text: Text, values: list[Any], vector: int, restrict: bool) -> Callable[[], object]:
    source = vector_scan_source(text, vector, restrict)
    kernel = SourceModule(source, no_extern_c=True).get_function("scan")
    count = values[0].size
    threads, rows = native.scan_shape(text.dtype.itemsize, vector)
    size, *numbers = native.scan_memory(count, threads * vector * rows, text.dtype.itemsize)
    kernel.prepare("".join(each.struct_char for each in text.arguments) + "qPPII")
    given = [each.gpudata if hasattr(each, "gpudata") else each for each in values]

    def call() -> None:
        state = gpuarray.GPUArray(size, np.uint8)
        lathe.cuda.driver.memset_d8_async(int(state.ptr), 0, size, None)
        kernel.prepared_call(
            (numbers[0], 1), (threads, 1, 1), *given, count, 0, state.gpudata, *numbers
        )

    return call


def scan(size: int) -> None:
    # Sums that every order of additions has the same bits for.
    host = (np.random.default_rng(2).random(size, dtype=np.float32) < 1 / 64).astype(np.float32)
    x, w = gpuarray.to_gpu(host), gpuarray.to_gpu(host)
    y = gpuarray.empty_like(x)
    inclusive = InclusiveScanKernel(np.float32, "a+b")
    peers: Calls = {"cumsum": lambda: x.cumsum(), "InclusiveScan": lambda: inclusive(x, y)}
    if on_gpu() and (torch := library("torch")):
        t = torch.as_tensor(host, device="cuda")
        peers["torch"] = lambda: torch.cumsum(t, 0)
    index = np.dtype(np.int32)
    for title, arguments, values, input_expr, statement in [
        ("scan", "float *x, float *y", [x, y], "x[i]", "y[i] = item"),
        ("scan of a product", "float *x, float *y, float *w", [x, y, w], "x[i] * w[i]",
         "y[i] = item"),
        ("scan with a sum", "float *x, float *y, float *w", [x, y, w], "x[i]",
         "y[i] = prev_item + w[i]"),
    ]:  # fmt: skip
        own = GenericScanKernel(np.float32, arguments, input_expr, "a + b", "0", statement)
        parsed = parse_arguments(arguments)[0]
        text = Text(np.dtype(np.float32), parsed, input_expr, "a + b", "0", statement, None, (),
                    index, "")  # fmt: skip
        own(*values)
        expected = y.get()[-5000:]
        calls: Calls = {"now": lambda own=own, values=values: own(*values)}  # type: ignore[misc]
        for vector in (1, 2, 4, 8):
            for restrict in (False, True):
                call = scan_call(text, values, vector, restrict)
                y.fill(0)
                call()
                if not (y.get()[-5000:] == expected).all():
                    print(f"{title} {vector}: something else")
                calls[f"vector {vector}{' restrict' if restrict else ''}"] = call
        if title == "scan":
            calls.update(peers)
        report(title, calls, sum(each.nbytes for each in values))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=1 << 28 if on_gpu() else 1 << 20)
    parser.add_argument("--only", default="elementwise,reduction,scan")
    given = parser.parse_args()
    for part in given.only.split(","):
        {"elementwise": elementwise, "reduction": reduction, "scan": scan}[part](given.size)
