# SPDX-License-Identifier: MIT
"""Clash detection in an assembly, or between two."""

from __future__ import annotations

from math import nan
from typing import Any, Callable, Optional

import numpy as np

from . import _arrays, _types
from ._answers import VERDICTS
from ._errors import new_error, raise_error
from ._file import File
from ._interrupt import Run, run_of, stops_the_run
from ._native import ffi, lib

_DETAILS = {
    "distance": lib.BVP_CLASH_DISTANCE,
    "verdicts": lib.BVP_CLASH_VERDICTS,
    "contacts": lib.BVP_CLASH_CONTACTS,
    "fast-contacts": lib.BVP_CLASH_FAST_CONTACTS,
}


class Clashes:
    """What a clash run found.

    Attributes
    ----------
    table : numpy.ndarray
        A row of `bvpack.CLASH` for each pair that is not clear, in the order of (a, b).
    coverage : dict
        Of the pairs whose boxes are near: how many there are, and of each verdict.
    """

    def __init__(self, a: File, b: File, table: np.ndarray, coverage: dict[str, int]) -> None:
        self._files = (a, b)
        self.table = table
        self.coverage = coverage

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, key):
        return self.table[key]

    @property
    def verdicts(self) -> np.ndarray:
        """The verdict of each row as a word, such as "penetrating"."""
        return np.array(VERDICTS, object)[self.table["verdict"]]

    def names(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the names of the instances a and b of each row: those of their nodes."""
        a, b = self._files
        return (
            a.tree["name"][a.instances["node"][self.table["a"]]],
            b.tree["name"][b.instances["node"][self.table["b"]]],
        )

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame with a row for each pair; pandas must be installed."""
        import pandas  # type: ignore[import]

        a, b = self.names()
        columns = {"a": a, "b": b, "verdict": self.verdicts}
        columns.update({"instance_a": self.table["a"], "instance_b": self.table["b"]})
        for name in ("distance", "lower", "depth", "depth_upper", "triangle_pairs"):
            columns[name] = self.table[name]
        for side in "ab":
            for i, axis in enumerate("xyz"):
                columns[f"{axis}_{side}"] = self.table[f"point_{side}"][:, i]
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        found = {k: n for k, n in self.coverage.items() if k in VERDICTS and n}
        return f"<bvpack.Clashes {len(self)}: {found}>"

    def _repr_html_(self) -> str:
        try:
            return self.to_pandas()._repr_html_()
        except ImportError:
            return f"<pre>{self!r}</pre>".replace("<b", "&lt;b")


def clash(
    a: File,
    b: Optional[File] = None,
    placement_b=None,
    *,
    clearance: float = 0.0,
    touch_gap: float = nan,
    overlap: float = nan,
    detail: str = "distance",
    threads: int = 0,
    progress: Optional[Callable[[int, int], Any]] = None,
) -> Clashes:
    """Find the pairs of instances that clash or are nearer than a clearance.

    Parameters
    ----------
    a : File
    b : File, optional
        None: all pairs within `a`; else an instance of each.
    placement_b : (3, 4) array, optional
        Of b's world in a's.
    clearance, touch_gap, overlap : float
        The limits, in the units of the files. NaN: the library's choice; spec/clash.md.
    detail : str
        "verdicts", the fastest, "distance", "contacts" or "fast-contacts".
    threads : int
        0: one for each processor.
    progress : callable, optional
        Called with the instances that are done and how many there are. What it raises ends the
        run, as KeyboardInterrupt does.

    Examples
    --------
    >>> found = bvpack.clash(assembly, clearance=1.5)
    >>> found.verdicts
    array(['within', 'within'], dtype=object)
    >>> found.table["distance"]
    array([1., 1.])
    >>> found.coverage["within"]
    2
    """
    if detail not in _DETAILS:
        raise ValueError(f"detail is one of {', '.join(_DETAILS)}, not {detail!r}")
    run = Run(progress=progress)
    matrix = None if placement_b is None else _arrays.placement(placement_b)
    scene = ffi.new("bvp_clash_scene *", {"a": a._handle()})
    if b is not None:
        scene.b = b._handle()
    if matrix is not None:
        scene.placement_b = _arrays.doubles(matrix)
    limits = {"clearance": clearance, "touch_gap": touch_gap, "overlap": overlap}
    options = ffi.new("bvp_clash_options *", {"limits": limits, "detail": _DETAILS[detail]})
    options.thread_count, options.control = threads, run.control
    if progress is not None:
        options.progress, options.progress_user = lib.bvpy_clash_progress, run.handle
    rows, coverage = _arrays.new_rows(_types.CLASH), ffi.new("bvp_clash_coverage *")
    error = new_error()
    try:
        status = run.wait(lambda: lib.bvpy_clash(scene, options, rows, coverage, error))
    except BaseException:
        _arrays.take(rows, _types.CLASH)
        raise
    table = _arrays.take(rows, _types.CLASH)
    if status:
        raise_error(status, error, "clash", a.path)
    counts = {"box_pairs": coverage.box_pairs, "excluded": coverage.excluded}
    counts.update(zip(VERDICTS, coverage.verdicts))
    counts.update(instances=coverage.instance_count, open=coverage.open_count)
    return Clashes(a, b or a, table, counts)


@ffi.def_extern(name="bvpy_clash_progress", onerror=stops_the_run, error=1)
def _progress(user, done, total, _coverage) -> int:
    run_of(user).callbacks["progress"](done, total)
    return 0
