// SPDX-License-Identifier: MIT
// bench.mjs: the package beside three-mesh-bvh, over the same triangles in one mesh, in one run: primary rays of a camera
// beside the model, rays between random points of its box, closest points to such points, and a clash run at 5 mm.
// Times are of the processor, the least of several rounds that take turns. A row that does not hit what the peer hits (but
// for two of a thousand, where floats decide otherwise), or answers farther than it, ends the bench with exit code 1.
// Usage: node bench.mjs PACKAGE NODE_MODULES FILE [rays|clash]...; NODE_MODULES has three and three-mesh-bvh; without them
// no peer is measured. CSV on standard output.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , folder, modules, name, ...asked] = process.argv;
const wanted = asked.length ? asked : ['rays', 'clash'];
const { open } = await import(pathToFileURL(join(resolve(folder), 'index.mjs')));
const file = await open(new Uint8Array(readFileSync(name)));
const { lo, hi } = await file.info();
const SIDE = 192;
const RAYS = SIDE * SIDE;
const POINTS = 3000;
const ROUNDS = 5;

let seed = 1;
const unit = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
const point = () => [0, 1, 2].map((a) => lo[a] + unit() * (hi[a] - lo[a]));
const less = (a, b) => a.map((x, k) => x - b[k]);
const along = (v) => v.map((x) => x / Math.hypot(...v));
const cross = (a, b) => [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);

function camera() {
  const size = Math.hypot(...less([...hi], lo));
  const middle = [0, 1, 2].map((a) => (lo[a] + hi[a]) / 2);
  const eye = middle.map((x, a) => x + size * [0.5, 0.6, 0.5][a]);
  const forward = along(less(middle, eye));
  const right = along(cross(forward, [0, 0, 1]));
  const up = cross(right, forward);
  const rays = new Float64Array(8 * RAYS);
  for (let i = 0; i < RAYS; i++) {
    const x = ((i % SIDE) / SIDE - 0.5) * 0.9;
    const y = (Math.floor(i / SIDE) / SIDE - 0.5) * 0.9;
    rays.set([...eye, ...along(forward.map((v, k) => v + right[k] * x + up[k] * y)), 0, Infinity], 8 * i);
  }
  return rays;
}

function between() {
  const rays = new Float64Array(8 * RAYS);
  for (let i = 0; i < RAYS; i++) {
    const from = point();
    rays.set([...from, ...along(less(point(), from)), 0, Infinity], 8 * i);
  }
  return rays;
}

// The peer's hierarchy over all instances, as functions of the same questions; null: it is not installed.
async function peerOf() {
  let three, bvhs;
  try {
    const from = createRequire(join(resolve(modules), 'x'));
    three = await import(pathToFileURL(from.resolve('three').replace('three.cjs', 'three.module.js')));
    bvhs = await import(pathToFileURL(from.resolve('three-mesh-bvh').replace('index.umd.cjs', 'index.module.js')));
  } catch (error) {
    console.error(`no peer: ${error.message}`);
    return null;
  }
  const parts = [];
  const { length } = await file.parts();
  for (let part = 0; part < length; part++) parts.push((await file.triangles(part)).positions);
  const placed = [];
  for (const { part, placement: m } of await file.instances())
    for (let k = 0; k < parts[part].length; k += 3)
      for (let row = 0; row < 12; row += 4)
        placed.push(m[row] * parts[part][k] + m[row + 1] * parts[part][k + 1] + m[row + 2] * parts[part][k + 2] + m[row + 3]);
  const mesh = new three.BufferGeometry();
  mesh.setAttribute('position', new three.BufferAttribute(new Float32Array(placed), 3));
  const bvh = new bvhs.MeshBVH(mesh, { targetLeafSize: 10 });
  const at = (numbers, i) => new three.Vector3(...numbers.subarray(i, i + 3));
  return {
    rays(rays) {
      const given = Array.from({ length: RAYS }, (_, i) => new three.Ray(at(rays, 8 * i), at(rays, 8 * i + 3)));
      return () => given.map((ray) => bvh.raycastFirst(ray, three.DoubleSide)?.distance ?? Infinity);
    },
    points(points) {
      const given = Array.from({ length: POINTS }, (_, i) => at(points, 3 * i));
      return () => given.map((one) => bvh.closestPointToPoint(one).distance);
    },
  };
}

async function least(works) {
  const best = works.map(() => Infinity);
  const said = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, work] of works.entries()) {
      const before = process.cpuUsage();
      said[i] = await work();
      const { user, system } = process.cpuUsage(before);
      best[i] = Math.min(best[i], user + system);
    }
  return { best, said };
}

// Distances that differ by more than floats of the model's size do.
function odd(ours, theirs) {
  const slack = 1e-5 * Math.hypot(...hi, ...lo);
  return ours.reduce((sum, x, i) => sum + !(x === theirs[i] || Math.abs(x - theirs[i]) <= slack), 0);
}

async function row(what, count, work, other) {
  const { best, said } = await least(other ? [work, other] : [work]);
  said[0] = Array.from(said[0].t ?? said[0].distance); // infinite where there is no hit
  const us = best.map((one) => (one / count).toFixed(3));
  const differ = other ? odd(said[0], said[1]) : '';
  console.log([name, what, us[0], us[1] ?? '', other ? (best[1] / best[0]).toFixed(2) : '', differ].join(','));
  if (differ > count * 0.002) process.exitCode = 1;
}

console.log('file,question,us of bvpack,us of three-mesh-bvh,times,other answers');
if (wanted.includes('rays')) {
  const peer = await peerOf();
  for (const [what, rays] of [
    ['primary rays', camera()],
    ['random rays', between()],
  ])
    await row(what, RAYS, () => file.rayFirst(rays), peer?.rays(rays));
  const points = new Float64Array(Array.from({ length: POINTS }, point).flat());
  await row('closest points in a batch', POINTS, () => file.closest(points), peer?.points(points));
  const single = async () => {
    const distance = [];
    for (let i = 0; i < 3 * POINTS; i += 3) distance.push((await file.closest(points.subarray(i, i + 3))).distance[0]);
    return { distance };
  };
  await row('closest points one a call', POINTS, single, peer?.points(points));
}
if (wanted.includes('clash')) {
  let pairs;
  const { best } = await least([
    async () => {
      pairs = 0;
      await file.clash({ clearance: 0.005, detail: 'verdicts' }, () => void pairs++);
    },
  ]);
  console.log([name, `clash at 5 mm: ${pairs} pairs; s`, (best[0] / 1e6).toFixed(3), '', '', ''].join(','));
}
await file.close();
