# SPDX-License-Identifier: MIT
"""Threads run during queries; a signal ends long calls; workers that are spawned get bodies."""

import multiprocessing
import os
import signal
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import models
import numpy as np

import bvpack


def ask(body, points):
    """What a worker does."""
    return os.getpid(), body.closest_batch(points)["distance"]


class Threads(unittest.TestCase):
    def test_the_gil_is_released(self):
        body = models.ball("large.bvp", 150).body()
        points = np.random.default_rng(models.SEED).normal(size=(50000, 3))
        began, stop, beats = threading.Event(), threading.Event(), []

        def beat():
            began.set()
            while not stop.is_set():
                beats.append(time.perf_counter())
                time.sleep(0.002)

        thread = threading.Thread(target=beat)
        thread.start()
        began.wait()
        from_, answers = time.perf_counter(), body.closest_batch(points)
        to = time.perf_counter()
        stop.set()
        thread.join()
        during = sum(from_ < at < to for at in beats)
        self.assertEqual(len(answers), len(points))
        # one call of the library: were the GIL held, there would be none
        self.assertGreater(during, 5, f"in {to - from_:.3f} s")

    def test_one_body_for_all(self):
        body, cube = models.ball().body(), models.cubes().body()
        rng = np.random.default_rng(models.SEED + 7)
        places = np.tile(np.eye(3, 4), (2000, 1, 1))
        places[:, :, 3] = rng.uniform(-3, 3, (2000, 3))
        expected = body.collide_batch(cube, places)

        def single(part):
            return [body.collide(cube, place) for place in part]

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(single, np.array_split(places, 16)))
        np.testing.assert_array_equal(np.concatenate(found), expected)


class Signals(unittest.TestCase):
    """A handler that raises, as Ctrl-C's does, ends a call that would take many seconds."""

    def interrupted(self, call, error=KeyboardInterrupt, signum=signal.SIGINT):
        sent: list[float] = []

        def send():
            sent.append(time.process_time())
            os.kill(os.getpid(), signum)

        timer = threading.Timer(0.3, send)
        timer.start()
        try:
            with self.assertRaises(error):
                call()
        finally:
            timer.cancel()
        # processor time of all threads, which other load on the machine does not lengthen
        self.assertLess(time.process_time() - sent[0], 1.5)

    def setUp(self):
        self.file = models.ball("large.bvp", 150)
        self.body = self.file.body()
        self.points = np.random.default_rng(models.SEED).normal(size=(1000000, 3))

    def test_batch(self):
        out = np.zeros(len(self.points), bvpack.CLOSEST)
        self.interrupted(lambda: self.body.closest_batch(self.points, out=out))
        self.assertEqual(out["found"][-1], 0)
        self.assertEqual(out["found"][0], 1)
        # and the file is as it was
        self.assertAlmostEqual(self.body.closest([2, 0, 0]).distance, 1, delta=1e-3)

    def test_single_query(self):
        # the same surface, a hair apart: all triangles are near all, a query of many seconds
        place = models.shift(0)
        place[:, :3] *= 1 + 1e-7

        def many():
            for _ in range(1000):
                self.body.pairs(self.body.at(place))
                self.body.distance(self.body, place)

        self.interrupted(many)

    def test_other_handlers(self):
        class Late(Exception):
            pass

        def late(_signum, _frame):
            raise Late

        before = signal.signal(signal.SIGALRM, late)
        try:
            self.interrupted(lambda: self.body.closest_batch(self.points), Late, signal.SIGALRM)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_handler_that_returns(self):
        seen = []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        try:
            timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGALRM))
            timer.start()
            answers = self.body.closest_batch(self.points[:40000])
        finally:
            signal.signal(signal.SIGALRM, before)
            timer.cancel()
        self.assertEqual((answers["found"].all(), seen), (True, [1]))

    def test_clash(self):
        builder = bvpack.Builder()
        part = builder.add_part(*models.ball_mesh(60))
        rng = np.random.default_rng(models.SEED)
        for place in rng.uniform(-6, 6, (1500, 3)):
            builder.add_node(part, models.shift(*place))
        file = builder.open()
        self.interrupted(lambda: bvpack.clash(file, detail="contacts"))

    def test_pack(self):
        side = 1500
        x, y = np.meshgrid(np.arange(side), np.arange(side))
        vertices = np.stack([x, y, np.sin(x * 0.1) * np.cos(y * 0.1)], axis=2).reshape(-1, 3)
        a = (x + side * y)[:-1, :-1].ravel()
        faces = np.concatenate([np.stack([a, a + 1, a + side], 1), np.stack([a + 1, a + side + 1, a + side], 1)])
        self.interrupted(lambda: bvpack.pack((vertices, faces), "never.bvp", threads=1))
        self.assertFalse(os.path.exists("never.bvp"))


class Processes(unittest.TestCase):
    def test_spawn(self):
        body = models.cubes().body(placement=models.shift(1))
        points = np.random.default_rng(models.SEED).normal(size=(100, 3))
        expected = body.closest_batch(points)["distance"]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = pool.starmap(ask, [(body, points)] * 4)
        self.assertNotIn(os.getpid(), {pid for pid, _ in found})
        for _, distances in found:
            np.testing.assert_array_equal(distances, expected)

    def test_spawn_of_what_lies_in_memory(self):
        builder = bvpack.Builder()
        builder.add_part(models.CORNERS, models.TRIANGLES)
        body = builder.open().body()
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            _, distances = pool.apply(ask, (body, np.array([[0.5, 0.5, 3.0]])))
        self.assertAlmostEqual(distances[0], 2)
