# SPDX-License-Identifier: MIT
"""Every bad argument and bad file ends in an exception that says what is wrong."""

import os
import unittest

import models
import numpy as np

import bvpack

NAN = float("nan")


class Errors(unittest.TestCase):
    def test_files(self):
        with self.assertRaises(FileNotFoundError) as caught:
            bvpack.open("absent.bvp")
        self.assertIsInstance(caught.exception, bvpack.FileError)
        self.assertEqual(caught.exception.path, "absent.bvp")
        with open("short.bvp", "wb") as file:
            file.write(b"x" * 5000)
        with self.assertRaises(ValueError) as caught:
            bvpack.open("short.bvp")
        self.assertIsInstance(caught.exception, bvpack.FormatError)
        self.assertEqual(caught.exception.status, "not a bvpack file")
        self.assertEqual(caught.exception.rule, "HDR-1")
        self.assertEqual(caught.exception.offset, 0)
        self.assertIn("a model is packed first", str(caught.exception))
        with self.assertRaises(ValueError):
            bvpack.open("three.bvp", mode="fast")
        with self.assertRaises((TypeError, ValueError)):
            bvpack.open("a\0b")
        with self.assertRaises(TypeError):
            bvpack.open(None)

    def test_damage_is_told_with_its_rule(self):
        models.cubes()
        with open("three.bvp", "rb") as good:
            data = bytearray(good.read())
        data[64] ^= 255
        with open("damaged.bvp", "wb") as bad:
            bad.write(data)
        with self.assertRaises(bvpack.FormatError) as caught:
            bvpack.open("damaged.bvp")
        self.assertRegex(caught.exception.rule, r"^HDR-\d+")
        with open("cut.bvp", "wb") as bad:
            bad.write(data[:3000])
        with self.assertRaises(bvpack.FormatError):
            bvpack.open("cut.bvp")

    def test_arguments(self):
        file, rng = models.cubes(), np.random.default_rng(models.SEED)
        a = file.body()
        bad = models.shift(NAN)
        for call in (
            lambda: a.collide(a, bad),
            lambda: a.collide(a, np.zeros((3, 4))),
            lambda: a.distance(a, bad),
            lambda: a.within(a, -1.0),
            lambda: a.within(a, NAN),
            lambda: a.within_batch(a, NAN, models.shift(9)[None]),
            lambda: a.closest([NAN, 0, 0]),
            lambda: a.ray_first([0, 0, 0, 0, 0, 0, 0, 1]),
            lambda: a.ray_any(np.full(8, NAN)),
            lambda: a.collide_batch(a, np.stack([models.shift(9), bad])),
            lambda: a.overlap(box=[[1, 1, 1], [0, 0, 0]]),
            lambda: a.solid_collide(bvpack.ball(-1)),
            lambda: file.body(0).instances_in([[0, 0, 0], [1, 1, 1]]),
            lambda: bvpack.clash(file, clearance=-1),
            lambda: file.properties(99),
            lambda: file.triangles(7),
        ):
            with self.assertRaises(bvpack.ArgumentError) as caught:
                call()
            self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaisesRegex(bvpack.ArgumentError, "element 1"):
            a.collide_batch(a, np.stack([models.shift(9), bad]))
        with self.assertRaisesRegex(bvpack.ArgumentError, "ray 1"):
            a.ray_all_batch([[0, 0, 0, 1, 0, 0, 0, 1], [0] * 8])
        for call in (
            lambda: a.collide(a, np.zeros((3, 3))),
            lambda: a.collide(a, np.ones((4, 4))),
            lambda: a.collide(a, "up"),
            lambda: a.closest([0, 0]),
            lambda: a.closest(rng.normal(size=(2, 3))),
            lambda: a.ray_first(np.zeros(6)),
            lambda: a.collide_batch(a, np.zeros((5, 3, 3))),
            lambda: a.closest_batch(np.zeros(3)),
            lambda: a.collide_batch(a, np.tile(models.shift(9), (5, 1, 1)), out=np.empty(4, "i4")),
            lambda: a.collide_batch(a, np.tile(models.shift(9), (5, 1, 1)), out=np.empty(5, "i8")),
            lambda: a.collide_batch(
                a, np.tile(models.shift(9), (5, 1, 1)), out=np.broadcast_to(np.zeros(1, "i4"), 5)
            ),
            lambda: a.collide_batch(a, np.tile(models.shift(9), (5, 1, 1)), out=np.empty(5, "i4")[::-1]),
            lambda: file.body(1),
            lambda: file.body(-1),
            lambda: file.body(instances=np.array([True])),
            lambda: bvpack.clash(file, detail="all"),
        ):
            with self.assertRaises(ValueError):
                call()
        self.assertFalse(a.collide())  # still well

    def test_thin_part_missing(self):
        if not os.path.exists(os.environ["BVPACK"]):
            self.skipTest("there is no program bvpack")
        model = os.path.join(os.environ["BVP_SRCDIR"], "samples/models/plate_holes.STL")
        os.makedirs("store", exist_ok=True)
        bvpack.pack(model, "thin.bvp", arguments=("--store", "store", "--thin"))
        for root, _, names in os.walk("store"):
            for name in names:
                os.remove(os.path.join(root, name))
        with self.assertRaises(bvpack.FileError) as caught:
            bvpack.open("thin.bvp").body(0).closest([0, 0, 0])
        self.assertRegex(str(caught.exception), "store")


class Bounds(unittest.TestCase):
    def test_views_keep_their_memory(self):
        file = models.ball()
        rows = file.body().ray_all_batch(bvpack.rays(np.zeros((500, 3)), np.eye(3)[np.arange(500) % 3] + 0.1))
        hits = rows["hit"]["t"]
        del rows, file
        junk = [np.empty(100000) for _ in range(20)]  # memory that is free is used
        self.assertGreaterEqual(len(hits), 500)  # an edge is hit twice
        self.assertTrue(((hits > 0.8) & (hits < 1)).all())
        self.assertEqual(len(junk), 20)

    def test_bodies_keep_their_file(self):
        body = models.ball().body()
        place = models.shift(1.5)
        self.assertTrue(models.ball().body().collide(body, place))
        self.assertTrue(body.collide(models.ball().body(placement=models.shift(1.5))))
