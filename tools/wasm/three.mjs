// SPDX-License-Identifier: MIT
// three.mjs: packed files in a scene of three.js: geometries, meshes and assemblies whose rays are
// answered by the file's hierarchy. three.d.ts has the types.
//
// raycast() may not wait. So it asks the hierarchy when the file was opened with `worker: false` and
// the bytes are here, and else three.js goes through the triangles, which takes longer and finds the
// same. pick() waits, and always asks the hierarchy.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Ray,
  Sphere,
  Triangle,
  Vector3,
  BackSide,
  DoubleSide,
} from 'three';

const TRIANGLES_AT_ONCE = 1 << 18;
const NONE = 0xffffffff;

// ---- geometries -----------------------------------------------------------------------------------

// A part's triangles in storage order: face number t is the file's triangle `first` + t.
export async function toBufferGeometry(file, part, { first = 0, count, normals = true } = {}) {
  const [info] = await file.parts(part, 1);
  const end = Math.min(first + (count ?? Infinity), info.triangleCount);
  const pieces = [];
  for (let at = first; at < end; at += TRIANGLES_AT_ONCE)
    pieces.push(await file.geometry(part, at, Math.min(TRIANGLES_AT_ONCE, end - at)));
  const { positions, indices } = pieces.length === 1 ? pieces[0] : joined(pieces);
  const geometry = new BufferGeometry();
  geometry.name = info.name;
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  const vertexCount = positions.length / 3;
  geometry.setIndex(new BufferAttribute(vertexCount < 65536 ? Uint16Array.from(indices) : indices, 1));
  geometry.boundingBox = new Box3(new Vector3(...info.lo), new Vector3(...info.hi));
  geometry.boundingSphere = geometry.boundingBox.getBoundingSphere(new Sphere());
  if (normals) geometry.computeVertexNormals();
  return geometry;
}

function joined(pieces) {
  const length = (name) => pieces.reduce((sum, piece) => sum + piece[name].length, 0);
  const positions = new Float32Array(length('positions'));
  const indices = new Uint32Array(length('indices'));
  let [vertex, corner] = [0, 0];
  for (const piece of pieces) {
    positions.set(piece.positions, vertex * 3);
    for (const index of piece.indices) indices[corner++] = vertex + index;
    vertex += piece.positions.length / 3;
  }
  return { positions, indices };
}

// Row by row, as files have them, to three.js's.
const matrixOf = (rows, at = 0) =>
  new Matrix4().set(...Array.from(rows.slice(at, at + 12)), 0, 0, 0, 1);

// ---- rays -----------------------------------------------------------------------------------------

const local = new Ray();
const inverse = new Matrix4();
const triangle = new Triangle();
const normal = new Vector3();

// In the object's coordinates, where t stays the distance in the world: the direction keeps the
// length that it has there.
function rayIn(object, raycaster) {
  inverse.copy(object.matrixWorld).invert();
  local.origin.copy(raycaster.ray.origin).applyMatrix4(inverse);
  local.direction
    .copy(raycaster.ray.origin)
    .add(raycaster.ray.direction)
    .applyMatrix4(inverse)
    .sub(local.origin);
  const { origin: o, direction: d } = local;
  return [o.x, o.y, o.z, d.x, d.y, d.z, raycaster.near, raycaster.far];
}

const materialOf = ({ material }) => (Array.isArray(material) ? material[0] : material);

// Whether the material shows the side that the ray meets. facing > 0: the back.
function isSeen(side, facing) {
  if (side === DoubleSide) return true;
  return side === BackSide ? facing > 0 : facing < 0;
}

// As three.js's intersections are, with `bvpack`: where in the file.
function intersectionOf(raycaster, list, i, object, first) {
  const faceIndex = list.triangle[i] - first;
  const { index, attributes } = object.geometry;
  const [a, b, c] = [0, 1, 2].map((k) => index.getX(3 * faceIndex + k));
  triangle.setFromAttributeAndIndices(attributes.position, a, b, c);
  triangle.getNormal(normal);
  const [u, v] = [list.uv[2 * i], list.uv[2 * i + 1]];
  return {
    distance: list.t[i],
    point: raycaster.ray.at(list.t[i], new Vector3()),
    object,
    faceIndex,
    face: { a, b, c, normal: normal.clone(), materialIndex: 0 },
    barycoord: new Vector3(1 - u - v, u, v),
    bvpack: {
      instance: list.instance[i] === NONE ? null : list.instance[i],
      part: list.part[i],
      triangle: list.triangle[i],
      id: list.id[i],
    },
  };
}

const isFirstFound = (hits) => hits.found[0] === 1;

// ask(all): hits or null. Pushes what `accept` makes of each, or returns false: there is no answer.
function collect(raycaster, ask, accept, intersects) {
  if (raycaster.firstHitOnly) {
    const hits = ask(false);
    if (hits === null) return false;
    if (!isFirstFound(hits)) return true;
    const one = accept(hits, 0);
    if (one) {
      intersects.push(one);
      return true;
    } // what is nearest is not seen from here
  }
  const list = ask(true);
  if (list === null) return false;
  const made = [];
  for (let i = 0; i < list.count; i++) made.push(accept(list, i));
  const seen = made.filter((one) => one).sort((one, other) => one.distance - other.distance);
  if (raycaster.firstHitOnly) seen.length = Math.min(seen.length, 1);
  intersects.push(...seen);
  return true;
}

// What is asked of a file, and then given to collect().
async function answersOf(file, ray, body, firstHitOnly) {
  const first = firstHitOnly ? await file.rayFirst(ray, body) : null;
  let all;
  const list = async () => (all ??= await file.rayAll(ray, body));
  if (!firstHitOnly) await list();
  return { first, list, ask: (wantsAll) => (wantsAll ? all : first) };
}

async function picked(raycaster, file, ray, body, accept) {
  const intersects = [];
  const { first, list, ask } = await answersOf(file, ray, body, raycaster.firstHitOnly);
  if (first && isFirstFound(first) && !accept(first, 0)) await list();
  collect(raycaster, ask, accept, intersects);
  return intersects;
}

// ---- one part -------------------------------------------------------------------------------------

// A part as a mesh. geometry: from toBufferGeometry(), whole.
export class BvpackMesh extends Mesh {
  constructor(file, part, geometry, material = new MeshStandardMaterial()) {
    super(geometry, material);
    this.file = file;
    this.part = part;
  }

  static async load(file, part, material) {
    return new BvpackMesh(file, part, await toBufferGeometry(file, part), material);
  }

  #accepter(raycaster, ray) {
    const side = materialOf(this).side;
    return (list, i) => {
      const [x, y, z] = [0, 1, 2].map((k) => list.normal[3 * i + k]);
      if (!isSeen(side, x * ray[3] + y * ray[4] + z * ray[5])) return null;
      return intersectionOf(raycaster, list, i, this, 0);
    };
  }

  raycast(raycaster, intersects) {
    if (!materialOf(this)) return;
    const ray = rayIn(this, raycaster);
    const { file, part } = this;
    const ask = (all) => file[all ? 'rayAllNow' : 'rayFirstNow'](ray, { part });
    if (!collect(raycaster, ask, this.#accepter(raycaster, ray), intersects))
      super.raycast(raycaster, intersects);
  }

  async pick(raycaster) {
    const ray = rayIn(this, raycaster);
    const { file, part } = this;
    return picked(raycaster, file, ray, { part }, this.#accepter(raycaster, ray));
  }
}

// ---- assemblies -----------------------------------------------------------------------------------

// All instances, of each part one InstancedMesh, which has `part` and, for each of its elements,
// the instance's number in `instances`. Instances for which hide() was called are neither seen nor
// met by rays.
export class BvpackAssembly extends Group {
  constructor(file) {
    super();
    this.file = file;
    this.meshOf = new Map(); // by part
    this.placeOf = new Uint32Array(0); // instance to element of its mesh
    this.partOf = new Uint32Array(0);
    this.hidden = new Set();
  }

  // material(part, info): of each part, or one for all.
  static async load(file, material = new MeshStandardMaterial()) {
    const assembly = new BvpackAssembly(file);
    const table = await file.instanceTable();
    const parts = await file.parts();
    assembly.partOf = table.part;
    assembly.placeOf = new Uint32Array(table.part.length);
    const instancesOf = new Map();
    table.part.forEach((part, instance) => {
      if (!instancesOf.has(part)) instancesOf.set(part, []);
      assembly.placeOf[instance] = instancesOf.get(part).push(instance) - 1;
    });
    for (const [part, instances] of instancesOf) {
      const own = typeof material === 'function' ? material(part, parts[part]) : material;
      const mesh = new InstancedMesh(await toBufferGeometry(file, part), own, instances.length);
      instances.forEach((instance, i) => mesh.setMatrixAt(i, matrixOf(table.placement, 12 * instance)));
      mesh.name = parts[part].name;
      mesh.part = part;
      mesh.instances = Uint32Array.from(instances);
      mesh.raycast = () => {}; // the assembly's own is asked
      assembly.meshOf.set(part, mesh);
      assembly.add(mesh);
    }
    return assembly;
  }

  hide(instances, isHidden = true) {
    const matrix = new Matrix4();
    const nowhere = new Matrix4().makeScale(0, 0, 0);
    const changed = Array.from(instances).filter((one) => this.hidden.has(one) !== isHidden);
    const work = changed.map(async (instance) => {
      const mesh = this.meshOf.get(this.partOf[instance]);
      if (isHidden) this.hidden.add(instance);
      else this.hidden.delete(instance);
      if (isHidden) matrix.copy(nowhere);
      else matrix.copy(matrixOf((await this.file.instances(instance, 1))[0].placement));
      mesh.setMatrixAt(this.placeOf[instance], matrix);
      mesh.instanceMatrix.needsUpdate = true;
    });
    return Promise.all(work).then(() => {});
  }

  get #body() {
    return this.hidden.size > 0 ? { without: [...this.hidden] } : {};
  }

  #accepter(raycaster, ray) {
    return (list, i) => {
      const mesh = this.meshOf.get(list.part[i]);
      const [x, y, z] = [0, 1, 2].map((k) => list.normal[3 * i + k]);
      if (!isSeen(materialOf(mesh).side, x * ray[3] + y * ray[4] + z * ray[5])) return null;
      const made = intersectionOf(raycaster, list, i, mesh, 0);
      made.instanceId = this.placeOf[list.instance[i]];
      return made;
    };
  }

  raycast(raycaster, intersects) {
    const ray = rayIn(this, raycaster);
    const body = this.#body;
    const ask = (all) => this.file[all ? 'rayAllNow' : 'rayFirstNow'](ray, body);
    if (collect(raycaster, ask, this.#accepter(raycaster, ray), intersects)) return;
    for (const mesh of this.meshOf.values()) {
      const from = intersects.length;
      InstancedMesh.prototype.raycast.call(mesh, raycaster, intersects);
      for (const one of intersects.slice(from)) {
        const instance = mesh.instances[one.instanceId];
        one.bvpack = { instance, part: mesh.part, triangle: one.faceIndex, id: null };
      }
    }
  }

  async pick(raycaster) {
    const ray = rayIn(this, raycaster);
    return picked(raycaster, this.file, ray, this.#body, this.#accepter(raycaster, ray));
  }

  dispose() {
    for (const mesh of this.meshOf.values()) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
  }
}
