# SPDX-License-Identifier: MIT
"""The command lathe: what a user's mistakes get, and what the reports say."""

from __future__ import annotations

import datetime
import fcntl
import io
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import termios
import threading
import time
import tomllib

import pytest
from conftest import ROOT, script_environment

from lathe.cli import doctor
from lathe.cli.messages import UserError
from lathe.cli.tables import Table, as_markdown, as_text, percentile, where_and_when
from lathe.progress import Progress


def lathe(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "lathe", *arguments],
        capture_output=True, text=True, env=script_environment(**environment), timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "gray_scot"], "did you mean gray_scott?"),
        (["run", "nothing.py"], "there is no file nothing.py"),
        (["run", "gray_scott", "--size", "0x0"], "--size 0x0 is impossible"),
        (["run", "gray_scott", "--size", "100000x100000"], "16 to 16384 pixels"),
        (["run", "gray_scott", "--size", "large"], "is not WIDTHxHEIGHT"),
        (["run", "gray_scott", "--frames", "-1"], "--frames"),
        (["run", "gray_scott", "--frames", "zero"], "--frames zero"),
        (["run", "gray_scott", "--set", "feed"], "is not NAME=VALUE"),
        (["run", "gray_scott", "--frames", "1", "--set", "fed=1"], "no parameter is named 'fed'"),
        (["run", "gray_scott", "--frames", "1", "--set", "feed=much"], "expected a number"),
        (["run", "gray_scott", "--frames", "1", "--set", "pattern=omega"], "expected one of theta"),
        (["run", "gray_scott", "--frames", "1", "--out", "/dev/null"], "--out /dev/null"),
        (["run", "gray_scott", "--device", "quantum"], "--device"),
        (["run", "gray_scott", "--frames", "1", "--set", "diffusion_u=0.5"], "has no effect"),
        (["run", "ripples", "--frames", "1", "--set", "mouse_x=5"], "no parameter is named"),
        (["run", "/tmp"], "/tmp is a folder; name a .py or .cu file"),
        (["run", "README.md"], "neither a .py nor a .cu file"),
        (["run", "nbody", "--check", "--set", "moons=2"], "no such setting"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_a_mistake_gets_one_message(arguments, words, tmp_path):
    if "--frames" in arguments and "--out" not in arguments:
        arguments = [*arguments, "--out", str(tmp_path)]
    done = lathe(*arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("lathe: ")


@pytest.mark.software
@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("LATHE_NVRTC", "NVRTC"),
        ("LATHE_EGL_LIBRARY", "EGL"),
        ("LATHE_SOFT_LIBRARY", "software CUDA device"),
    ],
)
def test_what_is_missing_is_named_with_what_brings_it(variable, words, tmp_path):
    done = lathe(
        "run", "gray_scott", "--frames", "1", "--out", str(tmp_path),
        **{variable: "/nonexistent", "LATHE_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert any(tool in done.stderr for tool in ("apt-get", "pip install", "tools/"))


def test_unreadable_files(tmp_path):
    folder = tmp_path / "folder.py"
    folder.mkdir()
    assert "is a folder" in lathe("run", str(folder)).stderr
    binary = tmp_path / "binary.cu"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    done = lathe("run", str(binary))
    assert (done.returncode, "it is not text" in done.stderr) == (1, True)


def test_the_command_that_builds_the_engine_can_be_pasted(tmp_path):
    tree = tmp_path / "my code"
    ignore = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "python", tree / "python", ignore=ignore)
    build = tree / "tools" / "build"
    build.parent.mkdir()
    build.touch()
    done = lathe("doctor", PYTHONPATH=str(tree / "python"))
    assert done.returncode == 1
    told = done.stderr.partition("this builds it: ")[2]
    assert shlex.split(told) == [str(build)], done.stderr


def test_doctors_commands_can_be_pasted(monkeypatch, tmp_path):
    python = str(tmp_path / "my code" / "python")
    monkeypatch.setattr(sys, "executable", python)
    monkeypatch.setattr(doctor, "version_of", lambda package: None)
    commands = [shlex.split(each.command) for each in doctor._missing_packages()]
    packages = (
        ["scipy"],
        ["scikit-image"],
        ["--no-deps", "nilearn"],
        ["websockets"],
        ["anywidget"],
    )
    assert commands == [[python, "-m", "pip", "install", *p] for p in packages]
    folder = tmp_path / "my code" / "libcuda"
    folder.mkdir(parents=True)
    (folder / "libcuda.so.1").touch()
    setting = doctor._about_software(str(folder.parent / "liblathe_soft.so"))[-1]
    assert shlex.split(setting)[-1] == f"LD_LIBRARY_PATH={folder}"


def test_the_command_for_an_unreadable_file_can_be_pasted(tmp_path):
    binary = tmp_path / "my binary.py"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    told = lathe("run", str(binary)).stderr
    assert shlex.split(told.partition("try: ")[2]) == ["ls", "-l", str(binary)]


def test_a_scripts_own_error_has_a_traceback(tmp_path):
    script = tmp_path / "wrong.py"
    script.write_text("def f():\n    return 1 / 0\n\nf()\n")
    done = lathe("run", str(script))
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert 'wrong.py", line 2' in done.stderr
    assert "python/lathe" not in done.stderr


def test_a_kernel_that_does_not_compile_has_its_place(tmp_path):
    sketch = tmp_path / "broken.cu"
    sketch.write_text("//@ launch f grid=4\n__global__ void f(int n) { undefined(n); }\n")
    done = lathe("run", str(sketch), "--out", str(tmp_path))
    assert done.returncode == 1
    assert "broken.cu:2:28" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.software
@pytest.mark.parametrize("frames", [1, 20])  # the last frame's fault has no launch behind it
@pytest.mark.parametrize("kind", ["cu", "py"])
def test_a_fault_without_a_window_ends_the_run_and_its_output(kind, frames, tmp_path):
    sketch = tmp_path / "bad.cu"
    sketch.write_text(
        "//@ buffer x float[64]\n//@ launch bad grid=64\n"
        "__global__ void bad(float* x) {\n    x[threadIdx.x + 1] = 1;\n}\n"
    )
    script = tmp_path / "bad.py"
    script.write_text(
        "import lathe\napp = lathe.App('bad')\nx = app.zeros(64)\nbad = app.kernel('bad.cu')\n"
        "while app.frame():\n    bad[1, 64](x)\n"
    )
    done = lathe("run", str(tmp_path / f"bad.{kind}"), "--headless", "--frames", str(frames),
                 "--size", "64x48", "--out", str(tmp_path), LATHE_DEVICE="software")  # fmt: skip
    assert done.returncode == 1
    fault, what_to_do = done.stderr.splitlines()[-2:]
    assert fault.startswith("lathe: bad.cu:4: error: illegal address: write at ")
    assert "in kernel bad, block (0, 0, 0), thread (63, 0, 0)" in fault
    assert what_to_do == "correct bad.cu and run it again: no version of it has run without a fault"


def test_a_setting_outside_of_its_range_is_said(tmp_path):
    done = lathe("run", "gray_scott", "--frames", "1", "--size", "64x48", "--out", str(tmp_path),
                 "--set", "feed=999")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "--set feed=999 is outside of 0.005..0.09: feed is 0.09" in done.stderr


def test_a_picture_that_cannot_be_written_ends_with_1(tmp_path):
    (tmp_path / "gray_scott.png").mkdir()
    done = lathe("run", "gray_scott", "--frames", "1", "--size", "64x48", "--out", str(tmp_path),
                 LATHE_DEVICE="software")  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count(f"cannot write {tmp_path}/gray_scott.png: Is a directory") == 1
    assert "1 frames" in done.stdout


def test_no_folder_is_made_for_a_script_without_an_app(tmp_path):
    script = tmp_path / "nothing.py"
    script.write_text("print('no app')\n")
    assert lathe("run", str(script), "--out", str(tmp_path / "out")).returncode == 0
    assert not (tmp_path / "out").exists()


def until_a_movie_begins(folder):
    limit = time.monotonic() + 120
    while not list(folder.glob(".gray_scott.*.mp4")) and time.monotonic() < limit:
        time.sleep(0.1)  # it gets its name when it is whole
    assert time.monotonic() < limit


def has_picture_and_movie(folder):
    assert (folder / "gray_scott.png").stat().st_size > 100
    assert b"moov" in (folder / "gray_scott.mp4").read_bytes()


# To all processes of the group: Ctrl+C in a terminal does that, and `timeout` twice.
@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupted_run_leaves_picture_movie_and_summary(tmp_path, number, code):
    command = [sys.executable, "-m", "lathe", "run", "gray_scott", "--headless", "--size", "96x64",
               "--frames", "1000000", "--out", str(tmp_path)]  # fmt: skip
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=script_environment(), start_new_session=True,
    )  # fmt: skip
    until_a_movie_begins(tmp_path)
    os.killpg(run.pid, number)
    if number != signal.SIGINT:
        os.kill(run.pid, number)
    try:
        out, errors = run.communicate(timeout=120)
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
    assert run.returncode == code, errors
    assert "interrupted after" in out
    assert "frames/s (simulation and drawing)" in out
    assert "movie: " in out
    assert "rror" not in errors
    has_picture_and_movie(tmp_path)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
def test_a_run_outlives_its_terminal_until_its_files_are_written(tmp_path):
    ours, terminal = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "lathe", "run", "gray_scott", "--headless", "--size", "96x64",
         "--frames", "1000000", "--out", str(tmp_path)],
        stdin=terminal, stdout=terminal, stderr=terminal, env=script_environment(),
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(terminal)
    closes = threading.Event()

    def read():
        while not closes.is_set():
            if select.select([ours], [], [], 0.05)[0]:
                os.read(ours, 4096)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        try:
            until_a_movie_begins(tmp_path)
        finally:
            closes.set()
            reader.join()
            os.close(ours)
        assert run.wait(timeout=120) == 129
    finally:
        run.kill()
    has_picture_and_movie(tmp_path)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
def test_a_short_run_with_panels_has_a_movie_too(tmp_path):
    done = lathe("run", "gray_scott", "--headless", "--ui", "--frames", "2", "--size", "640x480",
                 "--out", str(tmp_path))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "gray_scott.mp4").exists()


def test_panels_without_a_window_need_egl_alone(tmp_path):
    """As in a container with libegl1 and libgl1-mesa-dri: libGL and libOpenGL cannot be opened."""
    for name in ("libGL.so", "libGL.so.1", "libGL.so.3", "libOpenGL.so.0", "libGLX.so.0"):
        (tmp_path / name).write_text("no library")
    done = lathe("run", "gray_scott", "--headless", "--ui", "--frames", "2", "--size", "640x480",
                 "--out", str(tmp_path), LD_LIBRARY_PATH=str(tmp_path),
                 PATH=str(tmp_path))  # fmt: skip  # no ffmpeg, which needs them
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "gray_scott.png").exists()


def test_progress_is_one_line_that_goes():
    stream = io.StringIO()
    progress = Progress(stream)
    progress.update(1, 300)
    assert stream.getvalue() == ""
    progress._written -= 60
    progress._began -= 60
    progress.update(30, 300)
    assert stream.getvalue().startswith("\rframe 30 of 300, 0.5 frames/s")
    progress.end()
    assert stream.getvalue().endswith(" \r")


def test_huge_pictures_are_not_recorded(tmp_path):
    script = tmp_path / "huge.py"
    script.write_text("import lathe\napp = lathe.App('huge')\nwhile app.frame():\n    pass\n")
    size = "16384x2048"
    done = lathe("run", str(script), "--frames", "1", "--size", size, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"{size} is too large for a movie" in done.stderr
    assert (tmp_path / "huge.png").exists()
    assert not (tmp_path / "huge.mp4").exists()


def test_list_and_version():
    done = lathe("list")
    assert done.returncode == 0
    names = "brain cavity galaxy gray_scott nbody image_lab ocean pendulum ripples sph swarm"
    for name in names.split():
        assert name in done.stdout
    assert lathe("--version").stdout.startswith("lathe 0.")


def test_the_extras_are_those_of_the_package():
    from lathe.cli.installation import EXTRAS

    with open(ROOT / "pyproject.toml", "rb") as file:
        declared = tomllib.load(file)["project"]["optional-dependencies"]
    assert {name: tuple(packages) for name, packages in declared.items()} == EXTRAS


@pytest.mark.parametrize(
    ("url", "installer", "words"),
    [
        ({"url": "file:///tmp/lathe-0.1.0-cp311.whl"}, "pip", "wheel /tmp/lathe-0.1.0-cp311.whl"),
        ({"url": "file:///tmp/lathe-0.1.0.tar.gz"}, "pip", "built by pip from /tmp/lathe-0.1.0"),
        ({"url": "file:///tmp/lathe", "dir_info": {}}, "pip", "built by pip from /tmp/lathe"),
        (None, "conda", "installed by conda"),
        (None, None, "installed by an unknown program"),
    ],
)
def test_doctor_says_how_lathe_was_installed(url, installer, words, monkeypatch, tmp_path):
    from lathe.cli import installation

    assert installation.installation() == f"source tree {ROOT}"
    folder = tmp_path / "lathe-0.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: lathe\nVersion: 0.1.0\n")
    if url is not None:
        (folder / "direct_url.json").write_text(json.dumps(url))
    if installer is not None:
        (folder / "INSTALLER").write_text(f"{installer}\n")
    monkeypatch.setattr(installation, "source_tree", lambda: None)
    assert "which no package manager knows" in installation.installation()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installation.installation().startswith(words)


def test_doctor_brings_the_nvrtc_that_the_driver_takes():
    from lathe.cli.installation import cuda_packages

    assert cuda_packages("13.0") == cuda_packages("") == cuda_packages("none")
    assert cuda_packages("13.2")[0].endswith("==13.*")
    assert cuda_packages("12.8")[0].endswith("==12.*")


@pytest.mark.software
def test_doctor_tells_machines_the_same():
    done = lathe("doctor", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["runs"] is True
    assert report["found"]["installed"] == [f"source tree {ROOT}"]
    assert any("on the CPU" in line for line in report["found"]["device 0"])
    assert not any(row["needed"] for row in report["missing"])
    done = lathe("doctor", "--json", LATHE_NVRTC="/nonexistent")
    report = json.loads(done.stdout)
    assert (done.returncode, report["runs"]) == (1, False)
    needed = [row for row in report["missing"] if row["needed"]]
    assert [row["command"] for row in needed] == [shlex.quote(str(ROOT / "tools/bootstrap"))]
    done = lathe("doctor", "--json", LATHE_EGL_LIBRARY="/nonexistent")
    needed = [row for row in json.loads(done.stdout)["missing"] if row["needed"]]
    assert [row["command"] for row in needed] == ["sudo apt-get install libegl1 libgl1-mesa-dri"]


def test_lists_for_machines():
    rows = json.loads(lathe("list", "--json").stdout)
    assert {row["name"]: os.path.basename(row["file"]) for row in rows}["ripples"] == "ripples.cu"
    assert all(row["about"] for row in rows)
    lessons = json.loads(lathe("learn", "--list", "--json").stdout)
    assert [row["name"] for row in lessons][:1] == ["01-which-thread"]
    assert {type(row["done"]) for row in lessons} == {bool}


@pytest.mark.software
def test_doctor_says_what_is_there_and_what_is_not():
    done = lathe("doctor")
    assert done.returncode == 0, done.stdout
    for word in ("CUDA driver", "NVRTC", "OpenGL", "interop", "kernel cache", "zero copy"):
        assert word in done.stdout
    for word in (
        "on the CPU",
        "does not have: mapping of virtual memory",
        "no machine code",
        "LD_LIBRARY_PATH=",
    ):
        assert word in done.stdout
    assert "LATHE_SOFT_CHECKS=exact" in done.stdout
    assert "LATHE_SOFT_CHECKS=pages" in lathe("doctor", LATHE_SOFT_CHECKS="pages").stdout
    done = lathe("doctor", LATHE_SOFT_LIBRARY="/nonexistent")
    assert done.returncode == 1
    assert re.search(r"OpenGL +\d", done.stdout), done.stdout
    done = lathe("doctor", LATHE_NVRTC="/nonexistent")
    assert done.returncode == 1
    assert "missing: " in done.stdout
    assert "this brings it: " in done.stdout


@pytest.mark.software
def test_a_run_without_a_display_leaves_pictures_and_a_report(tmp_path):
    done = lathe("run", "gray_scott", "--frames", "4", "--size", "320x180", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "4 frames: " in done.stdout
    assert "device: Lathe software CUDA device" in done.stdout
    assert "0 bytes of shared arrays" in done.stdout
    written = [line.split()[-1] for line in done.stdout.splitlines() if line.startswith("wrote")]
    assert len(written) == 2
    assert all(os.path.exists(path) for path in written)


def test_bench_measures(tmp_path):
    done = lathe("bench", "first-light", "--frames", "3", "--edits", "2")
    assert done.returncode == 0, done.stderr
    for word in (
        "frames/s",
        "edit -> changed pixels",
        "longest frame",
        "map + launch + unmap",
        "import",
    ):
        assert word in done.stdout


def test_bench_soft_judges_what_was_measured():
    from lathe.cli.bench_soft import tables

    row = {
        "name": "saxpy", "plain": 0.9, "best": 0.0, "warps": 1.0, "wall": 2.0, "threads": 3.0,
        "goal_plain": 0.95, "goal_best": 0, "compile_first": 2.0, "compile_threads": 5.0,
        "compile_warps": 14.0, "cached": 1.5,
    }  # fmt: skip
    other = {**row, "name": "libm", "best": 2.0, "goal_plain": 0, "goal_best": 2, "cached": 0.5}
    made = tables(
        [row, other, {"launch": 2.5, "launch_and_wait": 9.0}],
        [{**row, "wall": 1.0}, {**other, "wall": 1.9}],
    )
    text = [line for each in made for line in as_text(each)]
    saxpy, libm = (line for line in text if line.startswith(("saxpy", "libm")) and "3.000" in line)
    assert "0.90 of 0.95 MISSED" in saxpy
    assert "2.00 of 1.8 met" in saxpy
    assert "2.00 of 2 met" in libm
    assert "1.05 of 1.8 MISSED" in libm
    times = [line for line in text if line.startswith(("saxpy", "libm"))][2:]
    assert "2.00 of 15 met" in times[0] and "1.50 of 1 MISSED" in times[0]
    assert "2.00 of 60 met" in times[1] and "0.50 of 1 met" in times[1]
    assert text[-1].startswith("empty launch, us: 2.50 of 3 met")


def test_bench_soft_judges_checks():
    from lathe.cli.bench_soft import table_of_checks

    row = {
        "name": "n-body", "goal_checks": 1.05, "warps_pages": 1.0, "warps_exact": 1.1,
        "warps_ratio": 1.1, "threads_ratio": 1.3, "compile_threads_pages": 10.0,
        "compile_threads_exact": 11.0, "compile_warps_pages": 20.0, "compile_warps_exact": 30.0,
    }  # fmt: skip
    text = as_text(table_of_checks([row, {**row, "name": "reduce", "goal_checks": 0}]))
    nbody, reduce = (line for line in text if line.startswith(("n-body", "reduce")))
    assert "1.10 of 1.05 MISSED" in nbody and "1.10 of 1.2 met" in nbody
    assert "1.50 of 1.15 MISSED" in nbody
    assert "1.05" not in reduce


def test_bench_soft_judges_counters():
    from lathe.cli.bench_soft import table_of_counters

    row = {"name": "n-body", "off": 3.0, "on": 3.6, "ratio": 1.2, "goal_counters": 1.25}
    text = as_text(table_of_counters([row, {**row, "name": "saxpy", "goal_counters": 0}]))
    nbody, saxpy = (line for line in text if line.startswith(("n-body", "saxpy")))
    assert "1.20 of 1.25 met" in nbody and "3.600" in nbody
    assert saxpy.endswith("1.20")
    missed = as_text(table_of_counters([{**row, "ratio": 1.5}]))[-1]
    assert missed.endswith("1.50 of 1.25 MISSED")


def test_bench_soft_prints_what_is_asked_for(monkeypatch, capsys):
    from lathe.cli import bench_soft, main

    asked = []

    def measure(program, arguments, workers):
        asked.append((arguments, workers))
        if "--counters" in arguments:
            return [{"name": "k", "off": 1.0, "on": 1.1, "ratio": 1.1, "goal_counters": 1.25}]
        return []

    monkeypatch.setattr(bench_soft, "_measure", measure)
    monkeypatch.setattr(bench_soft, "_program", lambda: None)
    assert main(["bench", "soft", "--rounds", "3", "--counters"]) == 0
    assert asked == [(["3", "--counters"], 1)]
    assert "1.10 of 1.25 met" in capsys.readouterr().out
    asked.clear()
    assert main(["bench", "soft", "--checks", "--counters", "--fast-math"]) == 0
    assert asked == [(["7", "--fast-math", flag], 1) for flag in ("--checks", "--counters")]
    asked.clear()
    assert main(["bench", "soft"]) == 0
    assert asked == [(["7", "--compile-times"], 1), (["7"], 2)]
    capsys.readouterr()
    assert main(["bench", "soft", "--counters", "--markdown"]) == 0
    text = capsys.readouterr().out
    assert "Command: `lathe bench soft --counters --markdown`." in text
    assert "| kernel | off | on | on / off |\n|---|---|---|---|\n| k | 1.000 | 1.100 |" in text


def test_bench_scene_prints_a_table_and_json(monkeypatch, capsys):
    from lathe.cli import bench_scene, main

    asked = []
    where = {"gl": "llvmpipe", "device": "Lathe software CUDA device", "frames": 9}
    points = {"name": "9 points", "ours": 2.0, "plain": 4.0, "host": 0, "device": 0}
    tubes = {"name": "tubes", "ours": 20.0, "plain": 0.0, "host": 64, "device": 0}

    def measure(program, arguments):
        asked.append(arguments)
        return [where, points, tubes]

    monkeypatch.setattr(bench_scene, "_measure", measure)
    monkeypatch.setattr(bench_scene, "_program", lambda: None)
    assert main(["bench", "scene", "--rounds", "9", "--sizes", "small"]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].endswith("medians of 9: CUDA on Lathe software CUDA device, llvmpipe.")
    assert text[2].split() == ["9", "points", "2.000", "500.0", "4.000", "0.500", "0"]
    assert text[3].split() == ["tubes", "20.000", "50.0", "64"]
    assert main(["bench", "scene", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [where, points, tubes]
    assert asked == [["9", "small"], ["25"]]
    assert main(["bench", "scene", "--markdown"]) == 0
    assert "| 9 points | 2.000 | 500.0 | 4.000 | 0.500 | 0 |" in capsys.readouterr().out


def test_bench_says_that_an_installed_lathe_has_no_programs(monkeypatch, tmp_path):
    from lathe.cli import programs

    monkeypatch.setattr(programs, "__file__", str(tmp_path / "a" / "b" / "c" / "programs.py"))
    with pytest.raises(UserError, match=r"bench_scene is a C\+\+ program .* first-light"):
        programs.built("bench_scene")


def test_percentiles_are_values_that_were_measured():
    times = [7.0, 1.0, 3.0, 5.0, 9.0]
    assert [percentile(times, share) for share in (0, 0.5, 0.95, 1)] == [1, 5, 9, 9]
    assert percentile(range(100), 0.95) == 95 and percentile([4.0], 0.5) == 4
    assert times == [7, 1, 3, 5, 9]


def test_tables_have_columns():
    table = Table("Title", ("kernel", "ms"), [("saxpy", "0.9"), ("n-body", "12.5")], "note")
    assert as_text(table) == ["Title", "kernel  ms", "saxpy    0.9", "n-body  12.5", "note"]
    rows = ["| kernel | ms |", "|---|---|", "| saxpy | 0.9 |", "| n-body | 12.5 |"]
    assert as_markdown(table) == ["Title", "", *rows, "", "note"]
    words = where_and_when("lathe bench soft")
    assert words.startswith(f"Date {datetime.date.today()}. Machine: ")
    assert "processors" in words and words.endswith("Command: `lathe bench soft`.")


def test_panels_without_a_window_are_in_the_picture(tmp_path):
    import lathe as package

    size = ["--size", "640x400", "--out", str(tmp_path)]
    done = lathe("run", "gray_scott", "--ui", "--frames", "6", *size)
    assert done.returncode == 0, done.stderr
    picture = package.load_image(tmp_path / "gray_scott.png", 3)
    assert picture.shape == (400, 640, 3)
    assert picture[:8].max() > 0  # the bar of the run control, where the scene alone is black
    assert (tmp_path / "gray_scott.mp4").exists() or (tmp_path / "gray_scott").is_dir()
