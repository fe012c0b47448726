# SPDX-License-Identifier: MIT
"""How sources with texture references are rewritten: what changes, what stays, where errors are."""

from __future__ import annotations

import pytest

import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule
from lathe.cuda.texture_source import DeclaredReference, restore, rewrite

F = cuda.array_format

DECLARATIONS = {
    "texture<float> t;": [DeclaredReference("t", False, F.FLOAT, 1, True)],
    "texture<float, 2, cudaReadModeElementType> t;": [
        DeclaredReference("t", False, F.FLOAT, 1, True)
    ],
    "texture < uchar4 , 2 ,\n  cudaReadModeNormalizedFloat > a , b ;": [
        DeclaredReference("a", False, F.UNSIGNED_INT8, 4, False),
        DeclaredReference("b", False, F.UNSIGNED_INT8, 4, False),
    ],
    "texture<unsigned int, cudaTextureType2DLayered, MODE> t;": [
        DeclaredReference("t", False, F.UNSIGNED_INT32, 1, None)
    ],
    "static texture<fp_tex_cdouble, 3> t;": [
        DeclaredReference("t", False, F.SIGNED_INT32, 4, True)
    ],
    "texture<T, (1 > 0) ? 2 : 1> t;": [DeclaredReference("t", False, None, 1, True)],
    "surface<void, cudaSurfaceType2D> s;": [DeclaredReference("s", True)],
    "namespace n { texture<int> t; }": [DeclaredReference("t", False, F.SIGNED_INT32, 1, True)],
    'extern "C" { texture<int> t; }': [DeclaredReference("t", False, F.SIGNED_INT32, 1, True)],
    'extern "C" texture<int> t;': [DeclaredReference("t", False, F.SIGNED_INT32, 1, True)],
    "struct S { int a; }; texture<int> t;": [
        DeclaredReference("t", False, F.SIGNED_INT32, 1, True)
    ],
    "void f() { if (1) { } } texture<int> t;": [
        DeclaredReference("t", False, F.SIGNED_INT32, 1, True)
    ],
    "/* a */ texture<char /* of */> t; // b": [
        DeclaredReference("t", False, F.SIGNED_INT8, 1, True)
    ],
}


@pytest.mark.parametrize("source", DECLARATIONS)
def test_declarations(source):
    rewritten, found = rewrite(source)
    assert found == DECLARATIONS[source]
    assert len(rewritten) == len(source) and rewritten.count("\n") == source.count("\n")
    assert restore(rewritten).split() == source.replace("static ", "").replace(
        'extern "C" texture', "texture"
    ).split()  # fmt: skip
    assert "texture<" not in rewritten and "surface<" not in rewritten


@pytest.mark.parametrize(
    "source",
    (
        "// texture<float> t;",
        "/* texture<float> t;\n texture<float> u; */",
        'const char* s = "texture<float> t;";',
        'const char* s = R"(\ntexture<float> t;)";',
        "#define TEXTURE texture<float> t;\n",
        "#define TEXTURE \\\n  texture<float> t;\n",
        "void f() { texture<float> t; }",
        "void f(texture<float> t);",
        "struct S { texture<float> t; };",
        "int texture = 3, surface = texture < 4;",
        "texture<float> t = make();",
        "my_texture<float> t;",
        "texture<float",
        "__global__ void k(float* p) { *p = 1; }",
    ),
)
def test_what_is_no_declaration_stays(source):
    assert rewrite(source) == (source, [])


def test_errors_are_where_they_were():
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule(
            "texture<float, 2> image; texture<int> other; int x = oops;\n"
            "__global__ void f(float* a) {\n    a[0] = tex2D(image, 1);\n}"
        )
    error = caught.value
    assert error.diagnostics[0].startswith("kernel.cu:1:54: error")
    assert error.diagnostics[1].startswith("kernel.cu:3:12: error")
    assert "texture<float, 2> image; texture<int> other;" in error.stderr == error.log
    assert "LATHE_T" not in str(error) + error.stderr + "".join(error.diagnostics)
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule("static texture<float> t;\n\nint x = oops;", no_extern_c=True)
    assert caught.value.diagnostics[0].startswith("kernel.cu:3:9: error")
