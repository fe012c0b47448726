# SPDX-License-Identifier: MIT
"""The tools that hold the tree's rules see a planted violation and let its innocent twin pass.

That the tree itself keeps them is what tools/presubmit shows, in ./test.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> ModuleType:
    loader = SourceFileLoader(name, str(ROOT / "tools" / name))
    spec = spec_from_loader(name, loader)
    assert spec
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def plant(root: Path, files: dict[str, str]) -> list[str]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return list(files)


class TestFormat:
    check = tool("check_format")

    def test_clang_format(self, tmp_path):
        shutil.copy(ROOT / ".clang-format", tmp_path)
        paths = plant(
            tmp_path,
            {
                "gl/bad.cpp": "int  one( ) { return 1; }\n",
                "gl/good.cpp": "int one() { return 1; }\n",
                "gl/table.inc": "int  one( ) { return 1; }\n",
            },
        )
        found = self.check.differences(tmp_path, paths, self.check.clang_format(ROOT))
        assert found and all(line.startswith("gl/bad.cpp:1:") for line in found)

    @pytest.mark.parametrize("path", ["gl/a.cpp", "gpu/a.cu", "a.py", "a.inc", "a/CMakeLists.txt"])
    def test_width_is_counted_in_characters(self, tmp_path, path):
        plant(tmp_path, {path: "é" * 100 + "\n"})
        assert self.check.long_lines(tmp_path, [path]) == []
        plant(tmp_path, {path: "short\n" + "é" * 101 + "\n"})
        assert self.check.long_lines(tmp_path, [path]) == [
            f"{path}:2: 101 columns, 100 are allowed"
        ]

    def test_width_of_scripts_but_not_of_data(self, tmp_path):
        long = "x" * 120
        plant(tmp_path, {"tool": f"#!/bin/sh\n# {long}\n", "data": long, "rows.csv": long})
        found = self.check.long_lines(tmp_path, ["tool", "data", "rows.csv"])
        assert found == ["tool:2: 122 columns, 100 are allowed"]


class TestHeaders:
    check = tool("check_headers")
    commands = {"": ["c++", "-std=c++20", "-I."]}  # noqa: RUF012

    def test_one_that_needs_another(self, tmp_path):
        headers = plant(
            tmp_path,
            {
                "point.h": "#pragma once\nstruct Point { int x; };\n",
                "needs.h": "#pragma once\ninline int x_of(Point p) { return p.x; }\n",
                "alone.h": '#pragma once\n#include "point.h"\ninline int x_of(Point p);\n',
                "twice.h": "struct Twice {};\n",
            },
        )
        found, _ = self.check.check(tmp_path, headers, self.commands)
        assert sorted(text.split(":")[0] for text in found) == ["needs.h", "twice.h"]

    def test_compiles_again_what_changed(self, tmp_path):
        headers = plant(
            tmp_path,
            {
                "point.h": "#pragma once\nstruct Point { int x; };\n",
                "line.h": '#pragma once\n#include "point.h"\nstruct Line { Point a, b; };\n',
                "other.h": "#pragma once\nstruct Other {};\n",
            },
        )
        assert self.check.check(tmp_path, headers, self.commands) == ([], 3)
        assert self.check.check(tmp_path, headers, self.commands) == ([], 0)
        self.check.digest.cache_clear()
        plant(tmp_path, {"point.h": "#pragma once\n"})
        found, compiled = self.check.check(tmp_path, headers, self.commands)
        assert compiled == 2 and [text.split(":")[0] for text in found] == ["line.h"]
        assert self.check.check(tmp_path, headers, {"": ["c++", "-I.", "-DX"]})[1] == 3

    def test_one_that_another_begins_with(self, tmp_path):
        """The other's compile shows it, if that is good."""
        files = {
            "a.h": '#pragma once\n#include "b.h"\nstruct A {};\n',
            "b.h": '#pragma once\n#include "c.h"\nstruct B {};\n',
            "c.h": "#pragma once\nstruct C {};\n",
        }
        flags = self.commands[""]
        texts = self.check.Texts(tmp_path)
        wanted = dict.fromkeys(plant(tmp_path, files), flags)
        assert self.check.proofs(wanted, texts) == dict.fromkeys(files, "a.h")
        wanted["a.h"] = [*flags, "-DX"]
        assert self.check.proofs(wanted, texts) == {"a.h": "a.h", "b.h": "b.h", "c.h": "b.h"}
        plant(tmp_path, {"a.h": '#pragma once\n#include "b.h"\nUnknown a;\n'})
        found, _ = self.check.check(tmp_path, list(files), self.commands)
        assert [text.split(":")[0] for text in found] == ["a.h"]
        plant(tmp_path, {"c.h": "#pragma once\nUnknown c;\n"})
        self.check.digest.cache_clear()
        found, _ = self.check.check(tmp_path, list(files), self.commands)
        assert [text.split(":")[0] for text in found] == ["a.h", "b.h", "c.h"]

    def test_headers_in_a_circle_are_compiled_each(self, tmp_path):
        files = {f"{a}.h": f'#pragma once\n#include "{b}.h"\n' for a, b in ("xy", "yx")}
        wanted = dict.fromkeys(plant(tmp_path, files), self.commands[""])
        proofs = self.check.proofs(wanted, self.check.Texts(tmp_path))
        assert proofs == {"x.h": "x.h", "y.h": "y.h"}

    def test_hubs(self, tmp_path, monkeypatch):
        """What a precompiled header has is read, too, and hides nothing that is not included."""
        monkeypatch.setattr(self.check, "HUBS", (("hub.h",),))
        users = {f"user{at}.h": '#pragma once\n#include "hub.h"\nHub h();\n' for at in range(4)}
        files = {
            **users,
            "hub.h": '#pragma once\n#include "base.h"\nstruct Hub : Base {};\n',
            "base.h": "#pragma once\nstruct Base {};\n",
            "no_user.h": "#pragma once\nHub g();\n",
        }
        headers = plant(tmp_path, files)
        found, _ = self.check.check(tmp_path, headers, self.commands)
        assert [text.split(":")[0] for text in found] == ["no_user.h"]
        known = json.loads((tmp_path / self.check.KNOWN).read_text())
        assert known["user1.h"][1] == ["base.h", "hub.h", "user1.h"]

    def test_folders_of_sources_that_are_compiled_as_one(self):
        unit = "build/gpu/soft/jit/CMakeFiles/lathe_soft_jit.dir/Unity/unity_2_cxx.cxx"
        assert self.check.folder_of(unit) == "gpu/soft/jit"
        assert self.check.folder_of("build/CMakeFiles/a.dir/Unity/unity_0_cxx.cxx") == ""
        assert self.check.folder_of("gpu/soft/jit/orc.cpp") == "gpu/soft/jit"

    def test_flags_are_those_of_cpp(self, tmp_path):
        (tmp_path / "build").mkdir()
        entries = [
            {"file": str(tmp_path / name), "command": f"{compiler} -c {name}"}
            for name, compiler in (
                ("gl/a.S", "cc"),
                ("gl/b.c", "cc"),
                ("gl/c.cpp", "c++"),
                ("build/CMakeFiles/a.dir/cmake_pch.hxx.cxx", "c++ -DPRECOMPILED"),
            )
        ]
        (tmp_path / self.check.COMMANDS).write_text(json.dumps(entries))
        assert self.check.commands_by_folder(tmp_path) == {"gl": ["c++", "-Werror"]}

    def test_a_build_without_tests(self, tmp_path):
        commands = {"gl": self.commands[""]}
        plant(tmp_path, {"gl/a.h": "#pragma once\n", "tests/gl/b.h": "no C++"})
        assert self.check.flags_for("tests/gl/b.h", commands) is None
        assert self.check.check(tmp_path, ["gl/a.h", "tests/gl/b.h"], commands) == ([], 1)

    def test_flags_without_precompiled_headers(self):
        command = "c++ -DA -I/x -O3 -std=c++20 -Winvalid-pch -include /b/pch.hxx -o a.o -c a.cpp"
        assert self.check.flags_of(command) == ["c++", "-DA", "-I/x", "-std=c++20", "-Werror"]


class TestLayers:
    check = tool("check_layers")

    @pytest.fixture(autouse=True)
    def no_standing_circles(self, monkeypatch):
        monkeypatch.setattr(self.check, "STANDING", {})

    @pytest.mark.parametrize(
        ("path", "target"),
        [
            ("gl/buffer.h", "gpu/stream.h"),  # layers
            ("gpu/soft/rt/launch.h", "gpu/soft/jit/compiler.h"),  # folders of one layer
            ("gpu/stream.cpp", "gpu/array/array.h"),
            ("gpu/stream.cpp", "gpu/soft/rt/launch.h"),  # what is private
            ("gpu/stream.cpp", "tests/gpu/device_test.h"),
            ("engine/core/error.h", "Python.h"),
        ],
    )
    def test_includes(self, tmp_path, path, target):
        line = f'#include "{target}"'
        plant(tmp_path, {path: f'#pragma once\n#include "engine/core/log.h"\n{line}\n'})
        assert [text.split(": ")[0] for text in self.check.check(tmp_path)] == [f"{path}:3"]

    def test_includes_that_go_down(self, tmp_path):
        lines = ["engine/core/log.h", "gpu/stream.h", "gpu/soft/soft_api.h", "cuda.h", "vector"]
        plant(tmp_path, {"gpu/array/a.h": "".join(f'#include "{each}"\n' for each in lines)})
        assert self.check.check(tmp_path) == []

    @pytest.mark.parametrize(
        "line",
        [
            "from lathe import linalg",
            "import lathe.linalg",
            "from lathe.linalg import products",
            "from lathe.linalg.products import matmul as times",
            "from ..linalg import matmul",
            "def f():\n    from lathe import linalg",
        ],
    )
    def test_imports(self, tmp_path, line):
        files = {"lathe/__init__": "", "lathe/linalg/__init__": "", "lathe/linalg/products": ""}
        plant(tmp_path, {f"python/{name}.py": text for name, text in files.items()})
        plant(tmp_path, {"python/lathe/array/__init__.py": "", "python/lathe/array/a.py": line})
        at = line.count("\n") + 1
        found = self.check.check(tmp_path)
        assert [text.split(": ")[0] for text in found] == [f"python/lathe/array/a.py:{at}"]

    def test_imports_that_go_down(self, tmp_path):
        text = (
            "from typing import TYPE_CHECKING\nimport lathe\nimport numpy as np\n"
            "from lathe.native import native\nfrom lathe.array import gpu_array\n"
            "if TYPE_CHECKING:\n    from lathe.linalg import products\n"
        )
        names = ("__init__", "native", "linalg/__init__", "linalg/products", "array/gpu_array")
        plant(tmp_path, {f"python/lathe/{name}.py": "" for name in names})
        plant(tmp_path, {"python/lathe/array/a.py": text})
        assert self.check.check(tmp_path) == []

    def test_modules_that_are_imported_by_name(self, tmp_path):
        plant(tmp_path, {"python/lathe/__init__.py": "", "python/lathe/array/creation.py": ""})
        text = 'py::module_::import("lathe.array.creation");\npy::module_::import("lathe.gone");\n'
        plant(tmp_path, {"python/bind/a.cpp": text})
        found = self.check.check(tmp_path)
        assert found == ["python/bind/a.cpp:2: there is no module lathe.gone"]

    def test_a_table_with_a_circle(self, monkeypatch):
        assert self.check.circles() == []
        monkeypatch.setitem(self.check.ALLOWED, "gl", ("engine/app",))
        assert "gl -> " in self.check.circles()[0]

    def test_an_exception_that_is_no_longer_needed(self, tmp_path, monkeypatch):
        monkeypatch.setattr(self.check, "STANDING", {("gpu", "gpu/array"): "a reason"})
        assert "gpu -> gpu/array is gone" in self.check.check(tmp_path)[0]
        plant(tmp_path, {"gpu/stream.cpp": '#include "gpu/array/array.h"\n'})
        assert self.check.check(tmp_path) == []


class TestRunTests:
    """A test is left out only when it passed with what it depends on as it is."""

    runner = tool("run_tests")

    @pytest.fixture
    def kind(self, tmp_path, monkeypatch):
        """Tests a and b, whose runs are in `ran` and whose failures are in `failing`."""
        states, failing, ran = {"a": "1", "b": "1"}, set(), []

        def run(names):
            ran.append(names)
            return failing & set(names)

        monkeypatch.setattr(self.runner, "PASSED", tmp_path / "passed.json")
        monkeypatch.setattr(
            self.runner, "kinds", lambda: [self.runner.Kind("tests", dict(states), run)]
        )
        return states, failing, ran

    def test_what_passed_is_left_out_until_it_changes(self, kind, capsys):
        states, _, ran = kind
        assert self.runner.main([]) == 0
        assert self.runner.main([]) == 0
        states["b"] = "2"
        assert self.runner.main([]) == 0
        assert ran == [["a", "b"], ["b"]]
        assert "1 passed, 0 failed, 1 unchanged since" in capsys.readouterr().out
        assert self.runner.main(["--again"]) == 0
        assert ran[2:] == [["a", "b"]]

    def test_what_failed_runs_again(self, kind):
        _, failing, ran = kind
        failing.add("a")
        assert self.runner.main([]) == 1
        assert self.runner.main([]) == 1
        failing.clear()
        assert self.runner.main([]) == 0
        assert self.runner.main([]) == 0
        assert ran == [["a", "b"], ["a"], ["a"]]

    def test_a_failure_that_was_passed_before(self, kind):
        """What is run with --again and fails has not passed."""
        _, failing, ran = kind
        assert self.runner.main([]) == 0
        failing.add("b")
        assert self.runner.main(["--again"]) == 1
        assert self.runner.main([]) == 1
        assert ran == [["a", "b"], ["a", "b"], ["b"]]

    def test_reports(self, tmp_path):
        report = tmp_path / "report.xml"
        report.write_text(
            '<testsuites><testsuite><testcase name="good"/><testcase name="bad"><failure/>'
            '</testcase><testcase name="worse"><error/></testcase><testcase name="left out">'
            "<skipped/></testcase></testsuite></testsuites>"
        )
        assert self.runner.failed_in(report, lambda c: c.get("name")) == {"bad", "worse"}

    def test_every_test_file_is_known(self):
        files = [n for n in self.runner.our_files() if Path(n).name.startswith("test_")]
        scripts = {n for n in files if n.endswith(".py")}
        assert {n for n in scripts if not self.runner.is_test_file(n)} == set()


@pytest.mark.parametrize("werror", ["ON", "OFF"])
def test_warnings_end_the_build(tmp_path, werror):
    plant(
        tmp_path,
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(rules CXX)\n"
            f"list(APPEND CMAKE_MODULE_PATH {ROOT}/cmake)\ninclude(options)\n"
            "add_library(rules bad.cpp)\ntarget_link_libraries(rules PRIVATE lathe::options)\n",
            "bad.cpp": "int one(int unused) { return 1; }\n",
        },
    )
    configure = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DLATHE_WERROR={werror}"]
    subprocess.run(configure, check=True, capture_output=True)
    build = ["cmake", "--build", tmp_path / "build"]
    done = subprocess.run(build, capture_output=True, text=True)
    assert (done.returncode != 0) == (werror == "ON")
    assert "unused-parameter" in done.stdout + done.stderr
