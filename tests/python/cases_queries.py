# SPDX-License-Identifier: MIT
"""Queries, single and batched, against one another and against slow twins."""

import unittest

import models
import numpy as np

import bvpack


class TwoBodies(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(models.SEED)
        self.a = models.ball().body()
        self.b = models.cubes().body()

    def places(self, count):
        out = np.empty((count, 3, 4))
        out[:, :, :3] = models.turns(self.rng, count)
        out[:, :, 3] = self.rng.uniform(-4, 4, (count, 3))
        return out

    def test_batches_are_single_queries(self):
        places = self.places(200)
        hits = self.a.collide_batch(self.b, places)
        self.assertEqual(hits.dtype, bool)
        self.assertTrue(0 < hits.sum() < len(hits))
        distances = self.a.distance_batch(self.b, places)
        near = self.a.within_batch(self.b, 0.5, places)
        np.testing.assert_array_equal(near, distances["distance"] <= 0.5)
        self.assertTrue(0 < near.sum() < len(near))
        warm = bvpack.WarmStart(2**16)
        for place, hit, far in zip(places, hits, distances):
            self.assertIs(self.a.collide(self.b, place), bool(hit))
            self.assertIs(self.a.collide(self.b, place, warm=warm), bool(hit))
            self.assertIs(self.a.collide(self.b.at(place)), bool(hit))
            one = self.a.distance(self.b, place)
            self.assertEqual(one.distance, far["distance"])
            np.testing.assert_array_equal(one.point_b, far["point_b"])
            self.assertEqual(tuple(one.b), tuple(far["b"].tolist()))
            self.assertEqual(far["distance"] == 0, hit)
            again = self.a.distance(self.b, place, warm=warm)
            self.assertAlmostEqual(again.distance, one.distance, delta=2e-9 * one.distance)
            if not hit:
                self.assertTrue(self.a.within(self.b, one.distance * 1.001, place))
                self.assertFalse(self.a.within(self.b, one.lower * 0.999, place))
                self.assertIsNone(self.a.distance(self.b, place, limit=one.lower * 0.999))
                about = self.a.distance_about(self.b.at(place), 0.1)
                self.assertLessEqual(about.distance, one.distance + 0.1)

    def test_warm_batches_are_the_plain_ones(self):
        a, b = models.ball().body(0), models.cubes().body(0)
        places = np.tile(models.shift(0), (100, 1, 1))
        places[:, 0, 3] = np.linspace(3, -0.5, 100)

        def kept_in(warm):
            return bytes(bvpack._ffi.buffer(warm._c)) + warm._front.tobytes()

        for ask in (
            lambda **warm: a.collide_batch(b, places, **warm),
            lambda **warm: a.within_batch(b, 0.5, places, **warm),
            lambda **warm: a.distance_batch(b, places, **warm)["distance"],
        ):
            plain, warm = ask(), bvpack.WarmStart()
            self.assertTrue((plain == plain[0]).sum() < len(plain))
            for kept in (bvpack.WarmStart(2**16), warm):
                before = kept_in(kept)
                np.testing.assert_allclose(ask(warm=kept), plain, rtol=2e-9)
                self.assertNotEqual(kept_in(kept), before)
            np.testing.assert_allclose(ask(warm=warm), plain, rtol=2e-9)

    def test_distance_about_batch(self):
        places = self.places(100)
        far = self.a.distance_batch(self.b, places)["distance"]
        about = self.a.distance_about_batch(self.b, 0.1, places)
        self.assertTrue((about["distance"] <= far + 0.1).all() and (about["lower"] <= far).all())
        for place, row in zip(places, about):
            one = self.a.distance_about(self.b.at(place), 0.1)
            self.assertEqual(one.distance, row["distance"])
        some = self.a.distance_about_batch(self.b, 0.1, places, limit=0.5)
        self.assertTrue(0 < some["found"].sum() < len(some))

    def test_penetration(self):
        cube = models.cubes().body(0)
        for gap, depth in ((0.75, 0.25), (0.25, 0.5)):
            place = models.shift(0.5, 0.5, gap) if gap > 0.5 else models.shift(0.5, 0.6, gap)
            expected = min(depth, 0.4) if gap < 0.5 else depth
            found = cube.penetration(cube, place)
            self.assertEqual(found.verdict, "penetrating")
            self.assertAlmostEqual(found.depth, expected, delta=1e-4)
            self.assertAlmostEqual(found.depth_upper, expected, delta=1e-4)
            self.assertGreaterEqual(found.depth_upper, found.depth)
            # a moves out of b: nothing touches then, and a little less does
            out = np.eye(3, 4)
            for factor, touches in ((1.0001, False), (0.99, True)):
                out[:, 3] = found.direction * found.depth_upper * factor
                self.assertIs(cube.at(out).collide(cube, place), touches)
        rows = found.contacts
        self.assertEqual(rows.dtype, bvpack.CONTACT)
        self.assertTrue(len(rows) and (np.diff(rows["depth"]) <= 0).all())
        gap = ((rows["point_a"] - rows["point_b"]) * rows["normal"]).sum(axis=1)
        np.testing.assert_allclose(gap, rows["depth"], atol=1e-9)
        self.assertEqual(len(cube.penetration(cube, place, contacts=0).contacts), 0)
        clear = cube.penetration(cube.at(models.shift(3)))
        self.assertEqual((clear.verdict, clear.depth_upper, len(clear.contacts)), ("clear", 0, 0))
        with self.assertRaises(bvpack.ArgumentError):
            cube.penetration(cube, np.zeros((3, 4)))

    def test_without_copies(self):
        big = np.zeros((50, 4, 4))
        big[:, :3] = self.places(50)
        big[:, 3, 3] = 1
        room = np.full(100, 7, "i4")
        hits = self.a.collide_batch(self.b, big[::2], out=room[::4])
        np.testing.assert_array_equal(hits, self.a.collide_batch(self.b, big[::2, :3].copy()))
        np.testing.assert_array_equal(room[::4], hits)
        self.assertTrue((room.reshape(25, 4)[:, 1:] == 7).all())
        dense = np.empty(50, "i4")
        self.assertTrue(np.shares_memory(self.a.collide_batch(self.b, big, out=dense), dense))
        answers = np.empty(50, bvpack.DISTANCE)
        self.assertTrue(np.shares_memory(self.a.distance_batch(self.b, big, out=answers), answers))
        np.testing.assert_array_equal(
            self.a.collide_batch(self.b, np.asfortranarray(big)), self.a.collide_batch(self.b, big)
        )

    def test_progress(self):
        said = []
        places = np.tile(models.shift(9), (70000, 1, 1))
        self.a.collide_batch(self.b, places, progress=lambda done, all_: said.append((done, all_)))
        self.assertEqual(said, [(65536, 70000), (70000, 70000)])

        def no(_done, _total):
            raise RuntimeError("no")

        with self.assertRaisesRegex(RuntimeError, "no"):
            self.a.collide_batch(self.b, places, progress=no)

    def test_pairs(self):
        place = models.shift(0.4, 0.1, 0.2)
        pairs = self.a.pairs(self.b.at(place))
        self.assertEqual(pairs.dtype, bvpack.PAIR)
        self.assertGreater(len(pairs), 4)
        keys = set(zip(pairs["a"]["triangle"], pairs["b"]["instance"], pairs["b"]["triangle"]))
        self.assertEqual(len(keys), len(pairs))
        mirrored = self.b.at(place).pairs(self.a)
        self.assertEqual(
            keys,
            set(zip(mirrored["b"]["triangle"], mirrored["a"]["instance"], mirrored["a"]["triangle"])),
        )
        self.assertEqual(len(self.a.pairs(self.b.at(place), limit=3)), 3)
        self.assertEqual(len(self.a.pairs(self.b.at(models.shift(9)))), 0)

    def test_filters(self):
        file = models.cubes()
        mask = np.array([True, False, True])
        point = np.array([2.5, 0.5, 0.5])
        self.assertAlmostEqual(file.body().closest(point).distance, 0.5)
        for body in (
            file.body(instances=mask),
            file.body(instances=[0, 2]),
            file.body(instances=[1], exclude=True),
            file.body(below=2, exclude=True),
        ):
            self.assertAlmostEqual(body.closest(point).distance, 1.5)
        self.assertIsNone(file.body(instances=[]).closest(point))
        with self.assertRaises(ValueError):
            file.body(instances=[3])
        with self.assertRaises(ValueError):
            file.body(0, instances=[0])

    def test_placements_are_kept(self):
        place = models.shift(9)
        body = self.b.at(place)
        place[0, 3] = 0
        self.assertFalse(self.a.collide(body))


class OneBody(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(models.SEED + 1)
        self.file = models.ball()
        self.body = self.file.body(0)
        self.triangles = self.file.triangles(0)

    def test_rays(self):
        origins = self.rng.uniform(-2, 2, (300, 3))
        directions = self.rng.normal(size=(300, 3))
        rays = bvpack.rays(origins, directions)
        first = self.body.ray_first_batch(rays)
        any_ = self.body.ray_any_batch(rays)
        all_ = self.body.ray_all_batch(rays)
        floats = self.body.ray_first_batch(bvpack.rays(origins, directions, dtype=np.float32))
        self.assertTrue(0 < any_.sum() < 300)
        np.testing.assert_array_equal(any_, first["found"] == 1)
        for i, ray in enumerate(rays):
            slow = models.ray_hits(self.triangles, ray[:3], ray[3:6])
            mine = all_["hit"][all_["ray"] == i]
            self.assertEqual(set(mine["id"]["triangle"]), set(np.flatnonzero(~np.isnan(slow))))
            self.assertTrue((np.diff(mine["t"]) >= 0).all())
            one = self.body.ray_first(ray)
            self.assertIs(self.body.ray_any(ray), bool(any_[i]))
            np.testing.assert_array_equal(self.body.ray_all(ray), mine)
            if any_[i]:
                self.assertAlmostEqual(first["t"][i], np.nanmin(slow), delta=1e-9)
                self.assertEqual(one.t, first["t"][i])
                self.assertEqual(one.id.triangle, first["id"]["triangle"][i])
                np.testing.assert_array_equal(one.normal, first["normal"][i])
                self.assertAlmostEqual(floats["t"][i], one.t, delta=1e-4)
            else:
                self.assertIsNone(one)

    def test_closest(self):
        points = self.rng.uniform(-2, 2, (200, 3))
        found = self.body.closest_batch(points)
        strided = self.body.closest_batch(np.repeat(points, 2, axis=0)[::2])
        np.testing.assert_array_equal(found, strided)
        for point, row in zip(points, found):
            self.assertAlmostEqual(row["distance"], models.nearest(self.triangles, point), delta=1e-9)
            one = self.body.closest(point)
            self.assertEqual(one.distance, row["distance"])
            np.testing.assert_array_equal(one.point, row["point"])
        self.assertIsNone(self.body.closest([9, 0, 0], 7.9))
        self.assertTrue((self.body.closest_batch(points, 1e-9)["found"] == 0).all())

    def test_regions_and_solids(self):
        box = np.array([[-2, -2, 0.5], [2, 2, 2.0]])
        inside = self.body.overlap(box=box)
        top = (self.triangles[:, :, 2] >= 0.5).any(axis=1)
        self.assertEqual(set(inside["triangle"]), set(np.flatnonzero(top)))
        planes = self.body.overlap(planes=[[0, 0, 1, -0.5]])
        self.assertEqual(set(planes["triangle"]), set(inside["triangle"]))
        self.assertGreater(len(self.body.overlap(ball=((0, 0, 1), 0.3))), 4)
        with self.assertRaises(TypeError):
            self.body.overlap()
        cap = bvpack.capsule(0.1, 1.0, models.shift(3))
        self.assertFalse(self.body.solid_collide(cap))
        self.assertAlmostEqual(self.body.solid_distance(cap).distance, 1.9, delta=0.01)
        self.assertTrue(self.body.solid_within(cap, 1.95))
        self.assertTrue(self.body.solid_collide(bvpack.cylinder(0.2, 3)))
        self.assertEqual(len(self.body.solid_triangles(bvpack.ball(0.5))), 0)
        hull = bvpack.hull(self.rng.normal(size=(20, 3)) * 0.05, models.shift(1))
        self.assertTrue(self.body.solid_collide(hull))
        self.assertEqual(len(self.body.solid_triangles(bvpack.box([4, 4, 4]))), len(self.triangles))

    def test_boxes_in_batches(self):
        low = self.rng.uniform(-1.2, 1, (60, 3))
        boxes = np.stack([low, low + self.rng.uniform(0, 0.6, (60, 3))], axis=1)
        offsets, hits = self.body.overlap_batch(boxes)
        self.assertTrue(0 < len(hits) == offsets[-1])
        corners = self.triangles.astype("f8")
        for i, box in enumerate(boxes):
            alone = self.body.overlap(box=box)
            np.testing.assert_array_equal(hits[int(offsets[i]) : int(offsets[i + 1])], alone)
            ids, places = self.body.candidates_box(box)
            self.assertEqual(places.shape, (len(ids), 3, 3))
            np.testing.assert_array_equal(places, corners[ids["triangle"]])
            near = set(ids["triangle"].tolist())
            self.assertLessEqual(set(alone["triangle"].tolist()), near)
            # its own box meets the given one, but for rounding
            self.assertTrue((places.min(axis=1) <= box[1] + 1e-6).all())
            self.assertTrue((places.max(axis=1) >= box[0] - 1e-6).all())
        moved = self.body.at(models.shift(5)).candidates_box(boxes[0] + [5, 0, 0])
        np.testing.assert_allclose(
            np.sort(moved[1][:, :, 0].ravel()),
            np.sort(self.body.candidates_box(boxes[0])[1][:, :, 0].ravel()) + 5, atol=1e-9,
        )  # fmt: skip
        self.assertEqual([len(x) for x in self.body.overlap_batch(np.empty((0, 2, 3)))], [1, 0])
        self.assertEqual([len(x) for x in self.body.candidates_box([[7, 7, 7], [8, 8, 8]])], [0, 0])
        with self.assertRaises(bvpack.ArgumentError):
            self.body.overlap_batch([[[0, 0, 0], [-1, 0, 0]]])
        for bad in (np.zeros(6), np.zeros((1, 6))):
            with self.assertRaises(ValueError):
                self.body.candidates_box(bad)
            with self.assertRaises(ValueError):
                self.body.overlap_batch(bad)

    def test_instances(self):
        body = models.cubes().body()
        self.assertEqual(sorted(body.instances_in([[1.5, 0, 0], [9, 9, 9]])), [1, 2])
        near = body.nearest_instances([5.5, 0.5, 0.5], 2)
        self.assertEqual(near["id"]["instance"].tolist(), [2, 1])

    def test_empty_batches(self):
        self.assertEqual(len(self.body.ray_first_batch(np.empty((0, 8)))), 0)
        self.assertEqual(len(self.body.closest_batch(np.empty((0, 3)))), 0)
        self.assertEqual(len(self.body.collide_batch(self.body, np.empty((0, 3, 4)))), 0)


class Many(unittest.TestCase):
    def test_clash(self):
        file = models.cubes()
        found = bvpack.clash(file, clearance=1.5, detail="contacts")
        self.assertEqual(found.table["a"].tolist(), [0, 1])
        self.assertEqual([name.tolist() for name in found.names()], [["cube 1", "cube 2"], ["cube 2", "cube 3"]])
        self.assertEqual(found.coverage["within"], 2)
        other = bvpack.clash(file, models.ball(), models.shift(0.5))
        self.assertEqual(other.verdicts.tolist(), ["penetrating"])
        self.assertEqual(bvpack.clash(file).table.tolist(), [])

    def test_clash_frame(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("there is no pandas (Debian: python3-pandas)")
        frame = bvpack.clash(models.cubes(), clearance=1.5).to_pandas()
        self.assertEqual(frame["a"].tolist(), ["cube 1", "cube 2"])
        np.testing.assert_allclose(frame["distance"], [1, 1])

    def test_clash_progress(self):
        said = []
        bvpack.clash(models.cubes(), clearance=1, progress=lambda done, all_: said.append((done, all_)))
        self.assertEqual(said[-1], (3, 3))

        def no(_done, _total):
            raise RuntimeError("no")

        with self.assertRaisesRegex(RuntimeError, "no"):
            bvpack.clash(models.cubes(), clearance=1, progress=no)

    def test_broad_phase(self):
        near, cube = bvpack.BroadPhase(), models.cubes().body(0)
        ids = [near.add(cube, models.shift(2.0 * i)) for i in range(10)]
        self.assertEqual([len(c) for c in near.update()], [0, 0])
        near.move_all(ids[:2], np.stack([models.shift(50), models.shift(50.5)]))
        begun, _ = near.update()
        self.assertEqual(begun.tolist(), [(ids[0], ids[1])])
        self.assertEqual(near.pairs().tolist(), begun.tolist())
        near.remove(ids[0])
        self.assertEqual(near.update()[1].tolist(), [(ids[0], ids[1])])
        self.assertEqual(near.near(cube.at(models.shift(50))).tolist(), [ids[1]])
