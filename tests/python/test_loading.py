# SPDX-License-Identifier: MIT
"""Files as arrays, beside files that are written here, byte by byte."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lathe

CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)


def nifti(
    file: Path,
    voxels: Any,
    order: str = "<",
    kind: int = 4,
    slope: float = 0.0,
    add: float = 0.0,
    steps: Any = ((2, 0, 0), (0, 3, 0), (0, 0, 4)),
    origin: Any = (-5, 6, 7),
) -> None:
    """Writes a file; the columns of `steps` lead along the file's axes."""
    head = bytearray(352)
    struct.pack_into(order + "i", head, 0, 348)
    shape = voxels.shape[::-1]
    sizes = [len(shape), *shape, *[1] * (7 - len(shape))]
    struct.pack_into(order + "8h", head, 40, *sizes)
    struct.pack_into(order + "2h", head, 70, kind, 8 * voxels.itemsize)
    struct.pack_into(order + "3f", head, 108, 352, slope, add)
    matrix = np.column_stack([steps, origin])
    struct.pack_into(order + "2h", head, 252, 0, 1)
    struct.pack_into(order + "12f", head, 280, *matrix.ravel())
    head[344:348] = b"n+1\0"
    data = bytes(head) + voxels.tobytes()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", ["a.nii.gz", "A.NII"])
def test_voxels_and_places_are_those_of_the_file(tmp_path: Path, order: str, name: str) -> None:
    voxels = np.arange(-12, 12).reshape(2, 3, 4)
    nifti(tmp_path / name, voxels.astype(order + "i2"), order)
    got = lathe.load(tmp_path / name)
    assert np.array_equal(got.values, voxels)
    assert got.values.dtype == np.int16
    assert (list(got.origin), list(got.spacing)) == ([-5, 6, 7], [2, 3, 4])


def test_values_are_scaled(tmp_path: Path) -> None:
    voxels = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    nifti(tmp_path / "a.nii.gz", voxels, kind=2, slope=0.5, add=3)
    assert np.array_equal(lathe.load(tmp_path / "a.nii.gz").values, 0.5 * voxels + 3)


def test_axes_are_turned_so_that_each_voxel_keeps_its_place(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    for turn in range(12):
        voxels = random.integers(0, 1000, (2, 3, 4)).astype("i2")
        order = random.permutation(3)
        steps = np.zeros((3, 3))
        steps[order, range(3)] = random.choice((-1, 1), 3) * random.uniform(0.5, 3, 3)
        origin = random.uniform(-9, 9, 3)
        nifti(tmp_path / f"{turn}.nii", voxels, steps=steps, origin=origin)
        got = lathe.load(tmp_path / f"{turn}.nii")
        assert (got.spacing > 0).all()
        for z, y, x in np.ndindex(*voxels.shape):
            place = origin + steps @ (x, y, z)
            column = np.rint((place - got.origin) / got.spacing).astype(int)
            assert np.allclose(got.origin + column * got.spacing, place, atol=1e-4)
            assert got.values[tuple(column[::-1])] == voxels[z, y, x]


def test_axes_by_a_quaternion(tmp_path: Path) -> None:
    voxels = np.arange(24, dtype="i2").reshape(2, 3, 4)
    nifti(tmp_path / "a.nii", voxels)
    head = bytearray((tmp_path / "a.nii").read_bytes())
    struct.pack_into("<8f", head, 76, 1, 2, 3, 4, 1, 1, 1, 1)
    struct.pack_into("<2h", head, 252, 1, 0)
    struct.pack_into("<6f", head, 256, 0, 0, 1, 5, 6, 7)  # half a turn around z
    (tmp_path / "a.nii").write_bytes(head)
    got = lathe.load(tmp_path / "a.nii")
    assert np.array_equal(got.values, voxels[:, ::-1, ::-1])
    assert list(got.origin) == [5 - 3 * 2, 6 - 2 * 3, 7]


def test_a_series_of_volumes_keeps_its_times(tmp_path: Path) -> None:
    voxels = np.arange(48, dtype="i2").reshape(2, 2, 3, 4)
    nifti(tmp_path / "a.nii", voxels)
    assert np.array_equal(lathe.load(tmp_path / "a.nii").values, voxels)


def test_raw_volumes_say_in_their_name_what_they_are(tmp_path: Path) -> None:
    values = np.arange(24, dtype="<u2").reshape(2, 3, 4) * 999
    file = tmp_path / "made_by_hand_4x3x2_uint16.raw"
    file.write_bytes(values.tobytes())
    got = lathe.load(file)
    assert np.array_equal(got.values, values)
    assert got.values.dtype == np.uint16
    assert list(got.spacing) == [1, 1, 1]


def test_pictures_and_numpys_files(tmp_path: Path) -> None:
    picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
    lathe.save_png(str(tmp_path / "a.png"), picture)
    assert np.array_equal(lathe.load(tmp_path / "a.png"), picture)
    np.save(tmp_path / "a.npy", picture)
    assert np.array_equal(lathe.load(str(tmp_path / "a.npy")), picture)
    np.savez(tmp_path / "a.npz", one=1.0, two=picture)
    found = lathe.load(tmp_path / "a.npz")
    assert sorted(found) == ["one", "two"]


def cube_volume(mesh: Any) -> float:
    """By the divergence theorem: 1 where all triangles are there and turned outwards."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


OBJ = """# a cube of quads, with a comment
mtllib none.mtl
o cube
{places}
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vn 0 0 1
usemtl none
s off
{faces}
"""


def test_obj_of_quads(tmp_path: Path) -> None:
    places = "\n".join(f"v {x} {y} {z}" for x, y, z in CUBE)
    for faces, has_uv, has_normals in (
        ([" ".join(str(i + 1) for i in face) for face in CUBE_FACES], False, False),
        ([" ".join(str(i - 8) for i in face) for face in CUBE_FACES], False, False),
        ([" ".join(f"{i + 1}/{k + 1}" for k, i in enumerate(f)) for f in CUBE_FACES], True, False),
        ([" ".join(f"{i + 1}//1" for i in face) for face in CUBE_FACES], False, True),
        (
            [" ".join(f"{i + 1}/{k - 4}/-1" for k, i in enumerate(f)) for f in CUBE_FACES],
            True,
            True,
        ),
    ):
        text = OBJ.format(places=places, faces="\n".join("f " + face for face in faces))
        (tmp_path / "cube.obj").write_text(text)
        mesh = lathe.load(tmp_path / "cube.obj")
        assert cube_volume(mesh) == pytest.approx(1)
        assert mesh.triangles.shape == (12, 3)
        assert (mesh.texcoords is not None) == has_uv
        assert (mesh.normals is not None) == has_normals
        assert mesh.colors is None
        if has_uv:
            corners = mesh.texcoords[mesh.triangles[0]]
            assert corners.tolist() == [[0, 0], [1, 0], [1, 1]]


def test_obj_with_colours_and_no_faces(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 1 2 3 1 0 0\nv 4 5 6 \\\n0 0.5 1\n")
    mesh = lathe.load(tmp_path / "a.obj")
    assert mesh.vertices.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert mesh.colors.tolist() == [[1, 0, 0, 1], [0, 0.5, 1, 1]]
    assert mesh.triangles.shape == (0, 3)


def ply(kind: str, faces: list[tuple[int, ...]], extra: bool) -> bytes:
    head = f"ply\nformat {kind} 1.0\ncomment by hand\nelement vertex {len(CUBE)}\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz")
    head += "".join(f"property uchar {color}\n" for color in ("red", "green", "blue"))
    head += "property double nx\nproperty double ny\nproperty double nz\n"
    head += f"element face {len(faces)}\nproperty list uchar int vertex_indices\n"
    head += "property short group\n" if extra else ""
    head += "end_header\n"
    rows = [(*map(float, p), 255, 51, 0, 0.0, 0.0, 1.0) for p in CUBE]
    if kind == "ascii":
        lines = [" ".join(map(str, row)) for row in rows]
        lines += [" ".join(map(str, (len(f), *f, *([7] if extra else [])))) for f in faces]
        return (head + "\n".join(lines) + "\n").encode()
    order = "<" if "little" in kind else ">"
    body = b"".join(struct.pack(order + "3f3B3d", *row) for row in rows)
    for face in faces:
        body += struct.pack(f"{order}B{len(face)}i", len(face), *face)
        body += struct.pack(order + "h", 7) if extra else b""
    return head.encode() + body


@pytest.mark.parametrize("kind", ["ascii", "binary_little_endian", "binary_big_endian"])
@pytest.mark.parametrize("extra", [False, True])
def test_ply(tmp_path: Path, kind: str, extra: bool) -> None:
    triangles = [t for a, b, c, d in CUBE_FACES for t in ((a, b, c), (a, c, d))]
    mixed = [*CUBE_FACES[:3], *triangles[6:]]
    for faces in (CUBE_FACES, triangles, mixed):
        (tmp_path / "cube.ply").write_bytes(ply(kind, faces, extra))  # type: ignore[arg-type]
        mesh = lathe.load(tmp_path / "cube.ply")
        assert cube_volume(mesh) == pytest.approx(1)
        assert np.array_equal(mesh.triangles, np.array(triangles))
        assert mesh.colors[3].tolist() == pytest.approx([1, 0.2, 0, 1])
        assert mesh.normals[5].tolist() == [0, 0, 1]


def test_a_mesh_is_drawn_as_it_comes(tmp_path: Path) -> None:
    (tmp_path / "cube.ply").write_bytes(ply("ascii", CUBE_FACES, False))  # type: ignore[arg-type]
    mesh = lathe.load(tmp_path / "cube.ply")
    app = lathe.App("cube", size=(64, 64), headless=True)

    @app.frame
    def frame() -> None:
        app.mesh(mesh.vertices, mesh.triangles, colors=mesh.colors)

    app.run(frames=2)
    middle = app.screenshot()[32, 32].astype(int)
    assert middle[0] > 2 * middle[1] > 4 * middle[2]


NPY_OF = b"\x93NUMPY\x01\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': %s}%s"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.npy", None, "No such file"),
        ("a.xyz", b"", "its ending is none of"),
        ("a.nii", b"short", "no NIfTI-1 file"),
        ("a.nii.gz", b"\x1f\x8bdamaged", "packed, and damaged"),
        ("a.raw", b"12", "its name must say"),
        ("a_2x2x2_uint8.raw", b"12", "it has 2 bytes, its name says 8"),
        ("a.npy", b"nothing", "was not read"),
        ("a.npz", b"nothing", "was not read"),
        ("a.npy", NPY_OF % (b"(3,", b""), "was not read"),
        ("a.npy", NPY_OF % (b"(1 << 40, )", b""), "was not read"),
        ("a.npy", NPY_OF % (b"(1000000000000,)", b""), "was not read"),
        ("a.png", b"nothing", "unknown image type"),
        ("gone.png", None, "No such file"),
        ("a.obj", b"f 1 2 3\n", "line 1: 1 is of nothing before it"),
        ("a.obj", b"v 1 2 x\n", "line 1"),
        ("a.obj", b"v 1 2\n", "not all the same 3 numbers"),
        ("a.obj", b"v 0 0 0\nf 1 1\n", "a face with 2 corners"),
        ("a.obj", b"# empty\n", "no vertices"),
        ("a.ply", b"ply\nformat ascii 1.0\n", "its header has no end"),
        ("a.ply", b"PLY", "no PLY file"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 1\nproperty thing x\n", "not understood"),
        ("a.ply", b"ply\nformat ascii 1.0\nend_header\n", "no vertices"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(lathe.Error, match=message) as raised:
        lathe.load(tmp_path / name)
    assert name in str(raised.value)


def test_cut_files_are_refused(tmp_path: Path) -> None:
    whole = ply("binary_little_endian", CUBE_FACES, False)  # type: ignore[arg-type]
    begin = whole.index(b"end_header")
    for end in range(begin, len(whole) - 1, 7):
        (tmp_path / "cut.ply").write_bytes(whole[:end])
        with pytest.raises(lathe.Error, match=r"cut\.ply was not read"):
            lathe.load(tmp_path / "cut.ply")
    nifti(tmp_path / "whole.nii", np.zeros((2, 3, 4), "i2"))
    (tmp_path / "cut.nii").write_bytes((tmp_path / "whole.nii").read_bytes()[:-1])
    with pytest.raises(lathe.Error, match=r"cut\.nii was not read"):
        lathe.load(tmp_path / "cut.nii")


@pytest.mark.parametrize(
    "name",
    ["a.png", "a.npy", "a.npz", "a.nii", "a.nii.gz", "a_2x2x2_uint8.raw", "a.obj", "a.ply"],
)
def test_folders_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(lathe.Error, match="Is a directory"):
        lathe.load(tmp_path / name)


def test_whatever_the_bytes_nothing_else_is_raised(tmp_path: Path) -> None:
    lathe.save_png(str(tmp_path / "a.png"), np.zeros((9, 9, 3), np.uint8))
    np.save(tmp_path / "a.npy", np.arange(20.0))
    np.savez(tmp_path / "a.npz", one=np.arange(9.0), two=np.zeros((2, 2)))
    np.savez_compressed(tmp_path / "packed.npz", one=np.arange(99.0))
    nifti(tmp_path / "a.nii", np.zeros((2, 3, 4), "i2"))
    nifti(tmp_path / "a.nii.gz", np.zeros((2, 3, 4), "i2"))
    faces: Any = CUBE_FACES
    for kind in ("ascii", "binary_little_endian"):
        (tmp_path / f"{kind}.ply").write_bytes(ply(kind, faces, True))
    (tmp_path / "a.obj").write_text("v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nf 1 2 3\n")
    random = np.random.default_rng(1)
    for whole in sorted(tmp_path.iterdir()):
        damaged = tmp_path / f"damaged-{whole.name}"
        refused = 0
        for _ in range(150):
            data = bytearray(whole.read_bytes())
            if random.random() < 0.3:
                data = data[: random.integers(len(data))]
            else:
                for at in random.integers(min(len(data), 300), size=random.integers(1, 5)):
                    data[at] = random.integers(256)
            damaged.write_bytes(data)
            try:
                with np.errstate(all="ignore"):
                    lathe.load(damaged)
            except lathe.Error as error:
                assert damaged.name in str(error)
                refused += 1
        assert refused > 30, whole.name


def test_no_object_of_python_is_made(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(lathe.Error, match="allow_pickle"):
        lathe.load(tmp_path / "a.npy")
    nifti(tmp_path / "complex.nii", np.zeros((2, 3, 4), "i2"), kind=32)
    with pytest.raises(lathe.Error, match="no volume of real numbers"):
        lathe.load(tmp_path / "complex.nii")
    turn = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])
    nifti(tmp_path / "oblique.nii", np.zeros((2, 3, 4), "i2"), steps=turn)
    with pytest.raises(lathe.Error, match="axes are not along"):
        lathe.load(tmp_path / "oblique.nii")
