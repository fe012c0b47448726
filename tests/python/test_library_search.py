# SPDX-License-Identifier: MIT
"""Where libraries are looked for: NVIDIA's compiler in the interpreter's own site-packages, the
software device of an installed package beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from lathe.native import native

ROOT = Path(__file__).resolve().parents[2]

# As a new environment's python: what Lathe needs comes from this one, NVRTC does not.
PROGRAM = """
import sysconfig, sys
sys.path += [p for p in sys.argv[1].split(":") if p != sysconfig.get_path("purelib")]
from lathe.native import native
from lathe.cuda import compiler, driver
import lathe.cuda.autoprimaryctx
print(native.gpu_status()["nvrtc_path"])
compiler.SourceModule("__global__ void k(int* p) { *p = 1; }")
"""


@pytest.mark.parametrize("folder", ["nvidia/cu{}/lib", "nvidia/cuda_nvrtc/lib"])
def test_the_interpreters_own_wheels_without_an_activated_environment(tmp_path, folder):
    status = native.gpu_status()
    real = Path(status["nvrtc_path"]).resolve()
    major = status["nvrtc_version"].partition(".")[0]
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    site = next((tmp_path / "venv" / "lib").glob("python3*/site-packages"))
    wheel = site / folder.format(major)
    wheel.mkdir(parents=True)
    (wheel / f"libnvrtc.so.{major}").symlink_to(real)

    hidden = ("VIRTUAL_ENV", "CUDA_HOME", "CUDA_PATH", "LATHE_NVRTC", "LD_LIBRARY_PATH")
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {
        "LATHE_CUDA_TOOLKIT": "none",
        "LATHE_ROOT": str(tmp_path),  # whose .venv would be looked at
        "LATHE_CACHE_DIR": str(tmp_path / "cache"),
    }
    run = subprocess.run(
        [python, "-c", PROGRAM, ":".join(each for each in sys.path if each)],
        env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()) == wheel / f"libnvrtc.so.{major}"


def test_a_compiler_that_the_loader_was_not_told_of(tmp_path):
    """As a toolkit that was unpacked without ldconfig: NVRTC opens its second library by name."""
    nothing = tmp_path / "nothing"
    nothing.touch()
    hide = ["unshare", "--mount", "sh", "-c", f'mount --bind {nothing} /etc/ld.so.cache && "$@"']
    if subprocess.run([*hide, "hide", "true"], capture_output=True).returncode:
        pytest.skip("this user may not make a mount namespace")
    env = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    run = subprocess.run(
        [*hide, "hide", sys.executable, "-c", PROGRAM, ":".join(each for each in sys.path if each)],
        env=env | {"LATHE_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert Path(run.stdout.strip()) == Path(native.gpu_status()["nvrtc_path"])


@pytest.mark.skipif(not (ROOT / "CMakeLists.txt").exists(), reason="no source tree")
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_an_installed_package_looks_in_no_build_tree(tmp_path):
    """Nobody owns the path of a wheel's build tree on the machine that it is installed on."""
    options = ["-DLATHE_TESTS=OFF", "-DLATHE_PYTHON=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    for skbuild in ("ON", "OFF"):
        build = tmp_path / skbuild
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", build, f"-DSKBUILD={skbuild}", *options],
            check=True, capture_output=True, timeout=300,
        )  # fmt: skip
        commands = json.loads((build / "compile_commands.json").read_text())
        told = [each["command"] for each in commands if "LATHE_BUILD_FOLDER=" in each["command"]]
        assert len(told) == (1 if skbuild == "OFF" else 0)
        assert not any("lathe_installed_places" in command for command in told)
