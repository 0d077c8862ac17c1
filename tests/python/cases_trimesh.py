# SPDX-License-Identifier: MIT
"""The names of trimesh: shapes and conventions of the answers, and trimesh's own tests.

The latter run where BVP_TRIMESH names a folder with trimesh's repository; nothing of it is shipped.
They run twice: on the classes of bvpack.trimesh, and on trimesh's own CollisionManager with
bvpack.fcl in place of python-fcl.
"""

import os
import subprocess
import sys
import unittest
from types import SimpleNamespace

import models
import numpy as np

import bvpack.trimesh as adapter

CUBE = SimpleNamespace(vertices=models.CORNERS, faces=models.TRIANGLES)


class Convex(SimpleNamespace):
    """A mesh that says that it is convex, with a hash as trimesh's have."""

    is_convex = True
    __hash__ = object.__hash__


def at(*place):
    matrix = np.eye(4)
    matrix[:3] = models.shift(*place)
    return matrix


class Rays(unittest.TestCase):
    def test_against_every_triangle(self):
        rng = np.random.default_rng(models.SEED + 2)
        vertices, faces = models.ball_mesh(12)
        vertices = vertices @ models.turns(rng, 1)[0].T + rng.normal(size=3)
        mesh = SimpleNamespace(vertices=vertices, faces=faces)
        ray = adapter.RayMeshIntersector(mesh)
        origins = rng.uniform(-3, 3, (200, 3))
        directions = vertices[rng.integers(0, len(vertices), 200)] * 0.7 - origins
        index_tri, index_ray = ray.intersects_id(origins, directions)
        self.assertEqual((index_tri.dtype, index_ray.dtype), (np.int64, np.int64))
        first, any_ = ray.intersects_first(origins, directions), ray.intersects_any(origins, directions)
        locations, of_ray, of_tri = ray.intersects_location(origins, directions)
        for i in range(200):
            slow = models.ray_hits(vertices[faces], origins[i], directions[i])
            mine = index_tri[index_ray == i]
            self.assertEqual(set(mine), set(np.flatnonzero(~np.isnan(slow))))
            self.assertEqual(any_[i], len(mine) > 0)
            self.assertEqual(first[i], np.nanargmin(slow) if len(mine) else -1)
            where = origins[i] + slow[of_tri[of_ray == i], None] * directions[i]
            np.testing.assert_allclose(locations[of_ray == i], where, atol=1e-12)
        one, number = ray.intersects_id(origins, directions, multiple_hits=False)
        np.testing.assert_array_equal(first[number], one)

    def test_shapes_of_nothing(self):
        ray = adapter.RayMeshIntersector(CUBE)
        locations, index_ray, index_tri = ray.intersects_location([[9, 9, 9]], [[0, 0, 1]])
        self.assertEqual((locations.shape, index_ray.shape, index_tri.shape), ((0, 3), (0,), (0,)))
        self.assertEqual(len(ray.intersects_any(np.zeros((0, 3)), np.zeros((0, 3)))), 0)
        with self.assertRaises(ValueError):
            ray.intersects_any(np.zeros((2, 3)), np.zeros((1, 3)))

    def test_one_hit_at_a_corner(self):
        ray = adapter.RayMeshIntersector(CUBE)
        middle = np.full((8, 3), 0.5)
        _, index_ray, _ = ray.intersects_location(middle, models.CORNERS - 0.5)
        np.testing.assert_array_equal(index_ray, np.arange(8))

    def test_inside(self):
        ray = adapter.RayMeshIntersector(CUBE)
        points = np.random.default_rng(models.SEED).uniform(-0.5, 1.5, (500, 3))
        inside = ((points > 0) & (points < 1)).all(axis=1)
        np.testing.assert_array_equal(ray.contains_points(points), inside)

    def test_cavity(self):
        inner = 0.4 + 0.2 * models.CORNERS
        faces = np.concatenate([models.TRIANGLES, models.TRIANGLES[:, ::-1] + 8])
        mesh = SimpleNamespace(vertices=np.concatenate([models.CORNERS, inner]), faces=faces)
        ray = adapter.RayMeshIntersector(mesh)
        inside = ray.contains_points([[0.5, 0.5, 0.5], [0.2, 0.5, 0.5]])
        np.testing.assert_array_equal(inside, [False, True])

    def test_changed_mesh(self):
        mesh = SimpleNamespace(vertices=models.CORNERS.copy(), faces=models.TRIANGLES)
        ray = adapter.RayMeshIntersector(mesh)
        self.assertTrue(ray.intersects_any([[0.5, 0.5, 5]], [[0, 0, -1]])[0])
        mesh.vertices += 9
        self.assertFalse(ray.intersects_any([[0.5, 0.5, 5]], [[0, 0, -1]])[0])


class Proximity(unittest.TestCase):
    def test_against_every_triangle(self):
        rng = np.random.default_rng(models.SEED + 3)
        vertices, faces = models.ball_mesh(8)
        vertices = vertices * 1000 + rng.normal(size=3)  # no longer floats
        near = adapter.ProximityQuery(SimpleNamespace(vertices=vertices, faces=faces))
        points = rng.normal(size=(200, 3)) * 1000
        closest, distance, triangle = near.on_surface(points)
        self.assertEqual((closest.shape, triangle.dtype), ((200, 3), np.int64))
        signed = near.signed_distance(points)
        for i, point in enumerate(points):
            slow = models.nearest(vertices[faces], point)
            self.assertAlmostEqual(distance[i], slow, delta=1e-9 * 1000)
            self.assertAlmostEqual(np.linalg.norm(closest[i] - point), slow, delta=1e-9 * 1000)
            own = models.nearest(vertices[faces[triangle[i]]][None], closest[i])
            self.assertLess(own, 1e-9 * 1000)
        np.testing.assert_allclose(np.abs(signed), distance)
        far = np.linalg.norm(points - vertices.mean(axis=0), axis=1)
        self.assertTrue((signed[far > 1100] < 0).all() and (signed[far < 900] > 0).all())
        distance, index = near.vertex(points[:5])
        np.testing.assert_allclose(distance, np.linalg.norm(vertices[index] - points[:5], axis=1))


class Collisions(unittest.TestCase):
    def test_manager(self):
        for mesh in (CUBE, Convex(vertices=models.CORNERS, faces=models.TRIANGLES)):
            manager = adapter.CollisionManager()
            for i in range(3):
                manager.add_object(f"c{i}", mesh, at(2 * i))
            self.assertIs(manager.in_collision_internal(), False)
            self.assertEqual(manager.in_collision_single(mesh, at(0.5), return_names=True), (True, {"c0"}))
            self.assertIs(manager.in_collision_single(mesh, at(50)), False)
            hit, names, data = manager.in_collision_single(mesh, at(1.5), True, True)
            self.assertEqual((hit, names), (True, {"c1"}))
            self.assertTrue(all(d.point.shape == (3,) and "c1" in d.names for d in data) and data)
            self.assertEqual(data[0].names, {"c1", "__external"})
            distance, names, data = manager.min_distance_internal(return_names=True, return_data=True)
            self.assertAlmostEqual(distance, 1)
            self.assertIn(names, [("c0", "c1"), ("c1", "c2")])
            gap = np.linalg.norm(data.point(names[0]) - data.point(names[1]))
            self.assertAlmostEqual(gap, 1)
            self.assertAlmostEqual(manager.min_distance_internal("c0", return_names=True)[0], 1)
            other = adapter.CollisionManager()
            other.add_object("o", mesh, at(4.5, 0, 3))
            distance, names = manager.min_distance_other(other, return_names=True)
            self.assertAlmostEqual(distance, 2)
            self.assertEqual(names, ("c2", "o"))
            other.set_transform("o", at(4.5))
            self.assertEqual(manager.in_collision_other(other, return_names=True), (True, {("c2", "o")}))
            manager.remove_object("c2")
            self.assertIs(manager.in_collision_other(other), False)
            with self.assertRaises(ValueError):
                manager.remove_object("c2")

    def test_depth_of_closed_meshes(self):
        manager = adapter.CollisionManager()
        manager.add_object("c", CUBE)
        _, data = manager.in_collision_single(CUBE, at(0.75, 0.25, 0.25), return_data=True)
        self.assertAlmostEqual(data[0].depth, 0.25, delta=1e-4)
        far = manager.min_distance_single(CUBE, at(0.75, 0.25, 0.25))
        self.assertAlmostEqual(far, -0.25, delta=1e-4)

    def test_depth_of_convex_meshes(self):
        mesh = Convex(vertices=models.CORNERS, faces=models.TRIANGLES)
        manager = adapter.CollisionManager()
        manager.add_object("c", mesh)
        self.assertAlmostEqual(manager.min_distance_single(mesh, at(0.75)), -0.25)
        small = Convex(vertices=models.CORNERS * 0.1, faces=models.TRIANGLES)
        self.assertTrue(manager.in_collision_single(small, at(0.5, 0.5, 0.5)))  # a solid in a solid
        self.assertAlmostEqual(manager.min_distance_single(small, at(0.5, 0.5, 0.5)), -0.5)


@unittest.skipUnless(os.environ.get("BVP_TRIMESH"), "BVP_TRIMESH names no repository of trimesh")
class TrimeshsOwn(unittest.TestCase):
    def run_with(self, patch):
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run(
            [sys.executable, os.path.join(here, "trimesh_tests.py"), patch],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        print(done.stdout.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_adapters(self):
        self.run_with("adapters")

    def test_fcl(self):
        self.run_with("fcl")
