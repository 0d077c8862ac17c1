# SPDX-License-Identifier: MIT
"""trimesh_tests.py adapters|fcl: runs trimesh's own tests, of $BVP_TRIMESH, on bvpack.

adapters: on the classes of bvpack.trimesh; fcl: on trimesh's CollisionManager with bvpack.fcl.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import unittest
import warnings

import bvpack.fcl
import bvpack.trimesh as adapter

USED: dict[str, int] = {}


def counted(kind):
    """Return a class that counts how many of it are made: that the tests do use it is checked."""

    class Counted(kind):
        def __init__(self, *args, **kwargs):
            USED[kind.__name__] = USED.get(kind.__name__, 0) + 1
            super().__init__(*args, **kwargs)

    Counted.__name__ = kind.__name__
    return Counted


def main(patch: str) -> int:
    """Run them; return the exit status."""
    warnings.simplefilter("ignore")
    folder = os.environ["BVP_TRIMESH"]
    sys.path[:0] = [folder, os.path.join(folder, "tests")]
    sys.modules["fcl"] = bvpack.fcl
    import trimesh

    names = ["test_collision"]
    if patch == "adapters":
        names += ["test_ray", "test_proximity"]
        trimesh.collision.CollisionManager = counted(adapter.CollisionManager)
        trimesh.ray.ray_triangle.RayMeshIntersector = counted(adapter.RayMeshIntersector)
        trimesh.proximity.ProximityQuery = counted(adapter.ProximityQuery)
        trimesh.proximity.closest_point = adapter.closest_point
    passed, failed, lacking = 0, [], []
    for name in names:
        module = importlib.import_module(name)
        cases = [(f, getattr(module, f)) for f in dir(module) if f.startswith("test_")]
        for case in unittest.defaultTestLoader.loadTestsFromModule(module):
            cases += [(test.id(), test.debug) for test in case]
        for label, run in cases:
            try:
                run()
                passed += 1
            except ImportError as error:
                lacking.append(f"{label} ({error})")
            except Exception:  # noqa: BLE001: each is told
                failed.append(label)
                print(f"{name}: {label}")
                traceback.print_exc(limit=-4, file=sys.stdout)
    print(f"trimesh {trimesh.__version__}, {patch}: {passed} passed, failed: {failed or 'none'}, "
          f"of a package that is not here: {lacking or 'none'}")  # fmt: skip
    if patch == "adapters":
        print("made:", USED)
    wanted = {"CollisionManager", "RayMeshIntersector", "ProximityQuery"}
    good = patch == "fcl" or wanted <= set(USED)
    return 0 if good and passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
