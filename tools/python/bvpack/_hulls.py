# SPDX-License-Identifier: MIT
"""How deep two convex meshes are in one another, for the adapters: by separating axes.

Based on: Gottschalk, Lin, Manocha 1996, section 5, for polytopes: the axes are both meshes' face
normals, and the cross products of their edges' directions.
"""

from __future__ import annotations

import numpy as np

_CROSSES_MOST = 65536  # products of edges beyond these are left out: the depth is then an upper bound


def directions(vectors: np.ndarray, signed: bool) -> np.ndarray:
    """Return the different directions among vectors, as unit vectors."""
    lengths = np.linalg.norm(vectors, axis=1)
    units = vectors[lengths > 1e-12 * max(lengths.max(initial=0), 1e-300)]
    units = units / np.linalg.norm(units, axis=1)[:, None]
    if not signed:
        leading = np.argmax(np.abs(units) > 1e-6, axis=1)
        units = units * np.sign(units[np.arange(len(units)), leading])[:, None]
    keep = np.unique(np.round(units, 6) + 0.0, axis=0, return_index=True)[1]
    return units[np.sort(keep)]


class Hull:
    """A convex mesh in its own coordinates.

    Parameters
    ----------
    vertices : (n, 3) array
    faces : (m, 3) array
    """

    def __init__(self, vertices, faces) -> None:
        self.vertices = np.asarray(vertices, "f8")
        corners = self.vertices[np.asarray(faces)]
        edges = corners[:, [1, 2, 0]] - corners
        self.normals = directions(np.cross(edges[:, 0], edges[:, 1]), signed=True)
        self.edges = directions(edges.reshape(-1, 3), signed=False)

    def holds(self, point: np.ndarray) -> bool:
        """Tell whether a point in its coordinates is inside."""
        reach = (self.vertices @ self.normals.T).max(axis=0)
        return bool((self.normals @ point <= reach).all())


def penetration(a: Hull, turn_a, move_a, b: Hull, turn_b, move_b):
    """Return (depth, normal from a to b, position); depth < 0: a plane separates them.

    Of equally deep directions it is the first one in lexicographic order.
    """
    points_a = a.vertices @ turn_a.T + move_a
    points_b = b.vertices @ turn_b.T + move_b
    axes = [a.normals @ turn_a.T, -(b.normals @ turn_b.T)]
    if len(a.edges) * len(b.edges) <= _CROSSES_MOST:
        crosses = np.cross((a.edges @ turn_a.T)[:, None], (b.edges @ turn_b.T)[None]).reshape(-1, 3)
        crosses = crosses[np.linalg.norm(crosses, axis=1) > 1e-9]
        if len(crosses):
            crosses = directions(crosses, signed=False)
            axes += [crosses, -crosses]
    normals = np.concatenate(axes)
    depths = (points_a @ normals.T).max(axis=0) - (points_b @ normals.T).min(axis=0)
    best = depths.min()
    tied = np.flatnonzero(depths <= best + 1e-9 * (1 + abs(best)))
    rounded = np.round(normals[tied], 9) + 0.0
    normal = normals[tied[np.lexsort(rounded.T[::-1])[0]]]
    along_a, along_b = points_a @ normal, points_b @ normal
    slack = 1e-9 * (1 + abs(best))
    deepest_a = points_a[np.argmax(along_a >= along_a.max() - slack)]
    deepest_b = points_b[np.argmax(along_b <= along_b.min() + slack)]
    return float(best), normal, (deepest_a + deepest_b) / 2
