// SPDX-License-Identifier: MIT
// check_three_mesh_bvh.mjs: a GLB of `bvpack extract --three-mesh-bvh` in three-mesh-bvh: 5,000 rays
// hit what they hit with the hierarchy that three-mesh-bvh builds itself, and loading builds none.
// Usage: node check_three_mesh_bvh.mjs NODE_MODULES MODEL.glb
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, model] = process.argv.slice(2);
const require = createRequire(path.resolve(modules, "x.js"));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const THREE = await load("three");
const { MeshBVH } = await load("three-mesh-bvh");
const { GLTFLoader } = await load("three/addons/loaders/GLTFLoader.js");

// as in tools/wasm/README.md
async function withHierarchy(gltf) {
  const mesh = gltf.scene.children[0];
  const { roots } = mesh.userData.threeMeshBVH;
  const buffers = await Promise.all(roots.map((view) => gltf.parser.getDependency("bufferView", view)));
  mesh.geometry.boundsTree = MeshBVH.deserialize({ roots: buffers, index: null }, mesh.geometry, { setIndex: false });
  return mesh;
}

globalThis.self ??= globalThis; // GLTFLoader asks for it
const bytes = fs.readFileSync(model);
const gltf = await new GLTFLoader().parseAsync(
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "");
const began = performance.now();
const mesh = await withHierarchy(gltf);
const loading = performance.now() - began;
const bvh = mesh.geometry.boundsTree;

const own = new THREE.BufferGeometry();
own.setAttribute("position", mesh.geometry.attributes.position.clone());
const building = performance.now();
const theirs = new MeshBVH(own);
const built = performance.now() - building;

let seed = 1; // printed below
const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
const box = new THREE.Box3().setFromBufferAttribute(mesh.geometry.attributes.position);
const size = box.getSize(new THREE.Vector3());
const anywhere = () => new THREE.Vector3(random(), random(), random()).multiply(size).add(box.min);
const rays = [];
for (let k = 0; k < 5000; k++) {
  const origin = anywhere();
  if (k % 2) origin.addScaledVector(size, 2 * (random() - 0.5));
  const direction = anywhere().sub(origin).normalize();
  if (k % 10 === 0) direction.set(0, 0, k % 20 ? 1 : -1);
  rays.push(new THREE.Ray(origin, direction));
}
const cast = (tree) => {
  const from = performance.now();
  const hits = rays.map((ray) => tree.raycastFirst(ray, THREE.DoubleSide)?.distance ?? Infinity);
  return { hits, seconds: (performance.now() - from) / 1e3 };
};
cast(bvh), cast(theirs); // compiles
let a = cast(bvh), b = cast(theirs);
for (let k = 0; k < 8; k++) {
  const ours = cast(bvh), own = cast(theirs); // the least of nine in turn
  if (ours.seconds < a.seconds) a = ours;
  if (own.seconds < b.seconds) b = own;
}
// of two triangles that share an edge, either; their distances may differ in the last bits
const equal = (x, y) => x === y || Math.abs(x - y) <= 1e-12 * y;
const same = a.hits.filter((distance, k) => equal(distance, b.hits[k])).length;
const hit = b.hits.filter(Number.isFinite).length;
const point = {}, point2 = {};
let near = 0;
for (let k = 0; k < 500; k++) {
  const to = anywhere();
  near += equal(bvh.closestPointToPoint(to, point).distance, theirs.closestPointToPoint(to, point2).distance);
}
console.log(`three-mesh-bvh: ${mesh.geometry.attributes.position.count / 3} triangles; ${same} of ${rays.length} rays ` +
  `equal, ${hit} hit; ${near} of 500 closest points equal; ready in ${loading.toFixed(1)} ms, built by itself in ` +
  `${built.toFixed(0)} ms; rays ${(a.seconds / b.seconds).toFixed(2)} times its time; seed 1`);
if (a.seconds > 1.25 * b.seconds) process.exit(1);
if (same !== rays.length || near !== 500 || hit < 500 || own.index === null) process.exit(1);
if (mesh.geometry.index !== null) process.exit(1); // three-mesh-bvh makes one when it builds
