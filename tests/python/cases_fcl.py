# SPDX-License-Identifier: MIT
"""The names of python-fcl: what its README does, and shapes against meshes."""

import unittest

import models
import numpy as np

from bvpack import fcl


def mesh(scale=1.0):
    model = fcl.BVHModel()
    model.beginModel(len(models.TRIANGLES), len(models.CORNERS))
    model.addSubModel(models.CORNERS * scale, models.TRIANGLES)
    model.endModel()
    return model


def moved(geometry, *place):
    return fcl.CollisionObject(geometry, fcl.Transform(np.array(place, float)))


class Fcl(unittest.TestCase):
    def test_transforms(self):
        turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
        place = fcl.Transform(np.array([np.sqrt(0.5), 0, 0, np.sqrt(0.5)]), np.array([1.0, 2, 3]))
        np.testing.assert_allclose(place.getRotation(), turn, atol=1e-15)
        np.testing.assert_array_equal(fcl.Transform(place).getTranslation(), [1, 2, 3])
        thing = fcl.CollisionObject(mesh(), place)
        thing.setTranslation([0, 0, 0])
        np.testing.assert_array_equal(place.getTranslation(), [1, 2, 3])
        with self.assertRaises(ValueError):
            fcl.Transform(np.zeros(5))

    def test_contacts(self):
        a, b = moved(mesh(), 0, 0, 0), moved(mesh(), 0.75, 0.25, 0.25)
        result = fcl.CollisionResult()
        count = fcl.collide(a, b, fcl.CollisionRequest(100, True), result)
        self.assertEqual(count, len(result.contacts))
        self.assertGreater(count, 3)
        for contact in result.contacts:
            self.assertIs(contact.o1, a.getCollisionGeometry())
            self.assertTrue(0 <= contact.b1 < 12 and 0 <= contact.b2 < 12)
            self.assertAlmostEqual(np.linalg.norm(contact.normal), 1)
            self.assertTrue((contact.pos >= -1e-9).all() and (contact.pos <= 1.75).all())
        self.assertEqual(fcl.collide(a, b, fcl.CollisionRequest(2, True)), 2)
        b.setTranslation([5, 0, 0])
        self.assertEqual(fcl.collide(a, b), 0)
        far = fcl.DistanceResult()
        fcl.distance(a, b, fcl.DistanceRequest(enable_nearest_points=True), far)
        self.assertAlmostEqual(far.min_distance, 4)
        gap = np.linalg.norm(far.nearest_points[0] - far.nearest_points[1])
        self.assertAlmostEqual(gap, 4)

    def test_depth_of_meshes(self):
        request = fcl.CollisionRequest(100, True)
        signed = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True)
        a, b = moved(mesh(), 0, 0, 0), moved(mesh(), 0.75, 0.25, 0.25)
        box = moved(fcl.Box(1, 1, 1), 1.25, 0.75, 0.75)
        for one, other in ((a, b), (a, box), (box, a)):
            result = fcl.CollisionResult()
            fcl.collide(one, other, request, result)
            depths = {contact.penetration_depth for contact in result.contacts}
            self.assertEqual(len(depths), 1)
            self.assertAlmostEqual(depths.pop(), 0.25, delta=1e-4)
            far = fcl.DistanceResult()
            self.assertAlmostEqual(fcl.distance(one, other, signed, far), -0.25, delta=1e-4)
            gap = np.linalg.norm(far.nearest_points[0] - far.nearest_points[1])
            self.assertAlmostEqual(gap, 0.25, delta=1e-4)
            self.assertEqual(fcl.distance(one, other), 0)
        contact = result.contacts[0]
        a.setTranslation([9, 9, 9])  # the contact is of where they were
        self.assertAlmostEqual(contact.penetration_depth, 0.25, delta=1e-4)
        sheet = fcl.BVHModel()
        sheet.addSubModel(models.CORNERS, models.TRIANGLES[:10])
        sheet.endModel()
        result = fcl.CollisionResult()
        fcl.collide(fcl.CollisionObject(sheet), b, request, result)
        self.assertEqual({contact.penetration_depth for contact in result.contacts}, {0.0})
        self.assertEqual(fcl.distance(fcl.CollisionObject(sheet), b, signed), 0)
        inner, outer = moved(mesh(), 0, 0, 0), moved(mesh(10), -5, -5, -5)
        self.assertAlmostEqual(fcl.distance(inner, outer, signed), 4)  # surfaces

    def test_solids(self):
        surface = moved(mesh(10), -5, -5, -5)
        for solid in (fcl.Box(1, 1, 1), fcl.Sphere(0.5), fcl.Capsule(0.5, 1), fcl.Cylinder(0.5, 1)):
            inside, through = fcl.CollisionObject(solid), moved(solid, 5, 0, 0)
            self.assertEqual(fcl.collide(surface, inside), 0)  # a mesh is a surface
            self.assertGreater(fcl.collide(surface, through), 0)
            self.assertGreater(fcl.collide(through, surface, fcl.CollisionRequest(9, True)), 0)
            self.assertAlmostEqual(fcl.distance(surface, moved(solid, 8, 0, 0)), 2.5)
            self.assertAlmostEqual(fcl.distance(moved(solid, 8, 0, 0), surface), 2.5)
        big, small = fcl.CollisionObject(fcl.Box(4, 4, 4)), moved(fcl.Box(1, 1, 1), 1, 0, 0)
        self.assertEqual(fcl.collide(big, small), 1)  # a box is a solid
        signed = fcl.DistanceRequest(enable_signed_distance=True)
        self.assertAlmostEqual(fcl.distance(big, small, signed), -1.5)
        self.assertEqual(fcl.distance(big, small), 0)
        self.assertGreater(fcl.collide(big, moved(fcl.Sphere(0.5), 2, 0, 0)), 0)
        with self.assertRaises(NotImplementedError):
            fcl.collide(fcl.CollisionObject(fcl.Sphere(1)), fcl.CollisionObject(fcl.Sphere(1)))

    def test_depth_is_that_of_every_direction(self):
        rng = np.random.default_rng(models.SEED + 4)
        for turn in models.turns(rng, 20):
            a, b = fcl.Box(*rng.uniform(0.5, 2, 3)), fcl.Box(*rng.uniform(0.5, 2, 3))
            place = rng.normal(size=3) * 0.4
            far = fcl.distance(
                fcl.CollisionObject(a), fcl.CollisionObject(b, fcl.Transform(turn, place)),
                fcl.DistanceRequest(enable_signed_distance=True),
            )  # fmt: skip
            axes = rng.normal(size=(20000, 3))
            axes /= np.linalg.norm(axes, axis=1)[:, None]
            points = b._hull.vertices @ turn.T + place
            tried = (a._hull.vertices @ axes.T).max(axis=0) - (points @ axes.T).min(axis=0)
            self.assertTrue(-tried.min() <= far + 1e-12 <= -tried.min() + 0.05, (far, tried.min()))

    def test_manager(self):
        manager = fcl.DynamicAABBTreeCollisionManager()
        things = [moved(mesh(), 2.0 * i, 0, 0) for i in range(5)]
        ball = moved(fcl.Sphere(0.3), 20, 0, 0)
        manager.registerObjects([*things, ball])
        manager.setup()
        self.assertEqual((manager.size(), manager.empty()), (6, False))

        def touching():
            data = fcl.CollisionData(fcl.CollisionRequest(100))
            manager.collide(data, fcl.defaultCollisionCallback)
            return data.result.is_collision

        self.assertFalse(touching())
        least = fcl.DistanceData()
        manager.distance(least, fcl.defaultDistanceCallback)
        self.assertAlmostEqual(least.result.min_distance, 1)
        ball.setTranslation([3.0, 0.5, 0.5])
        self.assertTrue(touching())
        ball.setTranslation([20.0, 0, 0])
        things[0].setTranslation([1.5, 0, 0])
        manager.update(things[0])
        self.assertTrue(touching())
        manager.unregisterObject(things[0])
        self.assertFalse(touching())
        data = fcl.CollisionData()
        manager.collide(moved(mesh(), 4.5, 0, 0), data, fcl.defaultCollisionCallback)
        self.assertTrue(data.result.is_collision)
        self.assertIs(data.result.contacts[0].o1, things[2].getCollisionGeometry())
        manager.clear()
        self.assertTrue(manager.empty())
