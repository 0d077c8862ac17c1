// SPDX-License-Identifier: MIT
// three.mjs: bvpack/three: geometries, and rays that the hierarchy answers as three.js does.
// Usage: node three.mjs PACKAGE FILE   (three.js in node_modules beside it)
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , folder, path] = process.argv;
const here = (name) => pathToFileURL(`${folder}/${name}`);
const { open } = await import(here('index.mjs'));
const { BvpackAssembly, BvpackMesh, toBufferGeometry } = await import(here('three.mjs'));
const three = await import(here('../node_modules/three/build/three.module.js'));
const { DoubleSide, FrontSide, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, Raycaster, Vector3 } = three;

const file = await open(readFileSync(path));
const info = await file.info();
const seed = Number(process.env.BVP_SEED ?? Date.now() % 1e9);
console.log(`seed ${seed}`);
let state = seed + 1;
const random = () => ((state = (state * 48271) % 2147483647), state / 2147483647);

// ---- geometries
const parts = await file.parts();
const part = parts.reduce((best, one, i) => (one.triangleCount > parts[best].triangleCount ? i : best), 0);
const geometry = await toBufferGeometry(file, part);
assert.equal(geometry.index.count, 3 * parts[part].triangleCount);
const box = geometry.boundingBox.clone();
geometry.computeBoundingBox();
assert.ok(box.containsBox(geometry.boundingBox), 'a box that does not hold its part');
const some = await toBufferGeometry(file, part, { first: 3, count: 5, normals: false });
assert.equal(some.index.count, 15);
for (let i = 0; i < 15; i++)
  for (const axis of ['getX', 'getY', 'getZ'])
    assert.equal(
      some.attributes.position[axis](some.index.getX(i)),
      geometry.attributes.position[axis](geometry.index.getX(9 + i)),
    );

// ---- rays: the hierarchy's are three.js's, but for rays that graze an edge
let [hits, differ] = [0, 0];
function compare(mine, its) {
  hits += its.length;
  if (mine.length !== its.length) return void (differ += 1);
  for (const [i, one] of its.entries()) {
    assert.ok(Math.abs(one.distance - mine[i].distance) <= 1e-4 * (1 + one.distance), 'another distance');
    assert.ok(one.point.distanceTo(mine[i].point) <= 1e-4 * (1 + one.distance));
    assert.equal(mine[i].bvpack.triangle, mine[i].faceIndex);
  }
}
function randomRay(bounds, firstHitOnly) {
  const size = bounds.getSize(new Vector3());
  const inside = () => new Vector3(random(), random(), random()).multiply(size).add(bounds.min);
  const from = inside().addScaledVector(size, random() < 0.5 ? -2 : 0);
  const raycaster = new Raycaster(from, inside().sub(from).normalize());
  raycaster.firstHitOnly = firstHitOnly;
  return raycaster;
}
const turned = new Matrix4().makeRotationY(0.7).setPosition(3, -2, 1).scale(new Vector3(2, 2, 2));
for (const side of [DoubleSide, FrontSide]) {
  const material = new MeshBasicMaterial({ side });
  const [mine, its] = [new BvpackMesh(file, part, geometry, material), new Mesh(geometry, material)];
  for (const mesh of [mine, its]) {
    mesh.applyMatrix4(turned);
    mesh.updateMatrixWorld();
  }
  const bounds = box.clone().applyMatrix4(turned);
  for (let i = 0; i < 60; i++) {
    const raycaster = randomRay(bounds, i % 2 === 1);
    const [a, b] = [raycaster.intersectObject(mine), raycaster.intersectObject(its)];
    compare(a, raycaster.firstHitOnly ? b.slice(0, 1) : b);
    compare(await mine.pick(raycaster), a);
  }
}
assert.ok(hits > 40, `${hits} hits are too few to compare`);
assert.ok(differ * 50 <= hits, `${differ} of ${hits} answers differ`);

// the hierarchy is asked, not three.js: a mesh whose triangles three.js cannot find
const blind = new BvpackMesh(file, part, geometry, new MeshBasicMaterial({ side: DoubleSide }));
const super_ = Mesh.prototype.raycast;
Mesh.prototype.raycast = () => assert.fail('three.js went through the triangles');
const straight = new Raycaster(new Vector3().copy(box.min).addScalar(-1), new Vector3(1, 1, 1).normalize());
straight.intersectObject(blind);
Mesh.prototype.raycast = super_;

// ---- assemblies
const assembly = await BvpackAssembly.load(file, new MeshBasicMaterial({ side: DoubleSide }));
assembly.applyMatrix4(turned);
assembly.updateMatrixWorld(true);
const drawn = [...assembly.meshOf.values()].reduce((sum, mesh) => sum + mesh.count, 0);
assert.equal(drawn, info.instanceCount);
const bounds = new three.Box3(new Vector3(...info.lo), new Vector3(...info.hi)).applyMatrix4(turned);
[hits, differ] = [0, 0];
const slow = (raycaster) => {
  const all = [];
  for (const mesh of assembly.meshOf.values()) InstancedMesh.prototype.raycast.call(mesh, raycaster, all);
  return all.sort((a, b) => a.distance - b.distance);
};
let hit;
for (let i = 0; i < 200; i++) {
  const raycaster = randomRay(bounds, i % 2 === 1);
  const found = raycaster.intersectObject(assembly);
  compare(found, raycaster.firstHitOnly ? slow(raycaster).slice(0, 1) : slow(raycaster));
  for (const one of found) {
    assert.equal(one.object.instances[one.instanceId], one.bvpack.instance);
    assert.equal(one.object.part, one.bvpack.part);
    hit = { raycaster, instance: one.bvpack.instance };
  }
}
assert.ok(hits > 20 && differ * 20 <= hits, `${differ} of ${hits} answers differ`);
await assembly.hide([hit.instance]);
for (const ask of [() => hit.raycaster.intersectObject(assembly), () => assembly.pick(hit.raycaster)])
  assert.ok((await ask()).every(({ bvpack }) => bvpack.instance !== hit.instance), 'hidden, and met');
await assembly.hide([hit.instance], false);
assert.ok(hit.raycaster.intersectObject(assembly).some(({ bvpack }) => bvpack.instance === hit.instance));
console.log(`bvpack/three: ${hits} hits as three.js has them, ${differ} at edges`);
process.exit(0);
