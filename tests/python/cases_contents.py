# SPDX-License-Identifier: MIT
"""What is in a file: parts, instances, tree, triangles; pickles; pictures."""

import copy
import pickle
import struct
import unittest
import zlib

import models
import numpy as np

import bvpack


class Contents(unittest.TestCase):
    def setUp(self):
        self.file = models.cubes()

    def test_tables(self):
        parts, instances, tree = self.file.parts, self.file.instances, self.file.tree
        self.assertEqual(parts["name"].tolist(), ["cube"])
        self.assertEqual(parts["triangle_count"].tolist(), [12])
        np.testing.assert_array_equal(parts["hi"][0], [1, 1, 1])
        np.testing.assert_array_equal(instances["placement"][2], models.shift(4))
        self.assertEqual(tree["parent"].tolist(), [bvpack.NONE, 0, 0, 0])
        self.assertEqual(tree["end"].tolist(), [4, 2, 3, 4])
        self.assertEqual(self.file.properties(2), {"row": "1"})
        np.testing.assert_array_equal(self.file.bounds, [[0, 0, 0], [5, 1, 1]])
        self.assertEqual(self.file.all_properties(), [{}, {"row": "0"}, {"row": "1"}, {"row": "2"}])
        for bad in (-1, 4):
            with self.assertRaisesRegex(bvpack.ArgumentError, f"node {bad}: there are 4"):
                self.file.properties(bad)
        with self.assertRaises(ValueError):
            instances["part"][0] = 7  # the table is the file's

    def test_tables_are_the_single_rows(self):
        from bvpack._native import ffi, lib

        builder, rng = bvpack.Builder(), np.random.default_rng(models.SEED)
        parts = [builder.add_part(models.CORNERS * s, models.TRIANGLES, name=n)
                 for s, n in ((1, "ä"), (2, ""))]  # fmt: skip
        for i in range(50):
            builder.add_node(
                parts[i % 2], models.shift(*rng.normal(size=3)), name=["", f"n{i}", "ü\t"][i % 3],
                properties={f"k{j}": f"{i} {j}" for j in range(i % 4)},
            )  # fmt: skip
        builder.finish("rows.bvp")
        file = bvpack.open("rows.bvp")
        text = lambda s: ffi.unpack(s.data, s.size).decode() if s.size else ""  # noqa: E731
        kinds = (("node", file.tree), ("instance", file.instances), ("part", file.parts))
        for kind, table in kinds:
            info = ffi.new(f"bvp_{kind}_info *")
            for i, row in enumerate(table):
                getattr(lib, f"bvp_get_{kind}")(file._handle(), i, info)
                for name in table.dtype.names:
                    one = getattr(info, name)
                    if isinstance(row[name], str):
                        self.assertEqual(row[name], text(one))
                    elif name == "content_hash":
                        self.assertEqual(row[name].decode(), bytes(one).hex())
                    elif isinstance(one, (int, float)):
                        self.assertEqual(row[name], one)
                    else:
                        np.testing.assert_array_equal(row[name].ravel(), list(one))
        self.assertEqual((len(file.tree), len(file.instances), len(file.parts)), (51, 50, 2))
        for i, properties in enumerate(file.all_properties()):
            self.assertEqual(properties, file.properties(i))
            self.assertEqual(len(properties), file.tree["property_count"][i])

    def test_triangles(self):
        found = self.file.triangles(0)
        ids = self.file.triangle_ids(0)
        np.testing.assert_array_equal(
            found[np.argsort(ids)], models.CORNERS[models.TRIANGLES].astype("f4")
        )
        room = np.full((20, 3, 3), 7, "f4")
        self.assertIs(self.file.triangles(0, 2, 5, out=room).base, room)
        np.testing.assert_array_equal(room[:5], found[2:7])
        self.assertTrue((room[5:] == 7).all())
        self.assertEqual(len(self.file.triangles(0, 100)), 0)
        for bad in (np.empty((3, 3, 3), "f8"), np.empty((12, 9), "f4"), np.empty((2, 3, 3), "f4")):
            with self.assertRaises(ValueError):
                self.file.triangles(0, out=bad)

    def test_vertices_and_boxes(self):
        self.assertEqual(sorted(map(tuple, self.file.vertices(0))), sorted(map(tuple, models.CORNERS)))
        boxes = self.file.boxes(0)
        self.assertEqual(boxes["leaf_count"].sum(), 12)
        self.assertTrue((boxes["lo"] >= -1e-5).all() and (boxes["hi"] <= 1 + 1e-5).all())
        self.assertEqual(self.file.boxes()["leaf_count"].sum(), 3)

    def test_pickles_as_its_path(self):
        data = pickle.dumps(self.file)
        self.assertLess(len(data), 400)
        again = pickle.loads(data)
        self.assertEqual(again.root_hash, self.file.root_hash)
        body = self.file.body(placement=models.shift(1), instances=[0, 2])
        for other in (pickle.loads(pickle.dumps(body)), copy.deepcopy(body)):
            point = np.array([3.2, 0.5, 0.5])
            self.assertEqual(other.closest(point).distance, body.closest(point).distance)

    def test_closing(self):
        with bvpack.open("three.bvp") as file:
            body = file.body(0)
        with self.assertRaisesRegex(ValueError, "closed"):
            file.instances
        with self.assertRaisesRegex(ValueError, "closed"):
            file.body()
        self.assertAlmostEqual(body.closest([0.5, 0.5, 3]).distance, 2)

    def test_verify(self):
        self.assertEqual(self.file.verify(), [])
        with open("three.bvp", "rb") as good, open("damaged.bvp", "wb") as bad:
            data = bytearray(good.read())
            data[4100] ^= 1
            bad.write(data)
        findings = bvpack.open("damaged.bvp").verify()
        self.assertRegex(findings[0][0], r"^[A-Z]+-\d+")

    def test_refit(self):
        bvpack.pack((models.CORNERS, models.TRIANGLES), "soft.bvp", deformable=True)
        file = bvpack.open("soft.bvp", overlay=True)
        file.refit(0, file.vertices(0) * 2)
        self.assertAlmostEqual(file.body().closest([1, 1, 5]).distance, 3)

    def test_picture(self):
        data = self.file._repr_png_()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", data[16:24])
        size = struct.unpack(">I", data[33:37])[0]
        lines = np.frombuffer(zlib.decompress(data[41 : 41 + size]), "u1").reshape(height, -1)
        pixels = lines[:, 1:].reshape(height, width, 3)
        covered = (pixels != 255).any(axis=2).mean()
        self.assertTrue(0.1 < covered < 0.9, covered)
        self.assertGreater(len(np.unique(pixels.reshape(-1, 3), axis=0)), 3)
