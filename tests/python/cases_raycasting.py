# SPDX-License-Identifier: MIT
"""The names of Open3D's RaycastingScene: shapes, types and values of its answers."""

import unittest

import models
import numpy as np

from bvpack.raycasting import RaycastingScene


class Scene(unittest.TestCase):
    def setUp(self):
        self.scene = RaycastingScene()
        self.vertices, self.faces = models.ball_mesh(12)
        self.assertEqual(self.scene.add_triangles(models.CORNERS + 3, models.TRIANGLES), 0)
        self.assertEqual(self.scene.add_triangles(self.vertices, self.faces), 1)
        self.assertEqual(self.scene.add_triangles(models.CORNERS - 4, models.TRIANGLES), 2)

    def test_rays(self):
        rays = np.zeros((2, 3, 6), "f4")
        rays[..., :3] = [[(0.1, 0.2, 9), (3.2, 3.6, 9), (9, 9, 9)], [(0.1, 0.2, -9), (-3.7, -3.2, 9), (0, 9, 0)]]
        rays[..., 5] = [[-1, -1, -1], [1, -1, 1]]
        found = self.scene.cast_rays(rays)
        self.assertEqual({k: v.shape for k, v in found.items()}, {
            "t_hit": (2, 3), "geometry_ids": (2, 3), "primitive_ids": (2, 3),
            "primitive_uvs": (2, 3, 2), "primitive_normals": (2, 3, 3),
        })  # fmt: skip
        none = RaycastingScene.INVALID_ID
        self.assertEqual(found["geometry_ids"].tolist(), [[1, 0, none], [1, 2, none]])
        self.assertEqual(found["geometry_ids"].dtype, np.uint32)
        self.assertAlmostEqual(found["t_hit"][0, 1], 5, delta=1e-6)
        self.assertEqual(found["t_hit"][0, 2], np.inf)
        np.testing.assert_allclose(found["primitive_normals"][0, 1], [0, 0, 1])
        u, v = found["primitive_uvs"][0, 1]
        a, b, c = (models.CORNERS + 3)[models.TRIANGLES[found["primitive_ids"][0, 1]]]
        np.testing.assert_allclose(a + u * (b - a) + v * (c - a), [3.2, 3.6, 4], atol=1e-6)
        np.testing.assert_array_equal(
            self.scene.test_occlusions(rays), [[True, True, False], [True, True, False]]
        )
        self.assertFalse(self.scene.test_occlusions(rays, tfar=4.5).any())
        np.testing.assert_array_equal(self.scene.count_intersections(rays), [[2, 2, 0], [2, 2, 0]])
        hits = self.scene.list_intersections(rays)
        self.assertEqual(hits["ray_splits"].tolist(), [0, 2, 4, 4, 6, 8, 8])
        self.assertEqual(hits["geometry_ids"].tolist(), [1, 1, 0, 0, 1, 1, 2, 2])

    def test_points(self):
        rng = np.random.default_rng(models.SEED + 5)
        points = rng.normal(size=(40, 50, 3))
        found = self.scene.compute_closest_points(points)
        self.assertEqual(found["points"].shape, (40, 50, 3))
        on_ball = found["geometry_ids"] == 1
        self.assertGreater(on_ball.mean(), 0.8)
        corners = self.vertices[self.faces[found["primitive_ids"][on_ball]]]
        u, v = found["primitive_uvs"][on_ball].T
        again = (1 - u - v)[:, None] * corners[:, 0] + u[:, None] * corners[:, 1] + v[:, None] * corners[:, 2]
        np.testing.assert_allclose(again, found["points"][on_ball], atol=1e-5)
        distance = self.scene.compute_distance(points)
        np.testing.assert_allclose(
            distance, np.linalg.norm(points - found["points"], axis=2), atol=1e-5
        )
        signed, occupied = self.scene.compute_signed_distance(points), self.scene.compute_occupancy(points)
        np.testing.assert_allclose(np.abs(signed), distance)
        np.testing.assert_array_equal(signed < 0, occupied == 1)
        radius = np.linalg.norm(points, axis=2)
        self.assertTrue((occupied[radius < 0.95] == 1).all())

    def test_threads_change_nothing(self):
        rng = np.random.default_rng(models.SEED + 6)
        rays = rng.normal(size=(20000, 6))
        one, four = self.scene.cast_rays(rays, nthreads=1), self.scene.cast_rays(rays, nthreads=4)
        for key, value in one.items():
            np.testing.assert_array_equal(value, four[key])

    def test_packed_file(self):
        scene = RaycastingScene.of(models.cubes().body())
        found = scene.cast_rays([[4.5, 0.5, 9, 0, 0, -1]])
        self.assertEqual((found["geometry_ids"][0], found["t_hit"][0]), (2, 8))
        with self.assertRaises(ValueError):
            scene.add_triangles(models.CORNERS, models.TRIANGLES)
        with self.assertRaises(ValueError):
            scene.cast_rays([[1, 2, 3]])
