# SPDX-License-Identifier: MIT
"""Packing: arrays of all kinds give the same file; models go through the program."""

import os
import unittest
from types import SimpleNamespace

import models
import numpy as np

import bvpack


class Pack(unittest.TestCase):
    def triangles(self, path):
        file = bvpack.open(path)
        return file.triangles(0)[np.argsort(file.triangle_ids(0))]

    def test_arrays(self):
        vertices, faces = models.ball_mesh(6)
        single = vertices.astype("f4")
        bvpack.pack((single, faces), "a.bvp")
        expected = single[faces]
        np.testing.assert_array_equal(self.triangles("a.bvp"), expected)
        bvpack.pack(expected, "b.bvp")
        np.testing.assert_array_equal(self.triangles("b.bvp"), expected)
        mesh = SimpleNamespace(vertices=single, faces=faces.astype("i4"))
        bvpack.pack(mesh, "c.bvp", threads=2)
        np.testing.assert_array_equal(self.triangles("c.bvp"), expected)
        bvpack.pack((single[:, ::-1], faces), "d.bvp", rays=True, ids=True)
        np.testing.assert_array_equal(self.triangles("d.bvp"), expected[:, :, ::-1])
        with open("a.bvp", "rb") as a, open("c.bvp", "rb") as c:
            self.assertEqual(a.read(), c.read())

    def test_tree(self):
        builder = bvpack.Builder(unit_in_metres=0.001, up="y")
        part = builder.add_part(models.CORNERS, models.TRIANGLES)
        self.assertEqual(builder.add_part(models.CORNERS, models.TRIANGLES), part)
        group = builder.add_node(name="Gruppe ä", placement=models.shift(1))
        builder.add_node(part, models.shift(1), parent=group, properties={"k": "ü"})
        report = builder.finish("tree.bvp")
        self.assertEqual((report["part_count"], report["shared_part_count"]), (1, 1))
        file = bvpack.open("tree.bvp")
        self.assertEqual((file.unit_in_metres, file.up), (0.001, "y"))
        self.assertIn("Gruppe ä", file.tree["name"])
        np.testing.assert_array_equal(file.instances["placement"][0], models.shift(2))
        with self.assertRaisesRegex(ValueError, "finished"):
            builder.add_part(models.CORNERS, models.TRIANGLES)

    def test_bad_meshes(self):
        builder = bvpack.Builder()
        for vertices, faces in (
            (np.zeros((4, 2)), None),
            (np.zeros((4, 3)), None),
            (models.CORNERS, [[0, 1, 8]]),
            (models.CORNERS, [[0, 1, -1]]),
            (models.CORNERS, [[0.0, 1.0, 2.0]]),
            (models.CORNERS * np.nan, models.TRIANGLES),
        ):
            with self.assertRaises(ValueError):
                builder.add_part(vertices, faces)
        with self.assertRaises(ValueError):
            builder.add_node(0, np.full((3, 4), np.inf))
        with self.assertRaises(ValueError):
            builder.add_node(name="a\0b")
        with self.assertRaises(bvpack.FileError):
            bvpack.pack(models.CORNERS[models.TRIANGLES], "absent/folder/a.bvp")

    def test_progress(self):
        said = []
        vertices, faces = models.ball_mesh(100)
        bvpack.pack((vertices, faces), "p.bvp", progress=lambda *row: said.append(row))
        self.assertTrue(said)

        def no(_stage, _done, _total):
            raise RuntimeError("no")

        with self.assertRaisesRegex(RuntimeError, "no"):
            bvpack.pack((vertices, faces), "q.bvp", progress=no)
        self.assertFalse(os.path.exists("q.bvp"))

    def test_models(self):
        if not os.path.exists(os.environ["BVPACK"]):
            self.skipTest("there is no program bvpack")
        model = os.path.join(os.environ["BVP_SRCDIR"], "samples/models/irb6640_cell12.glb")
        bvpack.pack(model, "cell.bvp")
        file = bvpack.open("cell.bvp")
        self.assertEqual((file.part_count, file.instance_count), (9, 108))
        self.assertEqual(len(file.instances), 108)
        with self.assertRaises(bvpack.ProgramError) as caught:
            bvpack.pack("absent.stl", "no.bvp")
        self.assertIn("absent.stl", str(caught.exception))
        with self.assertRaises(TypeError):
            bvpack.pack(model, "no.bvp", rays=True)
