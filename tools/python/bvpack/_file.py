# SPDX-License-Identifier: MIT
"""An open file: what is in it, and the bodies that queries are about."""

from __future__ import annotations

import os
import weakref
from typing import Callable, Optional

import numpy as np

from . import _arrays, _types
from ._body import Body
from ._errors import new_error, path_bytes, raise_error
from ._interrupt import Run, polling, raise_pending, run_of, stops_the_run
from ._native import ffi, lib
from ._picture import picture

PART = np.dtype(
    [
        ("name", "O"), ("source_id", "O"), ("triangle_count", "u8"), ("vertex_count", "u8"),
        ("origin", "f8", 3), ("lo", "f4", 3), ("hi", "f4", 3), ("rounding_error", "f8"),
        ("open_edge_count", "u8"), ("nonmanifold_edge_count", "u8"), ("content_hash", "S32"),
    ]
)  # fmt: skip
INSTANCE = np.dtype([("part", "u4"), ("node", "u4"), ("placement", "f8", (3, 4))])
NODE = np.dtype(
    [
        ("name", "O"), ("source_id", "O"), ("parent", "u4"), ("end", "u4"), ("part", "u4"),
        ("instance", "u4"), ("property_count", "u4"), ("placement", "f8", (3, 4)),
    ]
)  # fmt: skip

_MODES = {
    "checked": lib.BVP_OPEN_CHECKED,
    "trusted": lib.BVP_OPEN_TRUSTED,
    "isolated": lib.BVP_OPEN_ISOLATED,
}
_UP = {lib.BVP_UP_X: "x", lib.BVP_UP_Y: "y", lib.BVP_UP_Z: "z"}


def _text(string) -> str:
    """Return the text of a bvp_string."""
    return ffi.unpack(string.data, string.size).decode("utf-8", "replace") if string.size else ""


def _texts(strings: np.ndarray) -> np.ndarray:
    """Return the texts of an array of bvp_string, which point into the mapping, as objects."""
    dense = np.ascontiguousarray(strings)
    rows = ffi.cast("bvp_string *", dense.ctypes.data)[0 : len(dense)]
    return np.array([_text(string) for string in rows], object)


class _Columns:
    """The columns of a bulk read, and the table that they make.

    Parameters
    ----------
    kind : str
        The library's struct of columns, such as "bvp_node_columns *".
    """

    def __init__(self, kind: str, count: int) -> None:
        self.c, self._count = ffi.new(kind), count
        self._arrays: dict[str, np.ndarray] = {}

    def _add(self, field: str, column: str, array: np.ndarray) -> None:
        self._arrays[field] = array
        pointer = ffi.cast(ffi.typeof(getattr(self.c, column)), array.ctypes.data)
        setattr(self.c, column, pointer)

    def numbers(self, **columns: str) -> "_Columns":
        """Add 32-bit numbers: a field of the table, and the name of its column."""
        for field, column in columns.items():
            self._add(field, column, np.empty(self._count, "u4"))
        return self

    def placements(self) -> "_Columns":
        """Add the placements."""
        self._add("placement", "placements", np.empty((self._count, 3, 4)))
        return self

    def strings(self, **columns: str) -> "_Columns":
        """Add strings."""
        for field, column in columns.items():
            self._add(field, column, np.empty(self._count, _types.STRING))
        return self

    def table(self, dtype: np.dtype) -> np.ndarray:
        """Return what was read as a structured array."""
        table = np.empty(self._count, dtype)
        for field, array in self._arrays.items():
            table[field] = _texts(array) if array.dtype == _types.STRING else array
        return table


def _vector(values, count: int) -> np.ndarray:
    return np.array(ffi.unpack(values, count))


class File:
    """A packed file; made by `bvpack.open`, of a path or a descriptor.

    Opening takes tens of microseconds, whatever the size: the file is mapped, and queries read what
    they need. It pickles as its path, so that workers each open it, and share its memory.

    Use it in a ``with`` statement, or call `close`. The mapping stays while bodies of it exist.
    """

    def __init__(
        self,
        path,
        *,
        mode: str = "checked",
        verify_lazily: bool = False,
        overlay: bool = False,
        store: Optional[str] = None,
        offset: int = 0,
        size: int = 0,
    ) -> None:
        self.path: str = f"descriptor {path}" if isinstance(path, int) else os.fspath(path)
        self._options = {
            "mode": mode, "verify_lazily": verify_lazily, "overlay": overlay, "store": store,
            "offset": offset, "size": size,
        }  # fmt: skip
        if mode not in _MODES:
            raise ValueError(f"mode is one of {', '.join(_MODES)}, not {mode!r}")
        options = ffi.new("bvp_open_options *")
        options.mode = _MODES[mode]
        options.verify_lazily, options.overlay = verify_lazily, overlay
        options.offset, options.size = offset, size
        options.control = polling
        folder = None if store is None else ffi.new("char[]", path_bytes(store))
        if folder is not None:
            options.store = folder
        handle, error = ffi.new("bvp_file **"), new_error()
        if isinstance(path, int):
            status = lib.bvp_open_fd(path, options, handle, error)
        else:
            status = lib.bvp_open(path_bytes(path), options, handle, error)
        if status:
            raise_error(status, error, path=self.path)
        # bodies keep it, too: it is closed when neither this nor a body needs it
        self._file = ffi.gc(handle[0], lib.bvp_close)
        self._bytes = None if not isinstance(path, int) else _Descriptor(path).read
        self._info = ffi.new("bvp_file_info *")
        lib.bvp_get_info(self._file, self._info)
        self._cache: dict = {}

    def _handle(self):
        if self._file is None:
            raise ValueError(f"{self.path} is closed")
        return self._file

    def close(self) -> None:
        """Let go of the file. What bodies were made of it go on answering."""
        self._file = None
        self._cache = {}

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def __reduce__(self):
        if self._bytes is not None:
            return _open_bytes, (self._bytes(), self._options)
        return _open_again, (os.path.abspath(self.path), self._options)

    def __repr__(self) -> str:
        return (
            f"<bvpack.File {self.path}: {self.instance_count} instances of {self.part_count} "
            f"parts, {self.triangle_count} triangles>"
        )

    # ---- what is in it ------------------------------------------------------------------------

    @property
    def part_count(self) -> int:
        """How many parts there are."""
        return self._info.part_count

    @property
    def instance_count(self) -> int:
        """How many instances of them."""
        return self._info.instance_count

    @property
    def node_count(self) -> int:
        """How many nodes the product tree has."""
        return self._info.node_count

    @property
    def triangle_count(self) -> int:
        """Triangles over all instances."""
        return self._info.triangle_count

    @property
    def unit_in_metres(self) -> Optional[float]:
        """Length of a coordinate unit, or None when the source did not say it."""
        return self._info.unit_in_metres or None

    @property
    def up(self) -> Optional[str]:
        """Which axis points up: "x", "y", "z" or None."""
        return _UP.get(self._info.up)

    @property
    def bounds(self) -> np.ndarray:
        """The world's box, (2, 3), rounded outward."""
        return np.array([_vector(self._info.lo, 3), _vector(self._info.hi, 3)])

    @property
    def root_hash(self) -> str:
        """Identity of the content: equal bytes, equal hash."""
        return bytes(self._info.root_hash).hex()

    @property
    def parts(self) -> np.ndarray:
        """All parts, as a structured array."""
        return self._table("parts", self._read_parts)

    @property
    def instances(self) -> np.ndarray:
        """All instances: fields `part`, `node` and `placement` (3, 4), part to world.

        Examples
        --------
        >>> assembly.instances["part"]
        array([0, 0, 0], dtype=uint32)
        >>> assembly.instances["placement"][:, 0, 3]
        array([0., 2., 4.])
        """
        return self._table("instances", self._read_instances)

    @property
    def tree(self) -> np.ndarray:
        """The product tree: what is below node n are the nodes n + 1 to its `end`, exclusive.

        Examples
        --------
        >>> assembly.tree["name"]
        array(['', 'cube 1', 'cube 2', 'cube 3'], dtype=object)
        """
        return self._table("tree", self._read_nodes)

    def _table(self, name: str, read: Callable[[], np.ndarray]) -> np.ndarray:
        handle = self._handle()
        if name not in self._cache and handle:
            table = read()
            table.flags.writeable = False
            self._cache[name] = table
        return self._cache[name]

    def _check(self, status: int, what: str) -> None:
        if status:
            raise_error(status, None, what, self.path)

    def _read(self, call, count: int, out, what: str) -> None:
        """Fill columns with the rows of a whole table."""
        read = ffi.new("uint64_t *")
        status = call(self._handle(), (0, count), out, read)
        self._check(status, f"{what} {read[0]}")

    def _read_parts(self) -> np.ndarray:
        table, rows = np.empty(self.part_count, PART), np.zeros(self.part_count, _types.PART_INFO)
        infos = ffi.cast("bvp_part_info *", rows.ctypes.data)
        self._read(lib.bvp_get_parts, len(table), infos, "part")
        for name in PART.names or ():
            if PART[name] != object and name != "content_hash":
                table[name] = rows[name]
        table["name"], table["source_id"] = _texts(rows["name"]), _texts(rows["source_id"])
        table["content_hash"] = [row.tobytes().hex() for row in rows["content_hash"]]
        return table

    def _read_instances(self) -> np.ndarray:
        columns = _Columns("bvp_instance_columns *", self.instance_count)
        out = columns.numbers(part="parts", node="nodes").placements().c
        self._read(lib.bvp_get_instances, self.instance_count, out, "instance")
        return columns.table(INSTANCE)

    def _read_nodes(self) -> np.ndarray:
        columns = _Columns("bvp_node_columns *", self.node_count)
        columns.numbers(parent="parents", end="ends", part="parts", instance="instances")
        columns.numbers(property_count="property_counts").placements()
        out = columns.strings(name="names", source_id="source_ids").c
        self._read(lib.bvp_get_nodes, self.node_count, out, "node")
        return columns.table(NODE)

    def properties(self, node: int) -> dict[str, str]:
        """Return the properties of a node of the tree; `all_properties` reads those of all."""
        if not 0 <= node < self.node_count:
            what = f"node {node}: there are {self.node_count}"
            raise_error(lib.BVP_ERR_ARGUMENT, None, what, self.path)
        # one by one: arrays for all of them cost more than the calls
        info, key, value = ffi.new("bvp_node_info *"), ffi.new("bvp_string *"), ffi.new("bvp_string *")
        self._check(lib.bvp_get_node(self._handle(), node, info), f"node {node}")
        answer = {}
        for i in range(info.property_count):
            status = lib.bvp_get_property(self._file, node, i, key, value)
            self._check(status, f"property {i} of node {node}")
            answer[_text(key)] = _text(value)
        return answer

    def all_properties(self) -> list[dict[str, str]]:
        """Return the properties of all nodes, in the order of `tree`.

        Examples
        --------
        >>> assembly.all_properties()[2]
        {'row': '1'}
        """
        return self._properties(0, self.node_count)

    def _properties(self, first: int, nodes: int) -> list[dict[str, str]]:
        count, out = ffi.new("uint64_t *"), ffi.new("bvp_property_columns *")
        what = f"properties of nodes from {first}"
        offsets = np.zeros(nodes + 1, "u8")
        out.offsets = ffi.cast("uint64_t *", offsets.ctypes.data)
        self._check(lib.bvp_get_properties(self._handle(), (first, nodes), 0, out, count), what)
        room = count[0]
        if not room:
            return [{} for _ in range(nodes)]
        keys, values = np.zeros(room, _types.STRING), np.zeros(room, _types.STRING)
        out.keys = ffi.cast("bvp_string *", keys.ctypes.data)
        out.values = ffi.cast("bvp_string *", values.ctypes.data)
        status = lib.bvp_get_properties(self._file, (first, nodes), room, out, count)
        self._check(status, what)
        pairs = list(zip(_texts(keys), _texts(values)))
        return [dict(pairs[a:b]) for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist())]

    def triangles(
        self, part: int = 0, first: int = 0, count: Optional[int] = None, out=None
    ) -> np.ndarray:
        """Return a part's triangles in storage order: (n, 3, 3) floats, in part coordinates.

        Parameters
        ----------
        out : (n, 3, 3) float32 array, optional
            Contiguous; where they are written.

        Examples
        --------
        >>> assembly.triangles(0).shape
        (12, 3, 3)
        """
        count = self._count(part, first, count)
        answer = np.empty((count, 3, 3), "f4") if out is None else out
        good = answer.dtype == np.dtype("f4") and answer.flags.c_contiguous
        if not good or answer.shape[1:] != (3, 3) or len(answer) < count:
            raise ValueError(f"out is a contiguous float32 array of at least ({count}, 3, 3)")
        written = count and self._get_triangles(part, first, count, ffi.cast("float *", answer.ctypes.data))
        return answer[:written]

    def triangle_ids(
        self, part: int = 0, first: int = 0, count: Optional[int] = None
    ) -> np.ndarray:
        """Return the numbers that a part's triangles have in the source, in storage order."""
        count = self._count(part, first, count)
        answer = np.empty(count, "u8")
        ids = ffi.cast("uint64_t *", answer.ctypes.data)
        written = count and self._get_triangles(part, first, count, ffi.NULL, ids)
        return answer[:written]

    def _count(self, part: int, first: int, count: Optional[int]) -> int:
        info = ffi.new("bvp_part_info *")
        self._check(lib.bvp_get_part(self._handle(), part, info), f"part {part}")
        rest = max(0, info.triangle_count - first)
        return rest if count is None else min(count, rest)

    def _get_triangles(self, part, first, count, positions, ids=ffi.NULL) -> int:
        written = ffi.new("uint64_t *")
        status = lib.bvp_get_triangles(
            self._handle(), part, (first, count), positions, ids, written
        )
        self._check(status, f"triangles of part {part}")
        return written[0]

    def boxes(self, part: Optional[int] = None, level: Optional[int] = None) -> np.ndarray:
        """Return boxes of a part's hierarchy, or the assembly's, as an array of `bvpack.BOX`.

        Parameters
        ----------
        level : int, optional
            The boxes of this level, and leaves above it; None: all leaves.
        """
        rows = _arrays.new_rows(_types.BOX)
        number = lib.BVP_ASSEMBLY if part is None else part
        deep = 2**32 - 1 if level is None else level
        status = lib.bvpy_boxes(self._handle(), number, deep, rows)
        answers = _arrays.take(rows, _types.BOX)
        self._check(status, "boxes")
        return answers

    # ---- bodies -------------------------------------------------------------------------------

    def body(
        self,
        part: Optional[int] = None,
        placement=None,
        *,
        instances=None,
        below: Optional[int] = None,
        exclude: bool = False,
    ) -> Body:
        """Return what queries are about.

        Parameters
        ----------
        part : int, optional
            A part, in its own coordinates; None: the assembly, every instance where it stands.
        placement : (3, 4) or (4, 4) array, optional
            Affine, not singular; None: the identity.
        instances : array, optional
            Of an assembly, only these: numbers, or a bool for each instance.
        below : int, optional
            Only the instances at or below this node of the tree, besides.
        exclude : bool
            All but those.

        Examples
        --------
        >>> lifted = assembly.body(placement=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 5]])
        >>> lifted.distance(assembly.body())
        <Distance 4>
        >>> assembly.body(below=1).collide(assembly.body(below=1, exclude=True))
        False
        """
        if part is not None and not 0 <= part < self.part_count:
            raise ValueError(f"part {part}: there are {self.part_count}")
        if part is not None and (instances is not None or below is not None):
            raise ValueError("a part has no instances to choose from")
        bits = None
        if instances is not None or below is not None:
            bits = self._bits(instances, below)
        elif exclude:
            raise ValueError("exclude goes with instances or below")
        return Body(self, part, placement, bits, exclude)

    def _bits(self, instances, below: Optional[int]) -> np.ndarray:
        words = np.zeros((self.instance_count + 63) // 64, "<u8")
        if instances is not None:
            chosen = np.asarray(instances)
            mask = np.zeros(len(words) * 64, bool)
            if chosen.dtype == bool:
                if chosen.shape != (self.instance_count,):
                    raise ValueError(f"instances: {self.instance_count} bools, or numbers")
                mask[: len(chosen)] = chosen
            elif chosen.size:
                if chosen.min() < 0 or chosen.max() >= self.instance_count:
                    raise ValueError(f"instances: numbers below {self.instance_count}")
                mask[chosen] = True
            words |= np.packbits(mask, bitorder="little").view("<u8")
        if below is not None:
            pointer = ffi.cast("uint64_t *", words.ctypes.data)
            status = lib.bvp_filter_subtree(self._handle(), below, pointer, len(words))
            self._check(status, f"node {below}")
        return words

    # ---- checks and pictures ------------------------------------------------------------------

    def verify(self) -> list[tuple[str, int, str]]:
        """Check every rule of the format; return (rule, offset, message) of each that is broken."""
        findings: list[tuple[str, int, str]] = []
        run = Run(finding=lambda rule, at, message: findings.append((rule, at, message)))
        error = new_error()
        status = lib.bvp_verify_file(self._handle(), lib.bvpy_finding, run.handle, error)
        raise_pending(status)
        if status and not findings:
            raise_error(status, error, path=self.path)
        return findings

    def refit(self, part: int, positions) -> None:
        """Move all vertices of a part packed `deformable`, of a file opened with `overlay`.

        Parameters
        ----------
        positions : (n, 3) float32 array
            In the order of `vertices`.
        """
        given = np.ascontiguousarray(positions, "f4")
        if given.ndim != 2 or given.shape[1] != 3:
            raise ValueError(f"positions are (n, 3), not {given.shape}")
        error = new_error()
        pointer = ffi.cast("float *", given.ctypes.data)
        status = lib.bvp_refit(self._handle(), part, pointer, len(given), error)
        if status:
            raise_error(status, error, path=self.path)

    def vertices(self, part: int = 0) -> np.ndarray:
        """Return a part's vertices as they are stored: (n, 3) floats, in part coordinates."""
        count = ffi.new("uint64_t *")
        status = lib.bvp_get_vertices(self._handle(), part, 0, 2**63, ffi.NULL, count)
        self._check(status, f"vertices of part {part}")
        answer = np.empty((count[0], 3), "f4")
        pointer = ffi.cast("float *", answer.ctypes.data)
        status = lib.bvp_get_vertices(self._handle(), part, 0, len(answer), pointer, count)
        self._check(status, f"vertices of part {part}")
        return answer

    def picture(self, width: int = 480, height: int = 320) -> bytes:
        """Return a PNG of the assembly, drawn by its own rays."""
        return picture(self, width, height)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def _explain(self, status: int, part: int):
        """Return the details of a query's failure, where a part's check has them, or None."""
        if status == lib.BVP_ERR_ARGUMENT or part == lib.BVP_ASSEMBLY:
            return None
        error = new_error()
        # the file may be closed, and the body that asks still has it
        if self._file is None:
            return None
        return error if lib.bvp_check_part(self._file, part, error) else None


@ffi.def_extern(name="bvpy_finding", onerror=stops_the_run, error=1)
def _finding(user, finding) -> int:
    rule = ffi.string(finding.rule).decode()
    message = ffi.string(finding.message).decode("utf-8", "replace")
    run_of(user).callbacks["finding"](rule, finding.offset, message)
    return 0


class _Descriptor:
    """A descriptor of its own, closed when nobody needs it."""

    def __init__(self, descriptor: int) -> None:
        self._number = os.dup(descriptor)
        weakref.finalize(self, os.close, self._number)

    def read(self) -> bytes:
        """Return all bytes of its file."""
        size, data = os.fstat(self._number).st_size, b""
        while len(data) < size:
            more = os.pread(self._number, size - len(data), len(data))
            if not more:
                break
            data += more
        return data


def _open_bytes(data: bytes, options: dict) -> File:
    descriptor = os.memfd_create("bvpack")
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        return File(descriptor, **options)


def _open_again(path: str, options: dict) -> File:
    return File(path, **options)
