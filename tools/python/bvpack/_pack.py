# SPDX-License-Identifier: MIT
"""Writing packed files: of arrays by the library, of models by the program."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional

import numpy as np

from . import _arrays
from ._errors import Error, new_error, path_bytes, raise_error
from ._file import File
from ._interrupt import Run, keeps_the_error, run_of
from ._native import ffi, lib

_UP = {None: 0, "x": lib.BVP_UP_X, "y": lib.BVP_UP_Y, "z": lib.BVP_UP_Z}


class ProgramError(Error, OSError):
    """The program bvpack failed, or is not there; the message is its own."""


class Builder:
    """Writes a packed file, part by part; `finish` gives it its name.

    Parameters
    ----------
    threads : int
        0: one for each processor.
    unit_in_metres : float
        Length of one coordinate unit; 0: unknown.
    up : str, optional
        Which axis points up: "x", "y" or "z".
    tolerance : float
        How far the triangles may be from the curved surfaces that they stand for.
    rays : bool
        Some 25 bytes a triangle more, and rays are answered faster.
    deformable : bool
        `File.refit` can move the vertices.
    digests : bool
        The file can be signed: spec/trust.md.
    ids : bool
        False: the triangles' numbers in the source are not kept.
    drop_invalid : bool
        Leave out triangles that are not finite, instead of refusing the mesh.
    progress : callable, optional
        Called with a stage, how much is done, and how much there is. What it raises ends the call.

    Examples
    --------
    >>> builder = bvpack.Builder(unit_in_metres=0.001)
    >>> part = builder.add_part(corners, triangles, name="cube")
    >>> for x in (0, 2, 4):
    ...     place = [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0]]
    ...     node = builder.add_node(part, place, name=f"cube at {x}", properties={"x": str(x)})
    >>> builder.finish("cubes.bvp")["instance_count"]
    3
    """

    def __init__(
        self,
        *,
        threads: int = 0,
        unit_in_metres: float = 0.0,
        up: Optional[str] = None,
        tolerance: float = 0.0,
        rays: bool = False,
        deformable: bool = False,
        digests: bool = False,
        ids: bool = True,
        drop_invalid: bool = False,
        provenance: Optional[str] = None,
        progress: Optional[Callable[[str, int, int], Any]] = None,
    ) -> None:
        if up not in _UP:
            raise ValueError(f"up is x, y, z or None, not {up!r}")
        self._run = Run(progress=progress)
        options = ffi.new("bvp_build_options *")
        options.thread_count, options.unit_in_metres, options.up = threads, unit_in_metres, _UP[up]
        options.tessellation_tolerance, options.rays = tolerance, rays
        options.deformable, options.digests = deformable, digests
        options.no_ids, options.drop_invalid = not ids, drop_invalid
        options.control = self._run.control
        text = None if provenance is None else ffi.new("char[]", provenance.encode())
        if text is not None:
            options.provenance = text
        if progress is not None:
            options.progress, options.progress_user = lib.bvpy_build_progress, self._run.handle
        self._keep = (options, text)
        builder, error = ffi.new("bvp_builder **"), new_error()
        status = lib.bvp_builder_new(options, builder, error)
        if status:
            raise_error(status, error, "Builder")
        self._builder = ffi.gc(builder[0], lib.bvp_builder_free)

    def add_part(
        self, vertices, faces=None, *, name: Optional[str] = None, source_id: Optional[str] = None
    ) -> int:
        """Pack a mesh, and return its part's number; equal meshes have one.

        Parameters
        ----------
        vertices : (n, 3) array
            Float32 or doubles; of a soup also (n, 3, 3).
        faces : (m, 3) array, optional
            Numbers of vertices; None: three vertices after one another are a triangle.
        """
        points = np.asarray(vertices)
        if points.dtype != np.float32:
            points = points.astype("f8", copy=False)
        if faces is None and points.ndim == 3 and points.shape[1:] == (3, 3):
            points = points.reshape(-1, 3)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"vertices are (n, 3), not {points.shape}")
        points = np.ascontiguousarray(points)
        mesh = ffi.new("bvp_mesh *", {"positions": _arrays.address(points)})
        mesh.is_double, mesh.vertex_count = points.dtype == np.float64, len(points)
        if faces is None:
            if len(points) % 3:
                raise ValueError(f"{len(points)} vertices without faces: not a multiple of three")
            mesh.triangle_count = len(points) // 3
            corners = None
        else:
            corners = self._corners(faces, len(points))
            mesh.indices = ffi.cast("uint32_t *", corners.ctypes.data)
            mesh.triangle_count = len(corners)
        texts = [_text(name), _text(source_id)]
        mesh.name, mesh.source_id = texts
        part, error = ffi.new("uint32_t *"), new_error()
        self._call(lambda: lib.bvp_builder_add_part(self._builder, mesh, part, error), error)
        return part[0]

    @staticmethod
    def _corners(faces, vertex_count: int) -> np.ndarray:
        given = np.asarray(faces)
        if given.ndim != 2 or given.shape[1] != 3 or given.dtype.kind not in "iu":
            raise ValueError(f"faces are (m, 3) integers, not {given.shape} {given.dtype}")
        if given.size and (given.min() < 0 or given.max() >= vertex_count):
            raise ValueError(f"faces name vertices {given.min()} to {given.max()} of {vertex_count}")
        return np.ascontiguousarray(given, "u4")

    def add_node(
        self,
        part: Optional[int] = None,
        placement=None,
        *,
        parent: Optional[int] = None,
        name: Optional[str] = None,
        source_id: Optional[str] = None,
        properties: Optional[dict[str, str]] = None,
    ) -> int:
        """Add a node of the product tree, and return its number.

        Parameters
        ----------
        part : int, optional
            None: a group.
        placement : (3, 4) array, optional
            Relative to the parent.
        parent : int, optional
            A node that was added before; None: a root.
        """
        matrix = None if placement is None else _arrays.placement(placement)
        texts = [_text(name), _text(source_id)]
        node = ffi.new("bvp_new_node *")
        node.part = lib.BVP_NONE if part is None else part
        node.parent = lib.BVP_NONE if parent is None else parent
        node.name, node.source_id = texts
        if matrix is not None:
            node.placement = _arrays.doubles(matrix)
        number, error = ffi.new("uint32_t *"), new_error()
        status = lib.bvp_builder_add_node(self._builder, node, number, error)
        if status:
            raise_error(status, error, "add_node")
        for key, value in (properties or {}).items():
            status = lib.bvp_builder_add_property(
                self._builder, number[0], _text(key), _text(str(value)), error
            )
            if status:
                raise_error(status, error, f"property {key!r}")
        return number[0]

    def finish(self, path) -> dict[str, Any]:
        """Write the file; it gets its name when it is complete. Return the builder's report."""
        report, error = ffi.new("bvp_build_report *"), new_error()
        where = path_bytes(path)
        self._call(
            lambda: lib.bvp_builder_finish(self._builder, where, report, error), error, path
        )
        self._builder = None
        fields = ffi.typeof("bvp_build_report").fields
        return {
            name: list(getattr(report, name)) if field.type.kind == "array"
            else getattr(report, name)
            for name, field in fields
        }  # fmt: skip

    def open(self) -> File:
        """Finish in memory, and return what was packed, open. It pickles as its bytes.

        Examples
        --------
        >>> builder = bvpack.Builder()
        >>> part = builder.add_part(corners, triangles)
        >>> builder.open().triangle_count
        12
        """
        descriptor = os.memfd_create("bvpack")
        try:
            error = new_error()
            self._call(
                lambda: lib.bvp_builder_finish_fd(self._builder, descriptor, ffi.NULL, error), error
            )
            self._builder = None
            return File(descriptor)
        finally:
            os.close(descriptor)

    def _call(self, call: Callable[[], int], error, path=None) -> None:
        if self._builder is None:
            raise ValueError("the builder has finished")
        status = self._run.wait(call)
        if status:
            raise_error(status, error, "Builder", None if path is None else os.fspath(path))


@ffi.def_extern(name="bvpy_build_progress", onerror=keeps_the_error)
def _progress(user, stage, done, total) -> None:
    run_of(user).callbacks["progress"](ffi.string(stage).decode(), done, total)


def _text(text: Optional[str]):
    if text is None:
        return ffi.NULL
    data = text.encode("utf-8")
    if b"\0" in data:
        raise ValueError(f"a zero byte in {text!r}")
    return ffi.new("char[]", data)


def pack(source, path, *, arguments: tuple = (), **options) -> None:
    """Pack a mesh, or a model's file.

    Parameters
    ----------
    source : mesh or path
        ``(vertices, faces)``; an (n, 3, 3) array of triangles; an object with `vertices` and
        `faces`, such as trimesh's; or the path of a model, which the program ``bvpack`` reads:
        the one that the environment variable BVPACK names, or of PATH.
    path : path
        The packed file.
    arguments : tuple of str
        Of the program, for a model's path: such as ``("--chord", "0.01")``.
    **options
        Of `Builder`, for arrays.

    Examples
    --------
    >>> bvpack.pack((corners, triangles), "cube.bvp")
    >>> bvpack.open("cube.bvp").triangle_count
    12
    """
    if isinstance(source, (str, os.PathLike)):
        if options:
            raise TypeError(f"a model's path takes arguments=, not {', '.join(options)}")
        _run_program(["pack", "-q", os.fspath(source), "-o", os.fspath(path), *arguments], path)
        return
    if arguments:
        raise TypeError("arguments= are the program's, which does not pack arrays")
    builder = Builder(**options)
    if hasattr(source, "vertices") and hasattr(source, "faces"):
        builder.add_part(np.asarray(source.vertices), np.asarray(source.faces))
    elif isinstance(source, tuple) and len(source) == 2:
        builder.add_part(*source)
    else:
        builder.add_part(source)
    builder.finish(path)


def _run_program(words: list[str], path) -> None:
    import shutil  # here: workers that only ask need half a megabyte less each
    import subprocess

    program = os.environ.get("BVPACK") or shutil.which("bvpack")
    if not program:
        raise ProgramError("the program bvpack, which reads models, is not on PATH: install it, "
                           "or name it in the environment variable BVPACK")  # fmt: skip
    try:
        done = subprocess.run([program, *words], stderr=subprocess.PIPE, check=False)
    except OSError as error:
        raise ProgramError(error.errno, error.strerror, program) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or f"it ended with {done.returncode}"
        raised = ProgramError(said)
        raised.status, raised.path = f"exit {done.returncode}", os.fspath(path)
        raise raised
